import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

/// One document that follows two senders, by a clock that the test holds.
struct Follower {
  let first = PeerHandle(rawValue: 1)
  let second = PeerHandle(rawValue: 2)
  var session = DocumentSession(document: Sender.document, policy: Follower.policy)
  var content = Document()
  var gate = CausalGate()
  var now = Duration.zero

  static let policy = DocumentSession.Policy(patience: .milliseconds(100), answerTimeout: .seconds(1))

  var version: VersionVector { content.version }

  mutating func follow(_ peer: PeerHandle) -> [DocumentSession.Effect] {
    session.follow(peer, version: version, now: now)
  }

  mutating func tick(after delay: Duration = .zero) -> [DocumentSession.Effect] {
    now += delay
    return session.tick(version: version, now: now)
  }

  /// Merges what the session says.
  mutating func merge(_ changes: [Change]) {
    var patch = Patch()
    for change in changes { _ = try? gate.receive(change, into: &content, patch: &patch) }
  }

  mutating func receive(_ frame: PublishedFrame, from peer: PeerHandle) -> Heard {
    var contributions = Contributions()
    let outcome = session.receive(frame, from: peer, version: version, now: now, into: &contributions)
    let changes = contributions.take().flatMap(\.changes)
    merge(changes)
    return Heard(outcome: outcome, merging: changes)
  }

  @discardableResult
  mutating func receive(_ have: Message.Have, from peer: PeerHandle) -> [DocumentSession.Effect] {
    session.receive(have, from: peer, version: version, now: now)
  }

  /// Takes a whole answer.
  mutating func receiveAnswer(of sender: Sender, request: UInt32, from peer: PeerHandle) -> [DocumentSession.Effect] {
    if !sender.changes.isEmpty {
      merge(session.receive(sender.batch(request: request), from: peer, now: now).merged)
    }
    let effects = session.receive(sender.resume(request: request), from: peer, version: version, now: now)
    merge(effects.merged)
    return effects
  }

  /// Follows a peer and joins its stream.
  mutating func join(_ peer: PeerHandle, _ sender: Sender) {
    let asked = follow(peer).wants
    _ = receiveAnswer(of: sender, request: asked[0].request, from: peer)
  }
}

@Suite struct `Asking` {
  var follower = Follower()
  var sender = Sender()

  @Test mutating func `begins when a peer is followed, with what we hold`() {
    var own = Sender(replica: 9)
    _ = own.write(1)
    follower.merge(own.changes)
    let wants = follower.follow(follower.first).wants
    #expect(wants.map(\.version) == [own.version])
    #expect(wants.map(\.document) == [Sender.document])
    #expect(!follower.session.isFollowing(follower.first))
  }

  @Test mutating func `is of one peer at a time while that answers soon, in the order in which they came`() {
    let third = PeerHandle(rawValue: 3)
    let request = follower.follow(follower.first).wants[0].request
    #expect(follower.follow(follower.second).isEmpty)
    #expect(follower.follow(third).isEmpty)
    #expect(follower.tick(after: .milliseconds(60)).isEmpty)
    let next = follower.receiveAnswer(of: sender, request: request, from: follower.first)
    #expect(next.asked == [follower.second])
    #expect(follower.receiveAnswer(of: sender, request: next.wants[0].request, from: follower.second).asked == [third])
  }

  @Test mutating func `numbers its requests`() {
    let first = follower.follow(follower.first).wants[0].request
    let second = follower.follow(follower.first).wants[0].request
    #expect(first != second)
  }

  @Test mutating func `goes on to the next peer when the one asked is gone`() {
    _ = follower.follow(follower.first)
    _ = follower.follow(follower.second)
    #expect(follower.session.forget(follower.first, version: VersionVector(), now: .zero).asked == [follower.second])
  }

  @Test mutating func `passes over peers that are gone before their turn`() {
    let request = follower.follow(follower.first).wants[0].request
    _ = follower.follow(follower.second)
    #expect(follower.session.forget(follower.second, version: VersionVector(), now: .zero).isEmpty)
    #expect(follower.receiveAnswer(of: sender, request: request, from: follower.first).asked.isEmpty)
  }

