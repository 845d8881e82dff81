import StarlingCore
import StarlingEngine
import StarlingSession
import StarlingTestSupport
import StarlingWire
import Testing

/// Ada's key "ada" stands for the name "Ada", and "lovelace" for "Lovelace", which is another: what a store wrote under
/// the first name's replica id it may not go on with under the second.
@Suite struct `A writer whose replica id is refused for good` {
  private let world = World()
  private let notes = DocumentID("notes")!
  private let text = ObjectID.derived(parent: .root, key: "text", kind: .text)
  private let list = ObjectID.derived(parent: .root, key: "list", kind: .list)

  private func daemon(_ name: String = "daemon", dialling: [String] = []) throws -> Node {
    try world.node(
      name, dialling: dialling, as: name, log: MemoryLog(isDurable: true)
    ) { configuration in
      configuration.isRelay = true
      configuration.allowlist = { key, _ in
        switch key {
        case "ada": Trust(name: "Ada", role: .writes, documents: [.everything])
        case "lovelace": Trust(name: "Lovelace", role: .writes, documents: [.everything])
        case "bob": Trust(name: "Bob", role: .writes, documents: [.everything])
        default: Trust(name: key, role: .relays, documents: [.everything])
        }
      }
    }
  }

  private func writer(
    as key: String, dialling: [String] = [], log: any ChangeLog,
    _ configure: (inout EngineConfiguration) -> Void = { _ in }
  ) throws -> Node {
    try world.node(key, dialable: false, dialling: dialling, as: key, log: log) { configuration in
      configuration.allowlist = { key, _ in Trust(name: key, role: .relays, documents: [.everything]) }
      configure(&configuration)
    }
  }

  private func edit(_ handle: DocumentHandle, _ body: (inout Document, inout Patch) -> Void) {
    handle.write { document, patch in
      document.declare(.text, for: "text", in: .root)
      document.declare(.list, for: "list", in: .root)
      body(&document, &patch)
    }
  }

  /// Something of every kind that the group holds under Ada's id.
  private func writeFirst(_ handle: DocumentHandle) {
    edit(handle) { document, patch in
      document.set(.integer(1), for: "title", in: .root, patch: &patch)
      document.set(.integer(1), for: "goes", in: .root, patch: &patch)
      document.increment("count", in: .root, by: 5, patch: &patch)
      document.insert("abcdef", at: 0, in: text, patch: &patch)
      _ = document.insert((1...4).map { .integer($0) }, at: 0, in: list, patch: &patch)
    }
  }

  /// What is written under the id afterwards, a change for each.
  private func writeMore(_ handle: DocumentHandle) {
    handle.set(2)
    edit(handle) { $0.increment("count", in: .root, by: 2, patch: &$1) }
    edit(handle) { $0.insert("XY", at: 3, in: text, patch: &$1) }
    edit(handle) { $0.removeItems(0..<1, in: text, patch: &$1) }
    edit(handle) { $0.removeItems(1..<2, in: list, patch: &$1) }
    edit(handle) { $0.remove("goes", in: .root, patch: &$1) }
    edit(handle) { document, patch in
      guard let dot = document.insert([.object(.map)], at: 0, in: list, patch: &patch) else { return }
      document.set(.string("new"), for: "name", in: .assigned(by: dot), patch: &patch)
    }
  }

