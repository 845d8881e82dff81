import Testing

@testable import StarlingZeroMQ

@Suite struct `A dialled peer` {
  private typealias Word = (event: MonitorEvent, channel: LinkEndpoint.Channel)

  @Test func `that lets us ask alone stays open when the refused connection ends`() {
    var connections = DialledConnections()
    #expect(connections.hear(.standing, of: .ask) == nil)
    #expect(connections.hear(.notAdmitted, of: .publish) == .opened)
    #expect(connections.hear(.gone(9), of: .publish) == nil)
    #expect(connections.isOpen)
  }

  @Test func `that refuses a subscription again stays open`() {
    var connections = DialledConnections()
    let words: [Word] = [(.notAdmitted, .publish), (.gone(9), .publish), (.standing, .ask)]
    #expect(words.compactMap { connections.hear($0.event, of: $0.channel) } == [.opened])
    let again: [Word] = [(.notAdmitted, .publish), (.gone(9), .publish)]
    #expect(again.compactMap { connections.hear($0.event, of: $0.channel) }.isEmpty)
    #expect(connections.isOpen)
  }

  @Test func `is told as opened and as closed by turns, whatever is told of its connections`() {
    let events: [MonitorEvent] = [.standing, .gone(9), .notAdmitted, .failed]
    let words: [Word] = events.flatMap { event in LinkEndpoint.Channel.allCases.map { (event, $0) } }
    var checkedCount = 0
    func follow(_ connections: DialledConnections, told: [Word]) {
      checkedCount += 1
      #expect(connections.isOpen == Self.isOpen(after: told), "\(told)")
      guard told.count < 5 else { return }
      for word in words {
        var next = connections
        let turn = next.hear(word.event, of: word.channel)
        #expect((turn != nil) == (next.isOpen != connections.isOpen), "\(told), \(word)")
        if let turn { #expect((turn == .opened) == next.isOpen, "\(told), \(word)") }
        follow(next, told: told + [word])
      }
    }
    follow(DialledConnections(), told: [])
    #expect(checkedCount == (0...5).reduce(0) { $0 + Self.power(words.count, $1) })
  }

  /// The connection that asks stands, and the one that is published to stands or was told no since it last did.
  private static func isOpen(after told: [Word]) -> Bool {
    func last(_ channel: LinkEndpoint.Channel, _ isMeant: (MonitorEvent) -> Bool) -> Int {
      told.lastIndex { $0.channel == channel && isMeant($0.event) } ?? -1
    }
    func stands(_ channel: LinkEndpoint.Channel) -> Bool {
      last(channel) { $0 == .standing } > last(channel) { $0 == .gone(9) }
    }
    let isRefused = last(.publish) { $0 == .notAdmitted } > last(.publish) { $0 == .standing }
    return stands(.ask) && (stands(.publish) || isRefused)
  }

  private static func power(_ base: Int, _ exponent: Int) -> Int {
    (0..<exponent).reduce(1) { product, _ in product * base }
  }
}