  @Test mutating func `goes on to the next peer when no answer comes, and comes back`() {
    _ = follower.follow(follower.first)
    _ = follower.follow(follower.second)
    #expect(follower.tick(after: .milliseconds(62)).isEmpty)
    #expect(follower.tick(after: .milliseconds(1)).asked == [follower.second], "beside the first, which is silent")
    #expect(follower.tick(after: .milliseconds(936)).isEmpty)
    #expect(follower.tick(after: .milliseconds(1)).asked == [follower.first])
    #expect(follower.tick(after: .milliseconds(63)).asked == [follower.second])
    #expect(follower.session.statistics.timeouts == 2)
    #expect(follower.session.statistics.pulls == 4)
  }

  @Test mutating func `waits twice as long after each silence, up to eight times`() {
    _ = follower.follow(follower.first)
    for seconds in [1, 2, 4, 8, 8, 8] {
      #expect(follower.tick(after: .seconds(seconds) - .milliseconds(1)).isEmpty, "after \(seconds) s")
      #expect(follower.tick(after: .milliseconds(1)).asked == [follower.first], "after \(seconds) s")
    }
  }

  @Test mutating func `brings no rest until it was answered, or was in vain for long`() {
    #expect(follower.session.isIdle)
    let request = follower.follow(follower.first).wants[0].request
    #expect(!follower.session.isIdle)
    _ = follower.receiveAnswer(of: sender, request: request, from: follower.first)
    #expect(follower.session.isIdle)
    // Somebody is ahead, though nothing is asked yet.
    _ = sender.write(1)
    follower.receive(sender.have(), from: follower.first)
    #expect(!follower.session.isIdle)
    var silent = Follower()
    _ = silent.follow(silent.first)
    for seconds in [1, 2, 4] {
      #expect(!silent.session.isIdle)
      #expect(silent.tick(after: .seconds(seconds)).asked == [silent.first])
    }
    #expect(silent.session.isIdle)
    // It is asked again all the same, whoever looks.
    #expect(silent.tick(after: .seconds(8)).asked == [silent.first])
  }

  @Test mutating func `gives an answer more time with each part that comes`() {
    _ = sender.write(1)
    let request = follower.follow(follower.first).wants[0].request
    follower.now += .milliseconds(900)
    _ = follower.session.receive(sender.batch(request: request), from: follower.first, now: follower.now)
    #expect(follower.tick(after: .milliseconds(900)).isEmpty)
    #expect(follower.tick(after: .milliseconds(100)).asked == [follower.first])
  }
}

@Suite struct `A peer that speaks of the document` {
  var follower = Follower()
  var sender = Sender()

  @Test mutating func `is asked at once beside those who never did, also if it was asked in vain before`() {
    let others = (3...8).map { PeerHandle(rawValue: $0) }
    for peer in others { _ = follower.follow(peer) }
    _ = follower.follow(follower.first)
    #expect(follower.receive(sender.have(), from: follower.first).asked == [follower.first])
    #expect(follower.receive(sender.have(), from: follower.first).asked.isEmpty)
    var late = Follower()
    #expect(late.follow(late.first).asked == [late.first])
    late.now += .milliseconds(30)
    #expect(late.receive(sender.have(), from: late.first).isEmpty, "an answer may be on its way")
    let wants = late.tick(after: .milliseconds(250)).wants
    #expect(wants.count == 1)
    _ = sender.write(1)
    _ = late.receiveAnswer(of: sender, request: wants[0].request, from: late.first)
    #expect(late.content.version == sender.version)
  }

  @Test mutating func `is asked before one that failed`() {
    #expect(follower.follow(follower.first).asked == [follower.first])
    follower.receive(Sender(replica: 2).have(), from: follower.first)
    #expect(follower.tick(after: .seconds(1)).asked == [follower.first], "asked in vain before")
    _ = follower.tick(after: .seconds(1))
    _ = sender.write(1)
    #expect(follower.follow(follower.second).asked == [follower.second])
  }

  @Test mutating func `hands over a state though another began to send one`() {
    for value in 1...20 as ClosedRange<Int64> { _ = sender.write(value, for: .integer(value)) }
    var other = Sender(replica: 2)
    for value in 1...20 as ClosedRange<Int64> { _ = other.write(value, for: .integer(value)) }
    let first = follower.follow(follower.first).wants[0].request
    _ = follower.follow(follower.second)
    let second = follower.tick(after: .milliseconds(63)).wants[0].request
    let theirs = sender.parts(request: first, of: 10)
    let others = other.parts(request: second, of: 10)
    var states: [Snapshot] = []
    for (part, another) in zip(theirs, others) {
      states += follower.session.receive(part, from: follower.first, now: follower.now).states
      let effects = follower.session.receive(another, from: follower.second, now: follower.now)
      #expect(effects.refusals.isEmpty)
      states += effects.states
    }
    for part in theirs.dropFirst(others.count) {
      states += follower.session.receive(part, from: follower.first, now: follower.now).states
    }
    #expect(states == [sender.content.snapshot()])
  }
}