  private func expectEverything(in handle: DocumentHandle, sourceLocation: SourceLocation = #_sourceLocation) {
    handle.read { document in
      #expect(document.visible("count", in: .root) == .count(7), sourceLocation: sourceLocation)
      #expect(document.text(in: text) == "bcXYdef", sourceLocation: sourceLocation)
      #expect(document.visible("goes", in: .root) == .absent, sourceLocation: sourceLocation)
      let elements = document.elements(in: list)
      #expect(elements.count == 4, sourceLocation: sourceLocation)
      guard let first = elements.first, case .value(.object, let dot) = document.visible(.element(first), in: list)
      else { return #expect(Bool(false), "no object first", sourceLocation: sourceLocation) }
      guard case .value(let name, _) = document.visible("name", in: .assigned(by: dot)) else {
        return #expect(Bool(false), "no name", sourceLocation: sourceLocation)
      }
      #expect(name == .string("new"), sourceLocation: sourceLocation)
    }
    #expect(handle.value() == .integer(2), sourceLocation: sourceLocation)
  }

  /// A store whose id the daemon knows as Ada's, closed in good order.
  private func disk(of daemon: Node) throws -> MemoryLog {
    let disk = MemoryLog(isDurable: true)
    let ada = try writer(as: "ada", dialling: [daemon.name], log: disk)
    for document in [Node.library, notes] {
      let handle = try ada.open(document)
      writeFirst(handle)
      try ada.flush(.replicated(1), document)
    }
    try ada.close()
    return disk
  }

  @Test func `brings what it wrote under the id, once, in all documents, and what it writes afterwards`() throws {
    let daemon = try daemon()
    let kept = [try daemon.open(), try daemon.open(notes)]
    let disk = try disk(of: daemon)
    let later = try writer(as: "lovelace", log: disk)
    let handles = [try later.open(), try later.open(notes)]
    let id = handles[0].replica
    for handle in handles {
      #expect(handle.version[id] > 0)
      writeMore(handle)
    }
    try later.flush(.durable)
    try world.perform { try await later.engine.connect(to: "memory:daemon") }
    #expect(world.run(timeout: .seconds(5)) { kept.allSatisfy { $0.value() == .integer(2) } })
    for (kept, handle) in zip(kept, handles) {
      expectEverything(in: kept)
      #expect(handle.replica != id)
      #expect(world.run(timeout: .seconds(2)) { handle.version == kept.version })
      #expect(handle.digest() == kept.digest())
      handle.set(9, for: "after")
      #expect(world.run(timeout: .seconds(2)) { kept.value(of: "after") == .integer(9) })
      expectEverything(in: handle)
    }
    try later.close()
    let again = try writer(as: "lovelace", dialling: ["daemon"], log: disk).open()
    #expect(again.version == kept[0].version && again.digest() == kept[0].digest())
    world.run(for: .seconds(2))
    expectEverything(in: kept[0])
    #expect(again.digest() == kept[0].digest())
  }

  // MARK: In between

  private func isReported(_ node: Node) -> (again: Int, never: Int) {
    node.events.value.reduce(into: (again: 0, never: 0)) { count, event in
      switch event {
      case .writtenAgain: count.again += 1
      case .disowned: count.never += 1
      default: break
      }
    }
  }

  private func join(_ node: Node, _ name: String = "daemon") throws {
    try world.perform { try await node.engine.connect(to: "memory:\(name)") }
  }

  @Test func `brings also what it wrote on top of that, under an id that it took after a crash`() throws {
    let daemon = try daemon()
    let kept = try daemon.open()
    let disk = try disk(of: daemon)
    let first = try writer(as: "lovelace", log: disk)
    let before = try first.open()
    edit(before) { $0.increment("count", in: .root, by: 2, patch: &$1) }
    edit(before) { $0.insert("XY", at: 3, in: text, patch: &$1) }
    edit(before) { $0.removeItems(0..<1, in: text, patch: &$1) }
    try first.flush(.durable)
    first.vanish()
    let second = try writer(as: "lovelace", log: disk)
    let handle = try second.open()
    #expect(handle.replica != before.replica)
    handle.set(2)
    edit(handle) { $0.removeItems(1..<2, in: list, patch: &$1) }
    edit(handle) { $0.remove("goes", in: .root, patch: &$1) }
    edit(handle) { document, patch in
      guard let dot = document.insert([.object(.map)], at: 0, in: list, patch: &patch) else { return }
      document.set(.string("new"), for: "name", in: .assigned(by: dot), patch: &patch)
    }
    try second.flush(.durable)
    try join(second)
    #expect(world.run(timeout: .seconds(5)) { kept.value() == .integer(2) })
    expectEverything(in: kept)
    #expect(world.run(timeout: .seconds(2)) { handle.version == kept.version })
    #expect(handle.digest() == kept.digest())
    #expect(isReported(second) == (again: 2, never: 0))
  }

  @Test func `brings what it writes while the id is refused, and keeps a transaction whole that is open then`() throws {
    let daemon = try daemon()
    let kept = try daemon.open()
    let later = try writer(as: "lovelace", log: try disk(of: daemon))
    let handle = try later.open()
    edit(handle) { $0.increment("count", in: .root, by: 1, patch: &$1) }
    try later.flush(.durable)
    handle.beginTransaction()
    edit(handle) { $0.increment("count", in: .root, by: 1, patch: &$1) }
    try join(later)
    world.run(for: .seconds(2))
    #expect(kept.read { $0.visible("count", in: .root) } == .count(5))
    writeMore(handle)
    edit(handle) { $0.increment("count", in: .root, by: -2, patch: &$1) }
    handle.endTransaction(message: nil)
    #expect(world.run(timeout: .seconds(5)) { kept.value() == .integer(2) })
    expectEverything(in: kept)
    handle.set(3, for: "after")
    #expect(world.run(timeout: .seconds(3)) { kept.value(of: "after") == .integer(3) })
    #expect(handle.version == kept.version && handle.digest() == kept.digest())
  }

  /// Until the log has taken back what was refused, nobody hears of what takes its place: after a crash it is written
  /// again.
  @Test(arguments: [false, true])
  func `brings it once, whenever its disk fails or its process ends`(crashes: Bool) throws {
    let daemon = try daemon()
    let kept = try daemon.open()
    let disk = try disk(of: daemon)
    let log = HeldLog(disk)
    var later = try writer(as: "lovelace", log: log)
    var handle = try later.open()
    writeMore(handle)
    try later.flush(.durable)
    log.holdRetractions()
    try join(later)
    #expect(world.run(timeout: .seconds(3)) { log.retractionsWaiting > 0 })
    handle.set(5, for: "later")
    world.run(for: .seconds(1))
    #expect(kept.value() == .integer(1) && kept.value(of: "later") == nil)
    if crashes {
      later.vanish()
      later = try writer(as: "lovelace", dialling: ["daemon"], log: disk)
      handle = try later.open()
    } else {
      log.fail(HeldLog.isFull)
      world.run(for: .seconds(1))
      #expect(kept.value() == .integer(1))
      log.mend()
      log.letThrough()
    }
    #expect(world.run(timeout: .seconds(8)) { kept.value() == .integer(2) })
    expectEverything(in: kept)
    #expect(world.run(timeout: .seconds(3)) { kept.version == handle.version })
    #expect(kept.value(of: "later") == (crashes ? nil : .integer(5)))
    #expect(handle.digest() == kept.digest())
    try later.flush(.durable)
    let version = handle.version
    later.vanish()
    let again = try writer(as: "lovelace", log: disk).open()
    #expect(again.version == version && again.digest() == kept.digest())
  }

  @Test func `does not hold up for good what the group may forget`() throws {
    let daemon = try daemon()
    let kept = try daemon.open()
    let later = try writer(as: "lovelace", log: try disk(of: daemon))
    let handle = try later.open()
    writeMore(handle)
    try later.flush(.durable)
    // What is refused is acknowledged before it can be written again.
    handle.beginTransaction()
    try join(later)
    world.run(for: .seconds(3))
    handle.endTransaction(message: nil)
    #expect(world.run(timeout: .seconds(5)) { kept.version == handle.version })
    #expect(
      world.run(timeout: .seconds(10)) {
        let stable = try? world.perform { [engine = daemon.engine] in await engine.stableVersion(of: Node.library) }
        return stable == kept.version
      })
  }

