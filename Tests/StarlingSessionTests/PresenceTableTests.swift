import StarlingCore
import StarlingSession
import StarlingWire
import Testing

@Suite struct `What is said for a while` {
  private static let ada: UInt64 = 1
  private static let bob: UInt64 = 2

  private func notice(_ number: UInt64, _ value: Value?, at key: String = "field", lifetime: UInt64 = 1000)
    -> PresenceNotice
  {
    PresenceNotice(origin: Self.bob, number: number, lifetimeMilliseconds: lifetime, key: key, value: value)
  }

  private func say(_ table: inout PresenceTable, _ value: Value?, at key: String, lifetimeMilliseconds: UInt64) -> Bool
  {
    table.set(value, at: key, lifetimeMilliseconds: lifetimeMilliseconds)
  }

  private func said(_ table: PresenceTable, _ key: String = "field") -> [Value] {
    table.others(at: key).map(\.value)
  }

  @Test func `is announced at once, and again when a third of its life has passed`() {
    var table = PresenceTable(origin: Self.ada)
    #expect(say(&table, .string("title"), at: "field", lifetimeMilliseconds: 9000))
    #expect(table.takeAnnouncements(now: .zero).map(\.value) == [.string("title")])
    #expect(table.takeAnnouncements(now: .milliseconds(2999)).isEmpty)
    let again = table.takeAnnouncements(now: .milliseconds(3000))
    #expect(again.map(\.value) == [.string("title")])
    #expect(again.map(\.lifetimeMilliseconds) == [9000])
    #expect(table.takeChangedKeys() == ["field"])
  }

  @Test func `is no news when it is said again`() {
    var table = PresenceTable(origin: Self.ada)
    _ = table.set(.string("title"), at: "field", lifetimeMilliseconds: 9000)
    _ = table.takeAnnouncements(now: .zero)
    _ = table.takeChangedKeys()
    _ = table.set(.string("title"), at: "field", lifetimeMilliseconds: 9000)
    #expect(table.takeAnnouncements(now: .milliseconds(1)).isEmpty)
    #expect(table.takeChangedKeys().isEmpty)
  }

  @Test func `is withdrawn in one notice`() {
    var table = PresenceTable(origin: Self.ada)
    _ = table.set(.string("title"), at: "field", lifetimeMilliseconds: 9000)
    let first = table.takeAnnouncements(now: .zero)
    _ = table.set(nil, at: "field", lifetimeMilliseconds: 9000)
    let last = table.takeAnnouncements(now: .zero)
    #expect(last.map(\.value) == [nil])
    #expect(last[0].number > first[0].number)
    #expect(table.own(at: "field") == nil)
    #expect(table.takeAnnouncements(now: .seconds(100)).isEmpty)
  }

  @Test func `of others stands until its lifetime has passed`() {
    var table = PresenceTable(origin: Self.ada)
    #expect(table.receive([notice(1, .string("title"))], now: .zero).count == 1)
    table.tick(now: .milliseconds(999))
    #expect(said(table) == [.string("title")])
    _ = table.takeChangedKeys()
    table.tick(now: .milliseconds(1000))
    #expect(said(table) == [])
    #expect(table.takeChangedKeys() == ["field"])
  }

  @Test func `lives on when it is said again`() {
    var table = PresenceTable(origin: Self.ada)
    _ = table.receive([notice(1, .string("title"))], now: .zero)
    _ = table.takeChangedKeys()
    _ = table.receive([notice(2, .string("title"))], now: .milliseconds(900))
    table.tick(now: .milliseconds(1500))
    #expect(said(table) == [.string("title")])
    #expect(table.takeChangedKeys().isEmpty)
  }

