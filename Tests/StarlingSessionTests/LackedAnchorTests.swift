import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

@Suite struct `Who lacks an anchor that was collected` {
  private let anchor = Dot(ReplicaID(rawValue: 7), 3)

  private func lack(_ follower: inout Follower, _ anchors: [Dot]? = nil) -> [DocumentSession.Effect] {
    follower.session.lackAnchors(
      anchors ?? [anchor], from: follower.first, version: follower.version, now: follower.now)
  }

  private func answer(_ follower: inout Follower, _ sender: Sender, _ request: UInt32, withState: Bool)
    -> [DocumentSession.Effect]
  {
    var effects: [DocumentSession.Effect] = []
    for part in withState ? sender.parts(request: request, of: 1000) : [] {
      effects += follower.session.receive(part, from: follower.first, now: follower.now)
    }
    return effects
      + follower.session.receive(
        sender.resume(request: request), from: follower.first, version: sender.version, now: follower.now)
  }

  @Test func `asks for the state at once, and no more once it came`() {
    var follower = Follower()
    var sender = Sender()
    _ = sender.write(1)
    follower.join(follower.first, sender)
    let asked = lack(&follower).wants
    #expect(asked.map(\.wantsState) == [true])
    let effects = answer(&follower, sender, asked[0].request, withState: true)
    #expect(effects.states.count == 1 && effects.wants.isEmpty)
    #expect(follower.tick(after: .seconds(60)).wants.isEmpty)
    #expect(follower.session.isFollowing(follower.first))
  }

  @Test func `names no more anchors than a message may`() {
    var follower = Follower()
    var sender = Sender()
    _ = sender.write(1)
    let asked = follower.session.follow(
      follower.first, version: follower.version, isTrustedWithState: false, now: follower.now
    ).wants
    _ = follower.receiveAnswer(of: sender, request: asked[0].request, from: follower.first)
    let anchors = (1...2 * UInt64(Message.Want.lackingCountMax)).map { Dot(ReplicaID(rawValue: 7), $0) }
    #expect(lack(&follower, anchors).wants.map(\.lacking.count) == [Message.Want.lackingCountMax])
  }

  @Test func `lets an ask under way end first`() {
    var follower = Follower()
    var sender = Sender()
    _ = sender.write(1)
    let asked = follower.follow(follower.first).wants
    #expect(asked.map(\.wantsState) == [false])
    #expect(lack(&follower).isEmpty)
    let next = answer(&follower, sender, asked[0].request, withState: false).wants
    #expect(next.map(\.wantsState) == [true])
  }

  @Test func `asks again after some patience where no state came`() {
    var follower = Follower()
    var sender = Sender()
    _ = sender.write(1)
    follower.join(follower.first, sender)
    let request = lack(&follower).wants[0].request
    #expect(answer(&follower, sender, request, withState: false).wants.isEmpty)
    #expect(lack(&follower).isEmpty)
    #expect(!follower.session.isCaughtUp)
    #expect(follower.tick(after: .milliseconds(90)).wants.isEmpty)
    #expect(follower.tick(after: .seconds(5)).wants.map(\.wantsState) == [true])
  }

  @Test func `refuses what stands on an anchor that the state came without`() {
    var follower = Follower()
    var sender = Sender()
    _ = sender.write(1)
    follower.join(follower.first, sender)
    for count in 1...3 as ClosedRange<UInt64> {
      let other = Dot(ReplicaID(rawValue: 7), 10 + count)
      let request = lack(&follower, [anchor, other]).wants.map(\.request)
      #expect(request.count == 1)
      _ = answer(&follower, sender, request[0], withState: true)
      let again = lack(&follower, [anchor, other])
      #expect(again.wants.isEmpty && again.refusals.map(\.code) == [.malformed])
      #expect(again.refusals.allSatisfy { $0.explanation.contains("\(anchor)") })
    }
    #expect(follower.tick(after: .seconds(60)).wants.isEmpty)
    // A peer that is met again is believed again.
    _ = follower.session.forget(follower.first, version: follower.version, now: follower.now)
    follower.join(follower.first, sender)
    #expect(lack(&follower).wants.map(\.wantsState) == [true])
  }