  /// What a reader sees, whatever the names of the elements are.
  private func content(of handle: DocumentHandle) -> [String] {
    handle.read { document in
      let elements = document.elements(in: list).map { element in
        if case .value(let value, _) = document.visible(.element(element), in: list) { "\(value)" } else { "none" }
      }
      let slots = document.keys(in: .root).sorted().map { key in
        switch document.visible(key, in: .root) {
        case .value(let value, _): "\(key) \(value)"
        case .count(let count): "\(key) counts \(count)"
        case .container, .absent: "\(key)"
        }
      }
      return [document.text(in: text)] + elements + slots
    }
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>) func `brings whatever it wrote as it saw it`(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    let daemon = try daemon()
    let kept = try daemon.open()
    let disk = try disk(of: daemon)
    var later = try writer(as: "lovelace", log: disk)
    var handle = try later.open()
    for step in 1...40 as ClosedRange<Int64> {
      let (kind, number) = (dice.roll(8), dice.roll(1000))
      edit(handle) { document, patch in
        let (length, count) = (document.count(in: text), document.count(in: list))
        switch kind {
        case 0: document.set(.integer(step), for: .integer(Int64(number % 4)), in: .root, patch: &patch)
        case 1: document.remove(.integer(Int64(number % 4)), in: .root, patch: &patch)
        case 2: document.increment("count", in: .root, by: Int64(number) - 500, patch: &patch)
        case 3: document.insert("<\(step)>", at: number % (length + 1), in: text, patch: &patch)
        case 4 where length > 2: document.removeItems(number % (length - 1)..<length - 1, in: text, patch: &patch)
        case 5 where count > 0: document.removeItems(number % count..<number % count + 1, in: list, patch: &patch)
        case 6 where count > 1: document.move(from: number % count, to: (number / 7) % count, in: list, patch: &patch)
        default: _ = document.insert([.integer(step)], at: number % (count + 1), in: list, patch: &patch)
        }
      }
      if dice.oneIn(4) { try later.flush(.durable) }
      guard dice.oneIn(15) else { continue }
      try later.flush(.durable)
      later.vanish()
      later = try writer(as: "lovelace", log: disk)
      handle = try later.open()
    }
    try later.flush(.durable)
    let written = content(of: handle)
    try join(later)
    #expect(world.run(timeout: .seconds(5)) { content(of: kept) == written }, "seed \(seed)")
    #expect(world.run(timeout: .seconds(3)) { kept.version == handle.version }, "seed \(seed)")
    #expect(content(of: handle) == written && handle.digest() == kept.digest(), "seed \(seed)")
    #expect(isReported(later).never == 0, "seed \(seed)")
  }

