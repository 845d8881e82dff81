import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

@Suite struct `What waits for the log` {
  let library = DocumentID("library")!
  let other = DocumentID("other")!
  let full = LogError(.unwritable, "The disk is full.")

  static func version(_ counter: UInt64) -> VersionVector {
    VersionVector([VersionVector.Entry(replica: ReplicaID(rawValue: 1), counter: counter)])
  }

  func record(_ counter: UInt64, of document: DocumentID, byteCount: Int = 10) -> LogRecord {
    LogRecord(
      document: document, replica: ReplicaID(rawValue: 1), firstCounter: counter, lastCounter: counter,
      bytes: [UInt8](repeating: 0, count: byteCount))
  }

  /// With both documents open.
  func pipeline(_ policy: LogPipeline.Policy = LogPipeline.Policy()) -> LogPipeline {
    var pipeline = LogPipeline(policy)
    pipeline.open(library, at: VersionVector())
    pipeline.open(other, at: VersionVector())
    return pipeline
  }

  @discardableResult
  func write(_ counter: UInt64, to document: DocumentID, _ pipeline: inout LogPipeline, byteCount: Int = 10) -> Int? {
    defer { pipeline.note(Self.version(counter), of: document) }
    return pipeline.enqueue([record(counter, of: document, byteCount: byteCount)], in: document)
  }

  /// The next job, in words; nobody writes during it.
  func next(_ pipeline: inout LogPipeline, isCut: Bool = true) -> String? {
    pipeline.next(
      version: { _ in Self.version(9) }, isWriting: { _ in !isCut }, cut: { _ in isCut ? Document().cut() : nil }
    ).map(words)
  }

  func words(_ job: LogPipeline.Job) -> String {
    switch job {
    case .keepWriters(let bindings): "keep \(bindings.count) writers"
    case .append(let group):
      (["append"] + group.records.map { "\($0.document)\($0.lastCounter)" }).joined(separator: " ")
    case .forget(let document): "forget \(document)"
    case .rememberGenerations: "generations"
    case .compact(let document, .cut, _, let states): "compact \(document) \(states)"
    case .compact(let document, .writtenDown(let snapshot), _, _): "store \(document) \(snapshot.bytes.count)"
    case .compactAged(let document, _): "age \(document)"
    case .rememberMembers(let document, _): "members \(document)"
    case .giveUpRefused(let document): "give up \(document)"
    case .retract(let document, let retraction): "retract \(document) \(retraction.records.map(\.lastCounter))"
    case .rememberLeases(let document, let record): "leases \(document) \(record.entries.count)"
    case .probe: "probe"
    }
  }

  func words(_ effects: [LogPipeline.Effect]) -> [String] {
    effects.map { effect in
      switch effect {
      case .relieved(let document, let byteCount): "relieved \(document) \(byteCount)"
      case .dropped(let document, let count): "dropped \(document) \(count)"
      case .durable(let document): "durable \(document)"
      case .appended(let document): "appended \(document)"
      case .forgotten(let document): "forgotten \(document)"
      case .tell(_, let document): "tell \(document)"
      case .writtenAgain(let document, _): "again \(document)"
      case .failed(_, let isNews, let isLost): "failed\(isNews ? ", news" : "")\(isLost ? ", lost" : "")"
      case .recovered(let outage): "recovered \(outage)"
      }
    }
  }

  // MARK: Groups

  @Test func `is handed over again as the replica closes, for as long as the log takes some of it`() {
    var pipeline = pipeline()
    #expect(!pipeline.mayTakeMore(than: 1), "nothing waits")
    write(1, to: library, &pipeline)
    #expect(!pipeline.mayTakeMore(than: 0), "it took nothing")
    #expect(pipeline.mayTakeMore(than: 1))
    #expect(pipeline.begins(now: .zero) && next(&pipeline) == "append library1")
    _ = pipeline.failed(full, now: .zero)
    #expect(!pipeline.mayTakeMore(than: 1), "it failed")
  }