@Suite struct `An answer` {
  var follower = Follower()
  var sender = Sender()

  @Test mutating func `brings changes, and hands over the stream`() {
    _ = sender.write(1)
    follower.join(follower.first, sender)
    #expect(follower.content.version == sender.version)
    #expect(follower.session.isFollowing(follower.first))
    #expect(follower.session.isCaughtUp)
    let frame = sender.write(2)
    #expect(follower.receive(frame, from: follower.first).changes == [sender.changes.last!])
  }

  @Test mutating func `brings a state, in parts`() throws {
    for value in 1...20 as ClosedRange<Int64> { _ = sender.write(value, for: .integer(value)) }
    let request = follower.follow(follower.first).wants[0].request
    var states: [Snapshot] = []
    for part in sender.parts(request: request, of: 10) {
      states += follower.session.receive(part, from: follower.first, now: .zero).states
    }
    #expect(states == [sender.content.snapshot()])
  }

  @Test mutating func `that nobody waits for is passed over`() {
    _ = sender.write(1)
    let request = follower.follow(follower.first).wants[0].request
    #expect(follower.session.receive(sender.batch(request: request &+ 1), from: follower.first, now: .zero).isEmpty)
    #expect(follower.session.receive(sender.batch(request: request), from: follower.second, now: .zero).isEmpty)
    #expect(follower.session.receive(sender.parts(request: 99, of: 10)[0], from: follower.first, now: .zero).isEmpty)
    #expect(follower.receiveAnswer(of: sender, request: request &+ 1, from: follower.first).isEmpty)
    #expect(!follower.session.isFollowing(follower.first))
  }

  @Test mutating func `is used once`() {
    let request = follower.follow(follower.first).wants[0].request
    _ = follower.receiveAnswer(of: sender, request: request, from: follower.first)
    _ = sender.write(1)
    #expect(follower.session.receive(sender.batch(request: request), from: follower.first, now: .zero).isEmpty)
  }

  @Test mutating func `with a batch that cannot be read is refused`() {
    let request = follower.follow(follower.first).wants[0].request
    let bad = Message.Changes(document: Sender.document, request: request, batch: [0xFF, 0xFF])
    let refusals = follower.session.receive(bad, from: follower.first, now: .zero).refusals
    #expect(refusals.map(\.code) == [.malformed])
    #expect(refusals[0].explanation.contains("library"))
  }

  @Test mutating func `with a state that cannot be read is refused`() {
    let request = follower.follow(follower.first).wants[0].request
    let bad = Message.SnapshotPart(
      document: Sender.document, request: request, checksum: ([255, 255] as [UInt8]).checksum, offset: 0, byteCount: 2,
      bytes: [255, 255])
    #expect(follower.session.receive(bad, from: follower.first, now: .zero).refusals.map(\.code) == [.malformed])
  }

  @Test mutating func `with a state that is too large is refused before anything is kept`() {
    let request = follower.follow(follower.first).wants[0].request
    let large = Message.SnapshotPart(
      document: Sender.document, request: request, checksum: 1, offset: 0,
      byteCount: SnapshotAssembly.byteCountMax + 1, bytes: [])
    #expect(follower.session.receive(large, from: follower.first, now: .zero).refusals.map(\.code) == [.tooLarge])
  }

  @Test mutating func `with a hole in its state is refused once`() {
    for value in 1...20 as ClosedRange<Int64> { _ = sender.write(value, for: .integer(value)) }
    let request = follower.follow(follower.first).wants[0].request
    var parts = sender.parts(request: request, of: 10)
    parts.remove(at: 1)
    let effects = parts.flatMap { follower.session.receive($0, from: follower.first, now: .zero) }
    #expect(effects.refusals.map(\.code) == [.malformed])
    #expect(effects.states.isEmpty)
  }

  @Test mutating func `whose beginning was lost brings no state, and no refusal`() {
    for value in 1...20 as ClosedRange<Int64> { _ = sender.write(value, for: .integer(value)) }
    let request = follower.follow(follower.first).wants[0].request
    let parts = sender.parts(request: request, of: 10).dropFirst()
    #expect(parts.flatMap { follower.session.receive($0, from: follower.first, now: .zero) }.isEmpty)
  }