  /// `flush` before, during and after; what it waits for may be given up before that.
  @Test func `tells those who wait for it when it is safe`() throws {
    let daemon = try daemon()
    let kept = try daemon.open()
    let log = HeldLog(try disk(of: daemon))
    let later = try writer(as: "lovelace", log: log)
    let handle = try later.open()
    writeMore(handle)
    try later.flush(.durable)
    log.holdRetractions()
    let early = world.begin { try await later.engine.flush(Node.library, until: .replicated(1)) }
    try join(later)
    #expect(world.run(timeout: .seconds(3)) { log.retractionsWaiting > 0 })
    handle.set(4, for: "later")
    let late = world.begin { try await later.engine.flush(Node.library, until: .durable) }
    world.run(for: .seconds(1))
    #expect(early.value == nil && late.value == nil)
    log.letThrough()
    #expect(world.run(timeout: .seconds(5)) { early.value != nil && late.value != nil })
    try early.value?.get()
    try late.value?.get()
    expectEverything(in: kept)
  }

  // MARK: Where it may be held elsewhere

  @Test func `leaves it to a relay that has it`() throws {
    let daemon = try daemon()
    let kept = try daemon.open()
    let later = try writer(as: "lovelace", log: try disk(of: daemon))
    let handle = try later.open()
    writeMore(handle)
    try later.flush(.durable)
    let relay = try Stranger("relay", dialling: nil, as: "relay", in: world)
    try join(later, "relay")
    world.run(for: .seconds(1))
    relay.say(Stranger.hello(isRelay: true))
    relay.say(
      .have(Message.Have(document: Node.library, version: handle.version, position: nil, digest: nil)))
    try join(later)
    world.run(for: .seconds(3))
    #expect(isReported(later) == (again: 0, never: 0))
    expectEverything(in: handle)
    #expect(kept.value() == .integer(1))
  }

  /// What another process has merged would count twice there.
  @Test(arguments: [false, true])
  func `says which changes the group never takes where another process may hold them`(comesLate: Bool) throws {
    let daemon = try daemon()
    let kept = try daemon.open()
    let later = try world.node("lovelace", as: "lovelace", log: try disk(of: daemon)) { configuration in
      configuration.allowlist = { key, _ in Trust(name: key, role: .relays, documents: [.everything]) }
    }
    let handle = try later.open()
    let id = handle.replica
    let bob = try world.node("bob", dialable: false, as: "bob") { configuration in
      configuration.allowlist = { key, _ in Trust(name: key, role: .relays, documents: [.everything]) }
    }
    let bobs = try bob.open()
    writeMore(handle)
    try later.flush(.durable)
    if comesLate {
      handle.beginTransaction()
      try join(later)
      world.run(for: .seconds(2))
    }
    try join(bob, "lovelace")
    #expect(world.run { bobs.version == handle.version })
    if comesLate { handle.endTransaction(message: nil) } else { try join(later) }
    #expect(world.run(timeout: .seconds(5)) { isReported(later).never == 1 })
    world.run(for: .seconds(3))
    #expect(isReported(later) == (again: 0, never: 1))
    expectEverything(in: handle)
    expectEverything(in: bobs)
    #expect(kept.value() == .integer(1) && handle.replica != id)
  }

  @Test func `says so where its log has compacted them into a state`() throws {
    let daemon = try daemon()
    let kept = try daemon.open()
    let later = try writer(as: "lovelace", log: try disk(of: daemon)) { $0.history = .stateOnly(byteCountMin: 1) }
    let handle = try later.open()
    writeMore(handle)
    try later.flush(.durable)
    #expect(world.run { (try? later.counters.compactions) ?? 0 > 0 })
    try join(later)
    #expect(world.run(timeout: .seconds(5)) { isReported(later).never == 1 })
    world.run(for: .seconds(2))
    #expect(isReported(later) == (again: 0, never: 1) && kept.value() == .integer(1))
    expectEverything(in: handle)
  }
}