  @Test func `is appended together, and what comes during that is the next group`() {
    var pipeline = pipeline()
    #expect(pipeline.begins(now: .zero) == false)
    #expect(write(1, to: library, &pipeline) == 10)
    write(1, to: other, &pipeline)
    #expect(pipeline.begins(now: .zero) == true)
    #expect(pipeline.begins(now: .zero) == false, "somebody is at it")
    #expect(next(&pipeline) == "append library1 other1")
    write(2, to: library, &pipeline)
    #expect(
      words(pipeline.done(now: .zero)) == [
        "relieved library 10", "relieved other 10", "durable library", "appended library", "durable other",
        "appended other",
      ])
    #expect(pipeline[library].durable == Self.version(1))
    #expect(pipeline[library].unlogged.map(\.lastCounter) == [2])
    #expect(next(&pipeline) == "append library2")
    _ = pipeline.done(now: .zero)
    #expect(next(&pipeline) == nil)
    #expect(pipeline.isWhole)
    #expect(pipeline.begins(now: .zero) == false)
  }

  @Test func `takes turns with what the log is told beside`() {
    var pipeline = pipeline()
    pipeline.remember([LogMember](), of: other)
    _ = pipeline.remember([], of: library, saying: nil, all: [])
    pipeline.mustStoreGenerations = true
    write(1, to: library, &pipeline)
    #expect(pipeline.begins(now: .zero) == true)
    var order: [String] = []
    while let job = next(&pipeline) {
      order.append(job)
      _ = pipeline.done(now: .zero)
      if order.count < 3 { write(UInt64(order.count + 1), to: library, &pipeline) }
    }
    #expect(
      order == ["generations", "append library1 library2", "members other", "append library3", "leases library 0"])
  }

  @Test func `waits for whose the ids are under which it was written`() {
    var pipeline = pipeline()
    write(1, to: library, &pipeline)
    pipeline.keep(WriterBinding(replica: ReplicaID(rawValue: 1), name: "ada", boundAt: 1))
    #expect(pipeline.begins(now: .zero) == true)
    #expect(next(&pipeline) == "keep 1 writers")
    #expect(words(pipeline.done(now: .zero)) == [])
    #expect(next(&pipeline) == "append library1")
  }

  @Test func `waits for the members that include its own id, and those go first`() {
    var pipeline = pipeline()
    pipeline.remember([], of: other)
    pipeline.remember([], of: library)
    write(1, to: library, &pipeline)
    #expect(pipeline.begins(now: .zero) == true)
    #expect(next(&pipeline) == "members library")
    _ = pipeline.done(now: .zero)
    #expect(next(&pipeline) == "append library1")
  }

  @Test func `stays in memory while an answer reads the log`() {
    var pipeline = pipeline()
    write(1, to: library, &pipeline)
    pipeline.beginReading(library)
    #expect(pipeline.begins(now: .zero) == true)
    _ = next(&pipeline)
    _ = pipeline.done(now: .zero)
    #expect(pipeline.recordsInMemory(of: library).map(\.lastCounter) == [1])
    pipeline.endReading(library)
    #expect(pipeline.recordsInMemory(of: library) == [])
  }

  // MARK: States

  @Test func `waits for a state on which it may stand`() {
    var pipeline = pipeline()
    write(1, to: library, &pipeline)
    pipeline.mergedState(in: library, adopting: StoredSnapshot(version: Self.version(5), bytes: [1, 2, 3]))
    write(1, to: other, &pipeline)
    #expect(pipeline.begins(now: .zero) == true)
    #expect(next(&pipeline) == "store library 3")
    #expect(words(pipeline.done(now: .zero)) == ["durable library"])
    #expect(next(&pipeline) == "append library1 other1")
  }

  @Test func `waits while a transaction keeps a state from being cut, and holds up nobody else`() {
    var pipeline = pipeline()
    pipeline.mergedState(in: library, adopting: StoredSnapshot(version: VersionVector(), bytes: []))
    pipeline.mergedState(in: library)
    write(1, to: library, &pipeline)
    write(1, to: other, &pipeline)
    #expect(pipeline.begins(now: .zero) == true)
    #expect(next(&pipeline, isCut: false) == "append other1", "the bytes that came are outdated")
    _ = pipeline.done(now: .zero)
    #expect(next(&pipeline, isCut: false) == nil)
    #expect(!pipeline.isWhole)
    #expect(pipeline.begins(now: .zero) == true)
    #expect(next(&pipeline) == "compact library 2")
    pipeline.mergedState(in: library)
    pipeline.wroteDown(StoredSnapshot(version: Self.version(1), bytes: []))
    _ = pipeline.done(now: .zero)
    #expect(next(&pipeline) == "compact library 3", "one that was merged since is not in it")
  }

  // MARK: Failures

  @Test func `waits again in its order where the log refused`() {
    var pipeline = pipeline()
    write(1, to: library, &pipeline)
    #expect(pipeline.begins(now: .zero) == true)
    _ = next(&pipeline)
    write(2, to: library, &pipeline)
    #expect(words(pipeline.failed(full, now: .seconds(1))) == ["failed, news"])
    #expect(next(&pipeline) == nil)
    #expect(pipeline.begins(now: .seconds(1)) == false)
    #expect(pipeline.begins(now: .seconds(2)) == true)
    #expect(next(&pipeline) == "append library1 library2")
    #expect(words(pipeline.failed(full, now: .seconds(2))) == ["failed"])
    #expect(pipeline.begins(now: .seconds(3)) == true)
    _ = next(&pipeline)
    #expect(
      words(pipeline.done(now: .seconds(4))) == [
        "recovered 3.0 seconds", "relieved library 20", "durable library", "appended library",
      ])
    #expect(pipeline.failure == nil)
  }

  @Test func `is told again beside records too, unless something newer is`() {
    var pipeline = pipeline()
    pipeline.mustStoreGenerations = true
    pipeline.remember([LogMember(store: StoreID(rawValue: 1), acknowledged: VersionVector(), heardAt: 1)], of: library)
    _ = pipeline.remember(
      [LogLease(replica: ReplicaID(rawValue: 1), number: 1, counter: 0, holder: nil, user: nil)], of: library,
      saying: nil,
      all: [])
    #expect(pipeline.forget(other) == true)
    var order: [String] = []
    var now = Duration.zero
    var refused: Set<String> = []
    while pipeline.begins(now: now) {
      while let job = next(&pipeline) {
        order.append(job)
        if refused.insert(job).inserted { _ = pipeline.failed(full, now: now) } else { _ = pipeline.done(now: now) }
      }
      now += .seconds(10)
    }
    #expect(
      order == [
        "forget other", "forget other", "generations", "generations", "members library", "members library",
        "leases library 1", "leases library 1",
      ])
  }

  @Test func `is nothing, and the log is asked whether it works`() {
    var pipeline = pipeline()
    #expect(words(pipeline.failed(full, now: .zero)) == ["failed, news"])
    #expect(pipeline.promiseError?.message.contains("tried again") == true)
    #expect(pipeline.begins(now: .seconds(1)) == true)
    #expect(next(&pipeline) == "probe")
    #expect(words(pipeline.done(now: .seconds(1))) == ["recovered 1.0 seconds"])
    #expect(next(&pipeline) == nil)
    #expect(pipeline.commitCount == 0)
  }

  @Test func `is given up with a log that cannot work again`() {
    var pipeline = pipeline()
    write(1, to: other, &pipeline)
    #expect(pipeline.begins(now: .zero) == true)
    _ = next(&pipeline)
    let broken = LogError(.corrupt, "Damaged.")
    #expect(
      words(pipeline.failed(broken, now: .zero)) == ["failed, news, lost", "relieved library 0", "relieved other 10"])
    #expect(pipeline.isLost && pipeline.promiseError?.message == "Damaged.")
    #expect(write(2, to: other, &pipeline) == nil)
    #expect(pipeline[other].unlogged == [])
    #expect(pipeline.begins(now: .seconds(1000)) == false)
  }

  @Test func `is given up at once where the log is not to be tried again`() {
    var pipeline = pipeline(LogPipeline.Policy(isRetried: false))
    #expect(words(pipeline.failed(full, now: .zero)).first == "failed, news, lost")
  }

  @Test func `is dropped past the bound, and the state is stored in its place`() {
    var pipeline = pipeline(LogPipeline.Policy(backlogByteCountMax: 100))
    #expect(pipeline.boundBacklog(of: library, byteCount: 1000).isEmpty, "the log works")
    _ = pipeline.failed(full, now: .zero)
    write(1, to: library, &pipeline, byteCount: 199)
    #expect(pipeline.boundBacklog(of: library, byteCount: 199).isEmpty)
    write(2, to: library, &pipeline, byteCount: 1)
    #expect(words(pipeline.boundBacklog(of: library, byteCount: 200)) == ["dropped library 2", "relieved library 200"])
    write(3, to: library, &pipeline)
    #expect(pipeline.begins(now: .seconds(1)) == true)
    #expect(next(&pipeline) == "compact library 1")
    pipeline.wroteDown(StoredSnapshot(version: Self.version(2), bytes: []))
    _ = pipeline.done(now: .seconds(1))
    #expect(next(&pipeline) == "append library3")
  }

  /// Nobody else brings it to a peer that takes no states from here.
  @Test func `is kept past the bound where it was written here and nobody else has it`() {
    var pipeline = pipeline(LogPipeline.Policy(backlogByteCountMax: 100))
    _ = pipeline.failed(full, now: .zero)
    let own: LogPipeline.OwnCounters = { _ in [ReplicaID(rawValue: 1): 1] }
    write(1, to: library, &pipeline, byteCount: 150)
    write(2, to: library, &pipeline, byteCount: 150)
    #expect(
      words(pipeline.boundBacklog(of: library, byteCount: 300, keeping: own)) == [
        "dropped library 1", "relieved library 150",
      ])
    #expect(pipeline[library].unlogged.map(\.lastCounter) == [2])
    write(3, to: library, &pipeline, byteCount: 199)
    #expect(pipeline.boundBacklog(of: library, byteCount: 349, keeping: own).isEmpty, "what was kept does not count")
    write(4, to: library, &pipeline, byteCount: 1)
    #expect(pipeline.boundBacklog(of: library, byteCount: 350, keeping: own).isEmpty)
    #expect(words(pipeline.failed(full, now: .seconds(1), keeping: own)) == ["failed"])
    #expect(pipeline.begins(now: .seconds(10)) == true)
    #expect(next(&pipeline) == "compact library 1")
    let job = pipeline.bringOwn([ReplicaID(rawValue: 1)])
    #expect(job.map(words) == "compact library 1")
    pipeline.wroteDown(StoredSnapshot(version: Self.version(4), bytes: []))
    _ = pipeline.done(now: .seconds(10))
    #expect(next(&pipeline) == "append library2 library3 library4", "the cut of an empty document holds none of them")
  }

  @Test func `of all documents together is bounded with each failure, the heaviest first`() {
    var pipeline = pipeline(LogPipeline.Policy(backlogByteCountMax: 100))
    write(1, to: library, &pipeline, byteCount: 150)
    for number in 0..<3 {
      let document = DocumentID("more-\(number)")!
      pipeline.open(document, at: VersionVector())
      write(1, to: document, &pipeline, byteCount: 120)
    }
    #expect(words(pipeline.failed(full, now: .zero)) == ["dropped library 1", "relieved library 150", "failed, news"])
  }

  @Test func `does not fail with a compaction that only saves space`() {
    let policy = LogPipeline.Policy(compaction: Compaction.Policy(compactionByteCountMin: 5))
    var pipeline = pipeline(policy)
    write(1, to: library, &pipeline)
    #expect(pipeline.begins(now: .zero) == true)
    _ = next(&pipeline)
    _ = pipeline.done(now: .zero)
    #expect(next(&pipeline) == "compact library 0")
    pipeline.wroteDown(StoredSnapshot(version: Self.version(1), bytes: [1]))
    #expect(words(pipeline.failed(full, now: .zero)) == [])
    #expect(pipeline.failure == nil)
    #expect(next(&pipeline) == nil, "it is tried again once the records weigh twice as much")
    write(2, to: library, &pipeline, byteCount: 11)
    #expect(pipeline.begins(now: .zero) == true)
    #expect(next(&pipeline) == "append library2")
    _ = pipeline.done(now: .zero)
    #expect(next(&pipeline) == "compact library 0")
  }

  // MARK: Forgetting

  @Test func `goes with its document, also where it is under way`() {
    var pipeline = pipeline()
    write(1, to: library, &pipeline)
    write(1, to: other, &pipeline)
    #expect(pipeline.begins(now: .zero) == true)
    _ = next(&pipeline)
    #expect(pipeline.forget(library) == true)
    #expect(pipeline.forget(library) == false)
    #expect(write(2, to: library, &pipeline) == nil)
    #expect(words(pipeline.failed(full, now: .zero)) == ["failed, news"])
    #expect(pipeline.begins(now: .seconds(1)) == true)
    #expect(next(&pipeline) == "forget library")
    #expect(words(pipeline.done(now: .seconds(1))) == ["recovered 1.0 seconds", "forgotten library"])
    #expect(next(&pipeline) == "append other1")
    #expect(pipeline[other].unlogged.count == 1)
  }

  // MARK: Leases

  @Test func `tells at once what is stored already, and the rest once it is`() {
    var pipeline = pipeline()
    let answer = LeaseRecord.Answer(
      peer: PeerHandle(rawValue: 1), holder: LeaseTable.Holder(store: StoreID(rawValue: 1), user: nil), answer: .nothing
    )
    #expect(pipeline.remember(nil, of: library, saying: answer, all: []) != nil)
    #expect(pipeline.remember([], of: library, saying: answer, all: []) == nil)
    #expect(pipeline.begins(now: .zero) == true)
    #expect(next(&pipeline) == "leases library 0")
    #expect(pipeline.remember(nil, of: library, saying: answer, all: []) == nil, "it may rest on what is being stored")
    #expect(words(pipeline.done(now: .zero)) == ["tell library"])
    #expect(next(&pipeline) == "leases library 0")
    #expect(words(pipeline.done(now: .zero)) == ["tell library"])
  }

  // MARK: Changes that are written again

  @Test func `is held up by changes that are taken back`() {
    var pipeline = pipeline()
    write(1, to: library, &pipeline)
    write(2, to: library, &pipeline)
    pipeline.refused(ReplicaID(rawValue: 1), beyond: 1, own: [], in: library)
    #expect(pipeline.begins(now: .zero) == true)
    #expect(next(&pipeline) == "give up library")
    let own = LogRecord(
      document: library, replica: ReplicaID(rawValue: 2), firstCounter: 1, lastCounter: 7, bytes: [1])
    let retraction = Retraction(
      beyond: [ReplicaID(rawValue: 1): 1], of: Self.version(2), change: nil, version: Self.version(1),
      replica: ReplicaID(rawValue: 2))
    #expect(pipeline.giveUp(retraction, in: library, appending: [own]) == -9)
    #expect(retraction.givenUp == [Retraction.GivenUp(replica: ReplicaID(rawValue: 1), counters: 2...2)])
    #expect(pipeline.isRetracting(library) && pipeline.recordsInMemory(of: library) == [])
    _ = pipeline.done(now: .zero)
    _ = pipeline.enqueue([record(9, of: library)], in: library)
    #expect(next(&pipeline) == "retract library [1, 7]")
    #expect(words(pipeline.failed(full, now: .zero)) == ["failed, news"])
    #expect(pipeline.begins(now: .seconds(1)) == true)
    #expect(next(&pipeline) == "retract library [1, 7]")
    #expect(
      words(pipeline.done(now: .seconds(1))) == [
        "recovered 1.0 seconds", "relieved library 11", "again library", "durable library",
      ])
    #expect(!pipeline.isRetracting(library))
    #expect(next(&pipeline) == "append library9")
  }

  // MARK: Worlds

  /// Whatever the log refuses: each record is accepted once, in its order, or a later state stands in its place.
  @Test(arguments: 0..<300) func `is accepted once and in its order`(_ seed: Int) {
    var chance = Chance(seed: UInt64(seed))
    var pipeline = pipeline(LogPipeline.Policy(backlogByteCountMax: 40))
    var written: [DocumentID: UInt64] = [library: 0, other: 0]
    var stored: [DocumentID: UInt64] = [library: 0, other: 0]
    var waiting: [DocumentID: Int] = [library: 0, other: 0]
    var now = Duration.zero
    var cutAt: UInt64 = 0

    func note(_ effects: [LogPipeline.Effect]) {
      for case .relieved(let document, let byteCount) in effects { waiting[document, default: 0] -= byteCount }
    }
    func happen() {
      let document = chance.below(2) == 0 ? library : other
      switch chance.below(6) {
      case 0: pipeline.remember([], of: document)
      case 1: pipeline.mergedState(in: document)
      case 2: _ = pipeline.remember([], of: document, saying: nil, all: [])
      default:
        written[document, default: 0] += 1
        waiting[document, default: 0] += write(written[document]!, to: document, &pipeline) ?? 0
        note(pipeline.boundBacklog(of: document, byteCount: waiting[document]!))
      }
    }
    for step in 0..<120 {
      let refuses = step < 100 && chance.below(3) == 0
      if step < 100 { happen() }
      now += .milliseconds(chance.below(4000))
      guard pipeline.begins(now: now) else { continue }
      while let job = pipeline.next(
        version: { Self.version(written[$0]!) }, isWriting: { _ in false },
        cut: {
          cutAt = written[$0]!
          return Document().cut()
        })
      {
        // Something comes in between, but not without end.
        if step < 100, chance.below(3) == 0 { happen() }
        if case .compact(_, .cut, _, _) = job {
          pipeline.wroteDown(StoredSnapshot(version: Self.version(cutAt), bytes: []))
        }
        if refuses {
          note(pipeline.failed(full, now: now))
          continue
        }
        switch job {
        case .append(let group):
          for record in group.records where record.lastCounter > stored[record.document]! {
            #expect(record.lastCounter == stored[record.document]! + 1, "a record is missing before it")
            stored[record.document] = record.lastCounter
          }
        case .compact(let document, _, _, _): stored[document] = max(stored[document]!, cutAt)
        default: break
        }
        note(pipeline.done(now: now))
        for document in [library, other] {
          #expect(pipeline[document].durable[ReplicaID(rawValue: 1)] <= stored[document]!)
        }
      }
      now += .seconds(1)
    }
    #expect(stored == written)
    #expect(waiting == [library: 0, other: 0])
    #expect(pipeline.isWhole)
  }
}

/// Numbers that a seed repeats.
struct Chance {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

  mutating func below(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }
}