  @Test mutating func `with tables that cannot be read is refused, and not asked for again at once`() {
    let request = follower.follow(follower.first).wants[0].request
    var resume = sender.resume(request: request)
    resume.tables = [0xFF]
    let effects = follower.session.receive(resume, from: follower.first, version: VersionVector(), now: .zero)
    #expect(effects.refusals.map(\.code) == [.malformed])
    #expect(effects.asked.isEmpty)
    #expect(!follower.session.isFollowing(follower.first))
    #expect(follower.tick(after: .seconds(1)).asked == [follower.first])
  }

  @Test mutating func `that did not bring what it spoke of is asked for again, with patience`() {
    _ = sender.write(1)
    let request = follower.follow(follower.first).wants[0].request
    // The batch was lost; the end of the answer came.
    _ = follower.session.receive(
      sender.resume(request: request), from: follower.first, version: VersionVector(), now: .zero)
    #expect(follower.session.isFollowing(follower.first))
    #expect(follower.tick().isEmpty)
    #expect(!follower.session.isCaughtUp)
    #expect(follower.tick(after: .milliseconds(199)).isEmpty)
    #expect(follower.tick(after: .milliseconds(1)).asked == [follower.first])
  }

  @Test mutating func `takes in the frames that came while it was under way`() {
    _ = sender.write(1)
    let request = follower.follow(follower.first).wants[0].request
    let batch = sender.batch(request: request)
    let resume = sender.resume(request: request)
    let frame = sender.write(2)
    #expect(follower.receive(frame, from: follower.first).isNothing)
    follower.merge(follower.session.receive(batch, from: follower.first, now: .zero).merged)
    let effects = follower.session.receive(resume, from: follower.first, version: follower.version, now: .zero)
    #expect(effects.merged == [sender.changes[1]])
  }

  @Test mutating func `is asked for again where frames are missing among those kept`() {
    let request = follower.follow(follower.first).wants[0].request
    let resume = sender.resume(request: request)
    _ = sender.write(1)
    let second = sender.write(2)
    _ = follower.receive(second, from: follower.first)
    let effects = follower.session.receive(resume, from: follower.first, version: VersionVector(), now: .zero)
    #expect(effects.asked == [follower.first])
    #expect(follower.session.statistics.gaps == 1)
  }
}

@Suite struct `A peer that is followed` {
  var follower = Follower()
  var sender = Sender()

  init() {
    follower.join(follower.first, sender)
  }

  @Test mutating func `is asked at once when its stream has a gap`() {
    _ = sender.write(1)
    let second = sender.write(2)
    #expect(follower.receive(second, from: follower.first).effects.asked == [follower.first])
    #expect(follower.session.statistics.gaps == 1)
    #expect(!follower.session.isFollowing(follower.first))
  }

  @Test mutating func `is asked at once when a frame of it cannot be read`() {
    let frame = sender.write(1).damaged
    #expect(follower.receive(frame, from: follower.first).effects.asked == [follower.first])
  }

  @Test mutating func `is asked at once beside one that has not spoken of the document`() {
    #expect(follower.follow(follower.second).asked == [follower.second])
    _ = sender.write(1)
    let second = sender.write(2)
    #expect(follower.receive(second, from: follower.first).effects.asked == [follower.first])
  }

  @Test mutating func `is asked in its turn when another is delivering`() {
    let asked = follower.follow(follower.second)
    #expect(asked.asked == [follower.second])
    var other = Sender(replica: 2)
    _ = other.write(1, for: "other")
    _ = follower.session.receive(other.batch(request: asked.wants[0].request), from: follower.second, now: follower.now)
    _ = sender.write(1)
    let second = sender.write(2)
    #expect(follower.receive(second, from: follower.first).effects.asked.isEmpty)
    let answer = follower.receiveAnswer(of: Sender(replica: 2), request: asked.wants[0].request, from: follower.second)
    #expect(answer.asked == [follower.first])
  }

  @Test mutating func `is given patience when it says that it is ahead`() {
    _ = sender.write(1)
    follower.receive(sender.have(), from: follower.first)
    #expect(!follower.session.isCaughtUp)
    #expect(follower.tick(after: .milliseconds(99)).isEmpty)
    #expect(follower.tick(after: .milliseconds(1)).asked == [follower.first])
  }

  @Test mutating func `is not asked when its frames come after all`() {
    let frame = sender.write(1)
    follower.receive(sender.have(), from: follower.first)
    _ = follower.tick(after: .milliseconds(50))
    _ = follower.receive(frame, from: follower.first)
    #expect(follower.tick(after: .seconds(5)).isEmpty)
    #expect(follower.session.isCaughtUp)
  }

