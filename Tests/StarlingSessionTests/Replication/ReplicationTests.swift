import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

/// Two replicas, where one dials the other, and what is on its way between them. Nothing moves but what a test moves.
private struct Pair: ~Copyable {
  var caller: ValueReplica
  var callee: ValueReplica
  var now = Duration.zero
  /// What is on its way, the oldest first.
  private(set) var underWay: [(toCallee: Bool, isPublished: Bool, bytes: [UInt8])] = []

  private static let endpoint = "tcp://callee:1"
  /// Each knows the other by its first connection.
  private let peer = PeerHandle.of(1)

  init() {
    caller = ValueReplica(1)
    callee = ValueReplica(2)
    callee.decide(now: now) { $0.bind(Self.endpoint) }
    caller.decide(now: now) { $0.connect(to: Self.endpoint) }
    meet()
  }

  mutating func meet() {
    callee.decide(now: now) { [peer] in $0.opened(peer, isDialled: false, as: .sameUser, entry: nil) }
    caller.decide(now: now) { [peer] in $0.opened(peer, isDialled: true, as: .sameUser, entry: nil) }
    collect()
  }

  mutating func part() {
    callee.decide(now: now) { [peer] in $0.closed(peer) }
    caller.decide(now: now) { [peer] in $0.closed(peer) }
    collect()
    underWay = []
  }

  private init(copying other: borrowing Self) {
    caller = other.caller.copy()
    callee = other.callee.copy()
    now = other.now
    underWay = other.underWay
  }

  func copy() -> Self { Self(copying: self) }

  private mutating func collect() {
    for case .direct(let bytes, _) in caller.takeOutputs() { underWay.append((true, false, bytes)) }
    for output in callee.takeOutputs() {
      switch output {
      case .direct(let bytes, _): underWay.append((false, false, bytes))
      case .published(let bytes): underWay.append((false, true, bytes))
      case .dial, .hangUp, .subscribe, .unsubscribe: break
      }
    }
  }

  enum Fate: CaseIterable { case arrives, isLost, arrivesTwice }

  mutating func deliver(_ fate: Fate = .arrives) {
    let (toCallee, isPublished, bytes) = underWay.removeFirst()
    for _ in 0..<(fate == .isLost ? 0 : fate == .arrives ? 1 : 2) {
      let input: (inout Replication) -> Void = { [peer] in
        if isPublished { $0.hear(published: [bytes], from: peer) } else { $0.receive(direct: bytes, from: peer) }
      }
      if toCallee { callee.decide(now: now, input) } else { caller.decide(now: now, input) }
    }
    collect()
  }

  mutating func deliverAll() {
    while !underWay.isEmpty { deliver() }
  }

  /// The callee hears from the caller's connection what the caller does not say now.
  mutating func hearAtCallee(_ message: Message) {
    callee.decide(now: now) { [peer] in $0.receive(direct: message.encoded(), from: peer) }
    collect()
  }

  var hellosToCaller: Int {
    underWay.count { message in
      guard !message.toCallee, case .hello? = try? Message(decoding: message.bytes) else { return false }
      return true
    }
  }

  mutating func write(_ value: Int64, for key: Key, byCaller: Bool) {
    if byCaller { caller.write(value, for: key, now: now) } else { callee.write(value, for: key, now: now) }
    collect()
  }

  mutating func pass(_ duration: Duration) {
    let end = now + duration
    while now < end {
      now += .milliseconds(200)
      caller.tick(now: now)
      callee.tick(now: now)
      collect()
      deliverAll()
    }
  }

  /// Of the frames that the callee has published.
  var sequencesUnderWay: [UInt64] {
    underWay.compactMap { $0.isPublished ? try? PublishedFrame(decoding: $0.bytes).sequence : nil }
  }

  var isCaughtUp: Bool {
    caller.content.version == callee.content.version && caller.content.cut().digest() == callee.content.cut().digest()
  }
}

