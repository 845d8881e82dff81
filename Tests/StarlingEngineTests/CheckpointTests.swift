import StarlingCore
import StarlingEngine
import StarlingWire
import Testing

@Suite struct `Opening a document` {
  private func node(
    _ world: World, _ log: any ChangeLog, _ configure: (inout EngineConfiguration) -> Void = { _ in }
  ) throws -> Node {
    try world.node("ada", log: log) {
      $0.checkpointByteCountMin = 1000
      configure(&$0)
    }
  }

  private static let keys: [Key] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]

  /// Writes ten keys so often, each write a record of its own.
  private func write(_ count: Int, _ node: Node, _ handle: DocumentHandle) throws {
    for number in 1...count {
      handle.set(Int64(number), for: Self.keys[number % 10])
      try node.flush(.durable)
    }
  }

  @Test(arguments: [EngineConfiguration.History.everything, .days(3)])
  func `replays what came after the latest checkpoint, however long its history is`(
    history: EngineConfiguration.History
  ) throws {
    for count in [500, 1000] {
      for isKilled in [true, false] {
        let world = World()
        let log = MemoryLog(store: StoreID(rawValue: 1), isDurable: true)
        let first = try node(world, log) { $0.history = history }
        let handle = try first.open()
        handle.set(7)
        try first.flush(.durable)
        let beginning = handle.version
        try write(count, first, handle)
        #expect(try first.counters.checkpoints > 3)
        let (version, digest) = (handle.version, handle.digest())
        if isKilled { first.vanish() } else { try first.close() }

        let later = try node(world, log) { $0.history = history }
        let again = try later.open()
        #expect(again.version == version && again.digest() == digest)
        // A record has some thirty bytes.
        #expect(try later.counters.recordsReplayed < 100)
        // All of the history is there behind it.
        #expect(try later.history(.oldestFirst).count == count + 1)
        #expect(try later.at(beginning).value() == .integer(7))
        let bob = try world.node("bob", dialling: ["ada"])
        let bobs = try bob.open()
        #expect(world.run { bobs.version == version })
        #expect(bobs.digest() == digest)
        #expect(try bob.history(.oldestFirst).count == count + 1)
      }
    }
  }

  @Test func `goes on where a former run left off, checkpoint after checkpoint`() throws {
    let world = World()
    let log = MemoryLog(store: StoreID(rawValue: 1), isDurable: true)
    var written = 0
    for run in 1...20 {
      let node = try node(world, log)
      let handle = try node.open()
      #expect(handle.version.operationCount == UInt64(written))
      #expect(try node.counters.recordsReplayed < 100, "run \(run)")
      try write(37, node, handle)
      written += 37
      if run.isMultiple(of: 3) { try node.close() } else { node.vanish() }
    }
  }

  @Test func `reads the whole log where the checkpoint cannot be used, and says so`() throws {
    let world = World()
    let log = MemoryLog(store: StoreID(rawValue: 1), isDurable: true)
    let first = try node(world, log) { $0.checkpointByteCountMin = .max }
    let handle = try first.open()
    try write(30, first, handle)
    let (version, digest) = (handle.version, handle.digest())
    first.vanish()
    let another = Document()
    for bytes in [[1, 2, 3], SnapshotCoding.encode(another.snapshot())] as [[UInt8]] {
      try world.perform {
        _ = try await log.open()
        try await log.checkpoint(
          Node.library, at: StoredSnapshot(version: version, bytes: bytes), recordByteCount: 0)
      }
      let later = try node(world, log) { $0.checkpointByteCountMin = .max }
      let again = try later.open()
      #expect(again.digest() == digest)
      #expect(try later.counters.recordsReplayed == 30)
      #expect(
        later.events.value.contains {
          if case .checkpointUnreadable(Node.library, _) = $0 { true } else { false }
        })
      // Another takes its place at once.
      #expect(world.run { (try? later.counters.checkpoints) == 1 })
      later.vanish()
    }
    let last = try node(world, log)
    #expect(try last.open().digest() == digest)
    #expect(try last.counters.recordsReplayed == 0)
    #expect(last.events.value.isEmpty)
  }

  @Test func `needs no checkpoint where the log keeps the state alone, nor where it keeps nothing`() throws {
    for isDurable in [true, false] {
      let world = World()
      let log = MemoryLog(store: StoreID(rawValue: 1), isDurable: isDurable)
      let node = try node(world, log) { if isDurable { $0.keepStateAlone(byteCountMin: 1000) } }
      let handle = try node.open()
      try write(200, node, handle)
      #expect(try node.counters.checkpoints == 0)
    }
  }

  @Test func `folds what a checkpoint hid once the log is to keep the state alone`() throws {
    let world = World()
    let log = MemoryLog(store: StoreID(rawValue: 1), isDurable: true)
    let first = try node(world, log)
    let handle = try first.open()
    try write(300, first, handle)
    first.vanish()
    let later = try node(world, log) { $0.keepStateAlone(byteCountMin: 1000) }
    let again = try later.open()
    try write(1, later, again)
    #expect(world.run { (try? later.counters.compactions) == 1 })
    #expect(try later.history(.oldestFirst).count <= 1)
    #expect(again.value(of: "b") == .integer(1) && again.value(of: "a") == .integer(300))
  }

  @Test func `finds no checkpoint of what was never acknowledged as durable`() throws {
    let world = World()
    let log = HeldLog(MemoryLog(store: StoreID(rawValue: 1), isDurable: true))
    let node = try node(world, log)
    let handle = try node.open()
    try write(60, node, handle)
    log.holdAppends()
    handle.set(1)
    world.run(for: .seconds(1))
    let before = log.checkpoints.count
    // Records that wait are in no checkpoint.
    for checkpoint in log.checkpoints { #expect(checkpoint.version.operationCount <= 60) }
    log.letThrough()
    try write(60, node, handle)
    #expect(log.checkpoints.count > before)
  }
}