  @Test func `asks for no more anchors than anybody may make up`() {
    var follower = Follower()
    var sender = Sender()
    _ = sender.write(1)
    follower.join(follower.first, sender)
    let invented = (0..<5000 as Range<UInt64>).map { Dot(ReplicaID(rawValue: 9), $0 + 1) }
    let asked = lack(&follower, invented).wants
    _ = answer(&follower, sender, asked[0].request, withState: true)
    #expect(lack(&follower, [Dot(ReplicaID(rawValue: 9), 6000)]).refusals.count == 1)
  }
}

@Suite struct `Who lacks an anchor of a peer from which no states are taken` {
  private let anchor = Dot(ReplicaID(rawValue: 7), 3)

  private func begin() -> (follower: Follower, sender: Sender) {
    var (follower, sender) = (Follower(), Sender())
    _ = sender.write(1)
    let asked = follower.session.follow(
      follower.first, version: follower.version, isTrustedWithState: false, now: follower.now)
    _ = follower.session.receive(
      sender.resume(request: asked.wants[0].request), from: follower.first, version: sender.version, now: follower.now)
    return (follower, sender)
  }

  private func lack(_ follower: inout Follower) -> [DocumentSession.Effect] {
    follower.session.lackAnchors([anchor], from: follower.first, version: follower.version, now: follower.now)
  }

  private func answer(_ follower: inout Follower, _ sender: Sender, _ request: UInt32, withPaths: Bool)
    -> [DocumentSession.Effect]
  {
    var effects: [DocumentSession.Effect] = []
    if withPaths {
      let paths = Message.Changes(document: follower.session.document, request: request, batch: Batch.encode([]))
      effects += follower.session.receive(paths: paths, from: follower.first, now: follower.now)
    }
    return effects
      + follower.session.receive(
        sender.resume(request: request), from: follower.first, version: sender.version, now: follower.now)
  }

  @Test func `asks for the path at once, and never for the state`() {
    var (follower, sender) = begin()
    let asked = lack(&follower).wants
    #expect(asked.map(\.wantsState) == [false] && asked.map(\.lacking) == [[anchor]])
    let effects = answer(&follower, sender, asked[0].request, withPaths: true)
    #expect(effects.contains { if case .adopt = $0 { true } else { false } } && effects.wants.isEmpty)
    #expect(follower.tick(after: .seconds(60)).wants.isEmpty)
    #expect(follower.session.isFollowing(follower.first))
  }

  @Test func `asks a few times with patience between, and then refuses`() {
    var (follower, sender) = begin()
    var asked = lack(&follower).wants
    for count in 1...4 {
      #expect(asked.map(\.lacking) == [[anchor]])
      _ = answer(&follower, sender, asked[0].request, withPaths: true)
      let effects = lack(&follower)
      #expect(effects.wants.isEmpty && effects.refusals.count == (count == 4 ? 1 : 0))
      asked = follower.tick(after: .seconds(60)).wants
    }
    #expect(asked.isEmpty)
  }

  @Test func `takes no path that it did not ask for`() {
    var (follower, sender) = begin()
    let paths = Message.Changes(document: follower.session.document, request: 1, batch: Batch.encode([]))
    #expect(follower.session.receive(paths: paths, from: follower.first, now: follower.now).isEmpty)
    // One that knows nothing of paths answers without: it is asked again after a while.
    let asked = lack(&follower).wants
    #expect(answer(&follower, sender, asked[0].request, withPaths: false).wants.isEmpty)
    #expect(follower.tick(after: .seconds(60)).wants.map(\.lacking) == [[anchor]])
  }
}