  @Test mutating func `is asked when its frames are missing though we hold all it holds`() {
    _ = sender.write(1)
    follower.merge(sender.changes)
    follower.receive(sender.have(), from: follower.first)
    #expect(follower.tick(after: .milliseconds(100)).asked == [follower.first])
  }

  @Test mutating func `is asked when it has begun another stream`() {
    let again = Sender(stream: 8)
    follower.receive(again.have(), from: follower.first)
    #expect(follower.tick(after: .milliseconds(100)).asked == [follower.first])
  }

  @Test mutating func `is asked for what a change stands on and nobody sent`() {
    let missing = Dot(ReplicaID(rawValue: 5), 3)
    #expect(
      follower.session.miss([missing], from: follower.first, version: follower.version, now: follower.now).isEmpty)
    #expect(follower.session.version(of: follower.first)?.covers(missing) == true)
    #expect(follower.tick(after: .milliseconds(100)).asked == [follower.first])
  }

  @Test mutating func `is not asked for what has come since`() {
    var other = Sender(replica: 5)
    _ = other.write(1)
    _ = follower.session.miss(
      [Dot(other.replica, 1)], from: follower.first, version: follower.version, now: follower.now)
    follower.merge(other.changes)
    #expect(follower.tick(after: .seconds(1)).isEmpty)
  }

  @Test mutating func `goes on with its stream while it is being asked`() {
    var other = Sender(replica: 5)
    _ = other.write(1)
    _ = follower.session.miss(
      [Dot(other.replica, 1)], from: follower.first, version: follower.version, now: follower.now)
    let wants = follower.tick(after: .milliseconds(100)).wants
    let frame = sender.write(1)
    #expect(follower.receive(frame, from: follower.first).changes?.count == 1)
    _ = follower.session.receive(
      sender.resume(request: wants[0].request), from: follower.first, version: follower.version, now: follower.now)
    let next = sender.write(2)
    #expect(follower.receive(next, from: follower.first).changes?.count == 1)
  }

  @Test mutating func `is not asked twice when a gap shows while it is being asked`() {
    let missing = Dot(ReplicaID(rawValue: 5), 3)
    _ = follower.session.miss([missing], from: follower.first, version: follower.version, now: follower.now)
    let wants = follower.tick(after: .milliseconds(100)).wants
    _ = sender.write(1)
    let second = sender.write(2)
    #expect(follower.receive(second, from: follower.first).isNothing)
    #expect(follower.session.statistics.gaps == 1)
    _ = follower.receiveAnswer(of: sender, request: wants[0].request, from: follower.first)
    #expect(follower.version.covers(sender.version))
    let third = sender.write(3)
    #expect(follower.receive(third, from: follower.first).changes?.count == 1)
  }

  @Test mutating func `is given twice the patience after each answer that did not help, up to a limit`() {
    var ahead = sender.version
    ahead[ReplicaID(rawValue: 5)] = 1
    for factor in [1, 2, 4, 8, 16, 32, 32] {
      follower.receive(
        Message.Have(document: Sender.document, version: ahead, position: nil, digest: nil), from: follower.first)
      _ = follower.tick()
      let patience = Follower.policy.patience * factor
      #expect(follower.tick(after: patience - .milliseconds(1)).isEmpty, "factor \(factor)")
      let wants = follower.tick(after: .milliseconds(1)).wants
      #expect(wants.count == 1, "factor \(factor)")
      var resume = sender.resume(request: wants.first?.request ?? 0)
      resume.version = ahead
      _ = follower.session.receive(resume, from: follower.first, version: follower.version, now: follower.now)
    }
  }

  @Test mutating func `is heard no more once it is gone`() {
    _ = follower.session.forget(follower.first, version: follower.version, now: follower.now)
    let frame = sender.write(1)
    #expect(follower.receive(frame, from: follower.first).isNothing)
    follower.receive(sender.have(), from: follower.first)
    #expect(follower.session.version(of: follower.first) == nil)
    #expect(follower.tick(after: .seconds(5)).isEmpty)
  }

  @Test mutating func `is asked from the beginning when it comes again`() {
    #expect(follower.follow(follower.first).asked == [follower.first])
    #expect(!follower.session.isFollowing(follower.first))
    #expect(follower.session.version(of: follower.first) == VersionVector())
  }
}
