import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

@Suite struct `What is outstanding of a peer's answers` {
  let first = DocumentID("first")!
  let second = DocumentID("second")!
  /// Of a part of 100 bytes.
  let weight = 100 + AnswerFlow.partByteCount
  var flow = AnswerFlow()

  init() {
    flow.begin(first, request: 1, now: .zero)
    flow.begin(second, request: 1, now: .zero)
  }

  mutating func take(_ byteCount: Int, of document: DocumentID, request: UInt32 = 1, now: Duration = .zero) {
    flow.take(Message.Credit(document: document, request: request, byteCount: UInt64(byteCount)), now: now)
  }

  @Test mutating func `is what was sent and not taken, of all documents together`() {
    flow.send(AnswerFlow.windowByteCount - 2 * AnswerFlow.partByteCount - 1, of: first)
    #expect(flow.hasCapacity)
    flow.send(1, of: second)
    #expect(!flow.hasCapacity)
    take(2, of: first)
    #expect(flow.hasCapacity)
    #expect(flow.outstanding == AnswerFlow.windowByteCount - 2)
  }

  @Test mutating func `counts parts too, since a queue holds only so many`() {
    var count = 0
    while flow.hasCapacity {
      flow.send(1, of: first)
      count += 1
    }
    #expect(count <= 512)
  }

  @Test mutating func `does not shrink by what was never sent, or is said of another answer`() {
    flow.send(100, of: first)
    take(50, of: first, request: 2)
    take(50, of: second)
    #expect(flow.outstanding == weight)
    take(.max, of: first)
    #expect(flow.outstanding == 0)
    flow.take(Message.Credit(document: first, request: 1, byteCount: .max), now: .zero)
    #expect(flow.outstanding == 0)
  }

  @Test mutating func `does not grow by a credit that comes late`() {
    flow.send(100, of: first)
    take(80, of: first)
    take(20, of: first)
    #expect(flow.outstanding == weight - 80)
  }

  @Test mutating func `goes with an answer whose place another takes`() {
    flow.send(100, of: first)
    flow.begin(first, request: 2, now: .zero)
    #expect(flow.outstanding == 0)
    #expect(!flow.isUnderWay(first, request: 1))
    #expect(flow.isUnderWay(first, request: 2))
  }

  @Test mutating func `stays after the end of an answer until that is taken`() {
    flow.send(100, of: first)
    flow.end(first)
    #expect(!flow.isUnderWay(first, request: 1))
    #expect(flow.outstanding == weight)
    take(weight, of: first)
    #expect(flow.outstanding == 0)
  }

  @Test mutating func `is given up once nothing was taken for long`() {
    flow.send(100, of: first)
    take(10, of: first, now: .seconds(5))
    let early = flow.giveUp(now: AnswerFlow.patience + .seconds(4))
    #expect(!early)
    let late = flow.giveUp(now: AnswerFlow.patience + .seconds(5))
    #expect(late)
    #expect(flow.outstanding == 0)
    #expect(!flow.isUnderWay(first, request: 1))
    // It has nothing outstanding, and waits for credit perhaps.
    #expect(flow.isUnderWay(second, request: 1))
  }
}

@Suite struct `Who asked` {
  var follower = Follower()
  var sender = Sender()

  @Test mutating func `says what it took at the end of an answer`() {
    _ = sender.write(1)
    let request = follower.follow(follower.first).wants[0].request
    let batch = sender.batch(request: request)
    #expect(follower.session.receive(batch, from: follower.first, now: .zero).credits.isEmpty)
    let end = follower.session.receive(
      sender.resume(request: request), from: follower.first, version: VersionVector(), now: .zero)
    #expect(end.credits == [UInt64(batch.batch.count + AnswerFlow.partByteCount)])
  }

  @Test mutating func `says nothing of an answer that brought nothing`() {
    let request = follower.follow(follower.first).wants[0].request
    let end = follower.session.receive(
      sender.resume(request: request), from: follower.first, version: VersionVector(), now: .zero)
    #expect(end.credits.isEmpty)
  }

  @Test mutating func `says what it took of a long answer before its end, counted from its beginning`() {
    let request = follower.follow(follower.first).wants[0].request
    let size = UInt64(AnswerFlow.creditByteCount)
    let half = [UInt8](repeating: 1, count: AnswerFlow.creditByteCount / 2 - AnswerFlow.partByteCount)
    var credits: [UInt64] = []
    for number in 0..<5 as Range<UInt64> {
      let part = Message.SnapshotPart(
        document: Sender.document, request: request, checksum: 1, offset: number * UInt64(half.count),
        byteCount: 100 * size,
        bytes: half)
      credits += follower.session.receive(part, from: follower.first, now: .zero).credits
    }
    #expect(credits == [size, 2 * size])
  }
}

@Suite struct `A state that was cut off` {
  var follower = Follower()
  var sender = Sender()

  init() {
    for value in 1...20 as ClosedRange<Int64> { _ = sender.write(value, for: .integer(value)) }
  }

  /// Receives the first parts of an answer by the first peer, and loses it.
  mutating func begin(partCount: Int) -> [DocumentSession.Effect] {
    let request = follower.follow(follower.first).wants[0].request
    for part in sender.parts(request: request, of: 10).prefix(partCount) {
      _ = follower.session.receive(part, from: follower.first, now: .zero)
    }
    _ = follower.session.forget(follower.first, version: VersionVector(), now: .zero)
    return follower.follow(follower.second)
  }

  @Test mutating func `is gone on with by whoever has the same`() throws {
    let want = try #require(begin(partCount: 3).wants.first)
    let parts = sender.parts(request: want.request, of: 10)
    #expect(want.begun == Message.BegunState(checksum: parts[0].checksum, byteCount: 30))
    let states = parts.dropFirst(3).flatMap { follower.session.receive($0, from: follower.second, now: .zero).states }
    #expect(states == [sender.content.snapshot()])
  }

  @Test mutating func `frees capacity for another`() throws {
    let want = try #require(begin(partCount: 3).wants.first)
    _ = sender.write(7, for: "more")
    let parts = sender.parts(request: want.request, of: 10)
    let effects = parts.flatMap { follower.session.receive($0, from: follower.second, now: .zero) }
    #expect(effects.states == [sender.content.snapshot()])
    #expect(effects.refusals.isEmpty)
  }

  @Test mutating func `is dropped once an answer came without it`() throws {
    let want = try #require(begin(partCount: 3).wants.first)
    _ = follower.receiveAnswer(of: sender, request: want.request, from: follower.second)
    #expect(follower.follow(follower.first).wants.map(\.begun) == [nil])
  }

  @Test mutating func `is not gone on with where the state is asked for as it is now`() throws {
    let asked = follower.follow(follower.first).wants[0].request
    _ = follower.session.lackAnchors(
      [Dot(sender.replica, 1)], from: follower.first, version: VersionVector(), now: .zero)
    _ = follower.session.receive(
      sender.parts(request: asked, of: 10)[0], from: follower.first, now: .zero)
    // The answer stays away, and is asked for again.
    let again = follower.tick(after: .seconds(60)).wants
    #expect(again.map(\.wantsState) == [true])
    #expect(again.map(\.begun) == [nil])
  }
}
