import StarlingCore
import StarlingSession
import StarlingWire
import Testing

@Suite struct `A count of messages` {
  @Test func `shows a loss with the second heartbeat that differs alike`() {
    var (sender, receiver) = (MessageTally(), MessageTally())
    func say(_ isLost: Bool = false) {
      sender.sentMessage()
      if !isLost { receiver.receivedMessage() }
    }
    func beat() -> Bool {
      let count = sender.nextCount
      say()
      return receiver.receivedHeartbeat(count)
    }
    say()
    let whole = beat()
    say(true)
    let shown = (0..<3).map { _ in beat() }
    #expect(!whole && shown == [false, true, false])
    // A hello begins again.
    sender.sentHello()
    receiver.receivedHello()
    let shownLater = (0..<3).map { _ in beat() }
    #expect(shownLater == [false, false, false])
  }

  @Test func `takes messages that are late for no loss`() {
    var receiver = MessageTally()
    // Of a sender that says one message between two heartbeats, each of which arrives after the next heartbeat.
    for beat in 1...20 as ClosedRange<UInt64> {
      receiver.receivedMessage()
      let isLost = receiver.receivedHeartbeat(2 * beat + (beat.isMultiple(of: 2) ? 1 : 0))
      #expect(!isLost)
      receiver.receivedMessage()
    }
  }

  @Test func `shows a loss after one heartbeat where nothing more arrives`() {
    var receiver = MessageTally()
    receiver.receivedMessage()
    let isShownAtOnce = receiver.receivedHeartbeat(3)
    let shown = (0..<4).map { _ in receiver.waitedForHeartbeat() }
    #expect(!isShownAtOnce && shown == [false, true, false, false])
    // What arrives in that time may be what was late.
    _ = receiver.receivedHeartbeat(5)
    let shownLater = (0..<3).map { _ in
      receiver.receivedMessage()
      return receiver.waitedForHeartbeat()
    }
    #expect(shownLater == [false, false, false])
    // And nothing is lost where nothing differed.
    var whole = MessageTally()
    whole.receivedMessage()
    _ = whole.receivedHeartbeat(1)
    let shownWhole = (0..<3).map { _ in whole.waitedForHeartbeat() }
    #expect(shownWhole == [false, false, false])
  }

  @Test func `is told four times after a message, and each eighth time where nothing is said`() {
    var sender = MessageTally()
    func beat() -> Bool {
      let isDue = sender.isHeartbeatDue()
      if isDue { sender.sentMessage() }
      return isDue
    }
    sender.sentHello()
    sender.sentMessage()
    let told = (0..<18).map { _ in beat() ? 1 : 0 }
    #expect(told == [1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0])
    sender.sentMessage()
    let toldAgain = (0..<6).map { _ in beat() ? 1 : 0 }
    #expect(toldAgain == [1, 1, 1, 1, 0, 0])
    // What repeats others brings none.
    sender.willRepeat()
    sender.sentMessage()
    let toldThen = (0..<4).map { _ in beat() ? 1 : 0 }
    #expect(toldThen == [0, 0, 1, 0])
  }

  @Test func `is not taken in by any number`() {
    var receiver = MessageTally()
    for count in [0, .max, 1, .max, .max] as [UInt64] {
      receiver.receivedMessage()
      _ = receiver.receivedHeartbeat(count)
    }
  }
}

@Suite struct `A document's heartbeats` {
  private func statement(_ counter: UInt64) -> DocumentHeartbeat.Statement {
    DocumentHeartbeat.Statement(
      version: VersionVector([VersionVector.Entry(replica: ReplicaID(rawValue: 1), counter: counter)]), digest: nil,
      positions: [],
      arriving: nil, behind: [])
  }

  @Test func `tell what changed three times, and then in its turn`() {
    var heartbeat = DocumentHeartbeat()
    let told = (0..<5).map { _ in heartbeat.tells(statement(1), isTurn: false) }
    #expect(told == [.followers, .followers, .followers, .nobody, .nobody])
    let (inTurn, afterwards) = (
      heartbeat.tells(statement(1), isTurn: true), heartbeat.tells(statement(1), isTurn: false)
    )
    #expect(inTurn == .everybody(isNews: false) && afterwards == .nobody)
    let toldLater = (0..<4).map { _ in heartbeat.tells(statement(2), isTurn: true) }
    #expect(toldLater == [true, true, true, false].map { .everybody(isNews: $0) })
  }

  @Test(arguments: [0, 1, 16, 17, 31, 300, 20_000])
  func `give each document its turn`(count: Int) {
    var round = HeartbeatRound()
    var (reviewed, told) = (Array(repeating: 0, count: count), Array(repeating: 0, count: count))
    let beatCount = min(max(count, 1) * HeartbeatRound.quietInterval, HeartbeatRound.beatCount)
    for _ in 0..<beatCount {
      let turns = round.take(of: count)
      for place in turns.reviewed.joined() { reviewed[place] += 1 }
      for place in turns.told.joined() { told[place] += 1 }
    }
    #expect(reviewed.allSatisfy { $0 > 0 } && told.allSatisfy { $0 > 0 })
    // No more of them than is needed.
    #expect(reviewed.reduce(0, +) <= beatCount * max(1, count / 4000))
    #expect(told.reduce(0, +) <= beatCount / HeartbeatRound.quietInterval * max(1, count / 500))
  }

  @Test func `give each its turn while documents come and go`() {
    var round = HeartbeatRound()
    for count in [300, 40, 17, 500, 16, 18] {
      for _ in 0..<50 {
        let turns = round.take(of: count)
        #expect((turns.reviewed + turns.told).allSatisfy { $0.upperBound <= count })
      }
    }
  }
}