  @Test func `comes out the same in whatever order it arrives`() {
    let notices = [notice(1, .string("a")), notice(2, nil), notice(3, .string("b")), notice(4, nil)]
    func permutations(_ rest: [PresenceNotice]) -> [[PresenceNotice]] {
      rest.isEmpty
        ? [[]]
        : rest.indices.flatMap { place in
          var others = rest
          let first = others.remove(at: place)
          return permutations(others).map { [first] + $0 }
        }
    }
    for count in 1...notices.count {
      let last = notices[count - 1].value
      for order in permutations(Array(notices[..<count])) {
        var table = PresenceTable(origin: Self.ada)
        for notice in order { _ = table.receive([notice], now: .zero) }
        #expect(said(table) == (last.map { [$0] } ?? []), "\(order.map(\.number))")
      }
    }
  }

  @Test func `passes a relay once`() {
    var table = PresenceTable(origin: Self.ada)
    #expect(table.receive([notice(1, .string("title"))], now: .zero).count == 1)
    #expect(table.receive([notice(1, .string("title"))], now: .zero).isEmpty)
    let own = PresenceNotice(origin: Self.ada, number: 9, lifetimeMilliseconds: 1000, key: "field", value: .string("x"))
    #expect(table.receive([own], now: .zero).isEmpty)
  }

  @Test func `is told to a newcomer with the life that is left of it`() {
    var table = PresenceTable(origin: Self.ada)
    _ = table.set(.string("mine"), at: "field", lifetimeMilliseconds: 9000)
    _ = table.receive([notice(1, .string("title")), notice(2, nil, at: "cursor")], now: .zero)
    let all = table.everything(includingOthers: true, now: .milliseconds(400))
    #expect(all.map(\.value) == [.string("mine"), .string("title")])
    #expect(all.map(\.lifetimeMilliseconds) == [9000, 600])
    #expect(table.everything(includingOthers: false, now: .milliseconds(400)).map(\.value) == [.string("mine")])
  }

  @Test func `gives its bytes back when it ends`() {
    let limits = PresenceTable.Limits(noticeCountMax: 3, byteCountMax: 100, ownByteCountMax: 64)
    var table = PresenceTable(origin: Self.ada, limits: limits)
    for round in 0..<20 {
      let said = PresenceNotice(
        origin: UInt64(10 + round), number: 1, lifetimeMilliseconds: 1000, key: "k", value: .string("some words"))
      #expect(!table.receive([said], now: .seconds(2 * round)).isEmpty, "round \(round)")
      table.tick(now: .seconds(2 * round + 1))
    }
    #expect(table.refusedCount == 0)
  }

  @Test func `is bounded, whoever floods`() {
    let limits = PresenceTable.Limits(noticeCountMax: 3, byteCountMax: 200, ownByteCountMax: 64)
    var table = PresenceTable(origin: Self.ada, limits: limits)
    for origin in 10..<20 as Range<UInt64> {
      _ = table.receive(
        [PresenceNotice(origin: origin, number: 1, lifetimeMilliseconds: 1000, key: "k", value: .integer(1))],
        now: .zero)
    }
    #expect(table.others(at: "k").count == 3)
    #expect(table.refusedCount == 7)
    // A known peer may say something else, as long as there is capacity for it.
    _ = table.receive(
      [PresenceNotice(origin: 10, number: 2, lifetimeMilliseconds: 1000, key: "k", value: .integer(2))], now: .zero)
    #expect(table.others(at: "k").first?.value == .integer(2))
    let large = Value.string(String(repeating: "x", count: 300))
    _ = table.receive(
      [PresenceNotice(origin: 10, number: 3, lifetimeMilliseconds: 1000, key: "k", value: large)], now: .zero)
    #expect(table.others(at: "k").first?.value == .integer(2))
    // What has expired frees capacity.
    table.tick(now: .seconds(1))
    #expect(
      table.receive(
        [PresenceNotice(origin: 30, number: 1, lifetimeMilliseconds: 1000, key: "k", value: .integer(1))],
        now: .seconds(1)
      ).count == 1)
    #expect(!say(&table, large, at: "k", lifetimeMilliseconds: 1000))
    #expect(!say(&table, .string("x"), at: "", lifetimeMilliseconds: 1000))
    #expect(!say(&table, .string("x"), at: String(repeating: "k", count: 201), lifetimeMilliseconds: 1000))
    #expect(table.takeAnnouncements(now: .seconds(1)).isEmpty)
  }
}