@Suite struct `A replica as a value` {
  @Test func `meets another, and each has what the other wrote`() {
    var pair = Pair()
    pair.deliverAll()
    pair.write(1, for: "here", byCaller: true)
    pair.write(2, for: "there", byCaller: false)
    pair.deliverAll()
    let isCaughtUp = pair.isCaughtUp
    #expect(isCaughtUp)
    #expect(pair.caller.content.keys(in: .root).sorted() == ["here", "there"])
    #expect(!pair.caller.log.records.isEmpty && pair.caller.log.records.count == pair.callee.log.records.count)
  }

  @Test func `says the same again to the same`() {
    var pair = Pair()
    pair.deliverAll()
    var copy = pair.copy()
    for turn in 0..<5 {
      pair.write(Int64(turn), for: "turn", byCaller: true)
      copy.write(Int64(turn), for: "turn", byCaller: true)
      #expect(pair.underWay.map(\.bytes) == copy.underWay.map(\.bytes))
      pair.deliverAll()
      copy.deliverAll()
    }
  }

  @Test func `goes its own way as a copy`() {
    var pair = Pair()
    pair.deliverAll()
    let copy = pair.copy()
    pair.write(1, for: "here", byCaller: true)
    #expect(copy.caller.content.version.isEmpty && !pair.caller.content.version.isEmpty)
    #expect(copy.caller.replication.pipeline.pendingRecordCount == 0)
  }

  /// Thousands of messages of a former connection may be on their way. Each of them was answered with a greeting, and
  /// each greeting with where every document stands: two that had lost each other once never found out of that.
  @Test func `asks whoever has not said hello for it once a heartbeat, however much that one says`() {
    var pair = Pair()
    pair.deliver(.isLost)
    for second in 1...3 {
      for _ in 0..<100 { pair.hearAtCallee(.heartbeat(7)) }
      #expect(pair.hellosToCaller == second)
      pair.now += .seconds(1)
    }
    pair.deliverAll()
    pair.write(1, for: "here", byCaller: true)
    pair.deliverAll()
    let isCaughtUp = pair.isCaughtUp
    #expect(isCaughtUp)
  }

  /// Whoever followed its stream finds a gap in it, whatever is lost of the questions and answers of a greeting.
  @Test func `counts what it writes while nobody is connected as frames that were lost`() {
    var pair = Pair()
    pair.deliverAll()
    pair.write(1, for: "there", byCaller: false)
    let first = pair.sequencesUnderWay
    pair.deliverAll()
    pair.part()
    pair.write(2, for: "there", byCaller: false)
    #expect(pair.sequencesUnderWay == [])
    pair.meet()
    pair.deliverAll()
    pair.write(3, for: "there", byCaller: false)
    #expect(first.count == 1 && pair.sequencesUnderWay == first.map { $0 + 2 })
  }

  @Test func `rests when nothing happens`() {
    var pair = Pair()
    pair.deliverAll()
    pair.write(1, for: "here", byCaller: true)
    pair.pass(.seconds(10))
    #expect(pair.caller.replication.documents.active.isEmpty && pair.callee.replication.documents.active.isEmpty)
  }

  /// Of the first messages each arrives, is lost or comes twice, in all combinations: greetings, asks, answers and
  /// frames.
  @Test(arguments: 0..<3) func `is up to date in the end, whatever happens to the first messages`(kept: Int) {
    let choiceCount = 6
    var fates = Array(repeating: 0, count: choiceCount)
    var worldCount = 0
    while true {
      var pair = Pair()
      // A part of the conversation goes well first.
      for _ in 0..<(kept * 3) where !pair.underWay.isEmpty { pair.deliver() }
      pair.write(1, for: "here", byCaller: true)
      pair.write(2, for: "there", byCaller: false)
      for fate in fates where !pair.underWay.isEmpty { pair.deliver(Pair.Fate.allCases[fate]) }
      pair.pass(.seconds(20))
      worldCount += 1
      let isCaughtUp = pair.isCaughtUp
      #expect(isCaughtUp, "after \(kept * 3) messages: \(fates.map { Pair.Fate.allCases[$0] })")
      var place = 0
      while place < choiceCount, fates[place] == Pair.Fate.allCases.count - 1 {
        fates[place] = 0
        place += 1
      }
      guard place < choiceCount else { break }
      fates[place] += 1
    }
    #expect(worldCount == 729)
  }
}
