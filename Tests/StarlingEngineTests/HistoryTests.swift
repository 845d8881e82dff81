import StarlingCore
import StarlingEngine
import Testing

extension Node {
  func page(
    _ order: HistoryOrder = .newestFirst, from cursor: HistoryCursor? = nil, atMost count: Int = 100,
    isDetailed: Bool = false
  ) throws -> HistoryPage {
    try world.perform { [engine] in
      try await engine.historyPage(
        of: Node.library, order, from: cursor, atMost: count, isDetailed: isDetailed)
    }
  }

  func history(_ order: HistoryOrder) throws -> [ChangeSummary] {
    try world.perform { [engine] in
      var changes: [ChangeSummary] = []
      for try await change in engine.history(of: Node.library, order) { changes.append(change) }
      return changes
    }
  }

  func at(_ version: VersionVector) throws -> HistoricDocument {
    try world.perform { [engine] in try await engine.document(Node.library, at: version) }
  }

  func expectError(
    _ code: HistoryError.Code, at version: VersionVector, _ words: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: HistoryError.self, sourceLocation: sourceLocation) { try at(version) }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    for word in words { #expect(error?.message.contains(word) == true, sourceLocation: sourceLocation) }
  }
}

extension HistoricDocument {
  func value(of key: Key = "title") -> Value? {
    if case .value(let value, _) = visible(key, in: .root) { value } else { nil }
  }
}

@Suite struct `History` {
  @Test func `says who wrote what and when, in both directions`() throws {
    let world = World()
    let ada = try world.node("ada")
    let bob = try world.node("bob", dialling: ["ada"])
    let (adas, bobs) = (try ada.open(), try bob.open())
    adas.set(1)
    try ada.flush(.received(1))
    world.run(for: .seconds(5))
    bobs.beginTransaction()
    bobs.set(2)
    bobs.set(3, for: "pages")
    bobs.endTransaction(message: "Correct the proofs")
    try bob.flush(.received(1))
    let newest = try ada.page(isDetailed: true)
    #expect(newest.next == nil && newest.beginning.isEmpty)
    #expect(newest.changes.map(\.writer) == [bobs.replica, adas.replica])
    #expect(newest.changes.map(\.operationCount) == [2, 1])
    #expect(newest.changes.map(\.message) == ["Correct the proofs", nil])
    #expect(newest.changes[0].touched?.map(\.path) == [["title"], ["pages"]])
    #expect(newest.changes[0].milliseconds >= newest.changes[1].milliseconds + 5000)
    #expect(newest.changes[0].version == adas.version)
    #expect((newest.changes[0].first.counter, newest.changes[0].last.counter) == (1, 2))
    for order in [HistoryOrder.oldestFirst, .newestFirst] {
      let changes = try bob.history(order)
      #expect(changes.map(\.last) == (order == .newestFirst ? newest.changes : newest.changes.reversed()).map(\.last))
      #expect(changes.allSatisfy { $0.touched == nil })
    }
  }

  @Test func `has pages of any size, each going on where the one before ended`() throws {
    let world = World()
    let node = try world.node("ada")
    let handle = try node.open()
    for value in 1...10 as ClosedRange<Int64> {
      handle.set(value)
      if value.isMultiple(of: 4) { try node.flush(.durable) }
    }
    for order in [HistoryOrder.oldestFirst, .newestFirst] {
      let counters = order == .oldestFirst ? Array(1...10 as ClosedRange<UInt64>) : (1...10).reversed()
      for count in 1...11 {
        var cursor: HistoryCursor?
        var read: [ChangeSummary] = []
        repeat {
          let page = try node.page(order, from: cursor, atMost: count)
          #expect(page.changes.count <= count && !page.changes.isEmpty)
          read += page.changes
          cursor = page.next
        } while cursor != nil
        #expect(read.map(\.last.counter) == counters, "pages of \(count)")
        #expect(read.map { $0.version[handle.replica] } == counters)
      }
    }
  }

  @Test func `has what was written before it is asked for, and nothing twice that comes in between`() throws {
    let world = World()
    let node = try world.node("ada")
    let handle = try node.open()
    for value in 1...4 as ClosedRange<Int64> { handle.set(value) }
    let first = try node.page(.newestFirst, atMost: 2)
    #expect(first.changes.map(\.last.counter) == [4, 3])
    handle.set(5)
    try node.flush(.durable)
    let second = try node.page(.newestFirst, from: first.next, atMost: 9)
    #expect(second.changes.map(\.last.counter) == [2, 1] && second.next == nil)
  }

  @Test func `begins where the log was compacted, and says so`() throws {
    let world = World()
    let node = try world.node("ada") { $0.history = .stateOnly(byteCountMin: 300) }
    let handle = try node.open()
    var versions: [VersionVector] = []
    for value in 1...100 as ClosedRange<Int64> {
      handle.set(value)
      try node.flush(.durable)
      versions.append(handle.version)
    }
    let page = try node.page(.oldestFirst)
    #expect(!page.beginning.isEmpty && page.beginning != handle.version)
    #expect(page.changes.first?.first.counter == page.beginning[handle.replica] + 1)
    #expect(try node.history(.newestFirst).map(\.last) == page.changes.map(\.last).reversed())
    node.expectError(.forgotten, at: versions[0], "\(page.beginning)", "the state alone")
    #expect(try node.at(page.beginning).value() == .integer(Int64(page.beginning[handle.replica])))
  }
}

@Suite struct `A document at a version` {
  /// Two writers who hear of each other now and then; every version that one of them ever stood at.
  @Test func `is what it was, for every change of its history`() throws {
    let world = World()
    let ada = try world.node("ada")
    let bob = try world.node("bob", dialling: ["ada"])
    let (adas, bobs) = (try ada.open(), try bob.open())
    var past: [(VersionVector, Snapshot)] = []
    for value in 1...12 as ClosedRange<Int64> {
      adas.set(value, for: value.isMultiple(of: 3) ? "pages" : "title")
      past.append((adas.version, try #require(adas.cut()?.snapshot())))
      if value.isMultiple(of: 2) { bobs.set(-value) }
      if value.isMultiple(of: 5) { world.run(for: .seconds(1)) }
    }
    world.run(for: .seconds(3))
    #expect(adas.version == bobs.version)
    for (version, snapshot) in past {
      for node in [ada, bob] {
        let then = try node.at(version)
        #expect(then.version == version)
        #expect(then.digest() == (try Document(snapshot)).digest())
      }
    }
    for change in try bob.history(.newestFirst) {
      #expect(try bob.at(change.version).version == change.version)
    }
    #expect(try ada.at(VersionVector()).keys(in: .root).isEmpty)
  }

  @Test func `is refused where it has not come, and where nobody ever stood`() throws {
    let world = World()
    let node = try world.node("ada")
    let handle = try node.open()
    handle.beginTransaction()
    handle.set(1)
    handle.set(2, for: "pages")
    handle.endTransaction(message: nil)
    var version = handle.version
    version[handle.replica] = 3
    node.expectError(.notHere, at: version, "has not come")
    version[handle.replica] = 1
    node.expectError(.inBetween, at: version, "cuts a transaction in two")
  }

  @Test func `tells what differs from another`() throws {
    let world = World()
    let node = try world.node("ada")
    let handle = try node.open()
    handle.set(1)
    let former = try node.at(handle.version)
    handle.set(2)
    handle.set(3, for: "pages")
    let present = try world.perform { [engine = node.engine] in try await engine.present(of: Node.library) }
    let difference = former.difference(to: present)
    #expect(difference.entries.map(\.key) == ["pages", "title"])
    #expect(present.difference(to: present).isEmpty)
  }
}

@Suite struct `Restoring a document` {
  @Test func `makes it look as it did, for everybody, as a change with a message`() throws {
    let world = World()
    let ada = try world.node("ada")
    let bob = try world.node("bob", dialling: ["ada"])
    let (adas, bobs) = (try ada.open(), try bob.open())
    adas.set(1)
    adas.set(7, for: "pages")
    try ada.flush(.received(1))
    let then = adas.version
    adas.set(2)
    bobs.set(3, for: "price")
    world.run(for: .seconds(2))
    let seen = Box<[Patch]>([])
    adas.onPatch { patch in seen.change { $0.append(patch) } }
    try world.perform { [engine = ada.engine] in
      try await engine.restore(Node.library, to: then, message: "Back to the first edition")
    }
    world.run(for: .seconds(2))
    #expect(bobs.value() == .integer(1) && bobs.value(of: "pages") == .integer(7) && bobs.value(of: "price") == nil)
    #expect(adas.digest() == bobs.digest())
    #expect(seen.value.flatMap(\.entries).map(\.key).sorted() == ["price", "title"])
    let last = try #require(try bob.page(isDetailed: true).changes.first)
    #expect(last.message == "Back to the first edition" && last.operationCount == 2)
  }

  @Test func `writes nothing where more differs than a change may hold`() throws {
    let world = World()
    let node = try world.node("ada")
    let handle = try node.open()
    let text = Value.string(String(repeating: "x", count: 9 << 20))
    for key in ["a", "b"] as [Key] {
      handle.write { document, patch in document.set(text, for: key, in: .root, patch: &patch) }
    }
    let then = handle.version
    handle.write { document, patch in
      document.remove("a", in: .root, patch: &patch)
      document.remove("b", in: .root, patch: &patch)
      document.set(.integer(1), for: "c", in: .root, patch: &patch)
    }
    let (version, digest) = (handle.version, handle.digest())
    let error = #expect(throws: OversizedWrite.self) {
      try world.perform { [engine = node.engine] in try await engine.restore(Node.library, to: then) }
    }
    #expect(error?.part == .transactionBytes)
    #expect(handle.version == version && handle.digest() == digest)
    handle.set(2)
    #expect(handle.value() == .integer(2))
  }

  @Test func `to the present writes nothing`() throws {
    let world = World()
    let node = try world.node("ada")
    let handle = try node.open()
    handle.set(1)
    let version = handle.version
    try world.perform { [engine = node.engine] in try await engine.restore(Node.library, to: version) }
    #expect(handle.version == version)
  }
}

@Suite struct `A fork` {
  @Test(arguments: [ReplicaEngine.MergeForm.changes, .state])
  func `goes its own way, and comes back for everybody`(form: ReplicaEngine.MergeForm) throws {
    let world = World()
    let ada = try world.node("ada")
    let bob = try world.node("bob", dialling: ["ada"])
    let (adas, bobs) = (try ada.open(), try bob.open())
    adas.set(1)
    let fork = try world.perform { [engine = ada.engine] in try await engine.fork(Node.library) }
    #expect(fork.replica != adas.replica && fork.base == adas.version)
    fork.handle.set(2, for: "pages")
    adas.set(3, for: "price")
    world.run(for: .seconds(2))
    #expect(bobs.value(of: "pages") == nil && fork.handle.value(of: "price") == nil)
    for value in 1...2 as ClosedRange<Int64> {
      fork.handle.set(value, for: "weight")
      try world.perform { [engine = ada.engine] in try await engine.merge(fork, as: form) }
    }
    try ada.flush(.durable)
    world.run(for: .seconds(3))
    #expect(bobs.value() == .integer(1) && bobs.value(of: "pages") == .integer(2))
    #expect(bobs.value(of: "price") == .integer(3) && bobs.value(of: "weight") == .integer(2))
    #expect(adas.version == bobs.version && adas.digest() == bobs.digest())
    let writers = try ada.history(.oldestFirst).map(\.writer)
    #expect(writers.contains(fork.replica) == (form == .changes))
  }

  /// What it moves was removed and forgotten in the document, which takes no state of it: a relay would not either.
  @Test func `that rests on what was forgotten is written again for everybody, and goes on under another id`() throws {
    let world = World()
    let ada = try world.node("ada")
    let bob = try world.node("bob", dialling: ["ada"])
    let (adas, bobs) = (try ada.open(), try bob.open())
    let child = adas.write { document, patch in
      let child = document.assignObject(.map, for: "child", in: .root, patch: &patch)
      document.set(.integer(7), for: "a", in: child, patch: &patch)
      return child
    }
    let fork = try world.perform { [engine = ada.engine] in try await engine.fork(Node.library) }
    let former = fork.replica
    _ = try fork.handle.write { document, patch in
      let list = document.declare(.list, for: "items", in: .root)
      return Result { try document.place(child, at: 0, in: list, patch: &patch) }
    }.get()
    adas.write { $0.remove("child", in: .root, patch: &$1) }
    // Until all that know of the document have merged the removal: then nothing is kept of the object.
    world.run(for: .seconds(4))
    for value in 1...2 as ClosedRange<Int64> {
      fork.handle.set(value, for: "pages")
      try world.perform { [engine = ada.engine] in try await engine.merge(fork) }
    }
    try ada.flush(.durable)
    world.run(for: .seconds(3))
    for handle in [adas, bobs, fork.handle] {
      #expect(handle.value(of: "pages") == .integer(2))
      let items = handle.read { $0.count(in: .derived(parent: .root, key: "items", kind: .list)) }
      #expect(items == 1)
    }
    #expect(adas.version == bobs.version && adas.digest() == bobs.digest())
    #expect(fork.replica != former && adas.version[former] == 0)
    // Nothing but changes, from the first on: no state came in between.
    #expect(try ada.page(.oldestFirst).beginning == VersionVector())
    #expect(try ada.history(.oldestFirst).map(\.writer) == [adas.replica, adas.replica, adas.replica, fork.replica])
  }

  /// Members forget a removal at different moments; what the fork moves is still here at some, and gone elsewhere.
  @Test(arguments: Array(stride(from: 0, through: 3000, by: 50)))
  func `that rests on what others may have forgotten comes to everybody`(pause: Int) throws {
    let world = World()
    let ada = try world.node("ada")
    let bob = try world.node("bob", dialling: ["ada"])
    let (adas, bobs) = (try ada.open(), try bob.open())
    let child = adas.write { $0.assignObject(.map, for: "child", in: .root, patch: &$1) }
    let fork = try world.perform { [engine = ada.engine] in try await engine.fork(Node.library) }
    _ = try fork.handle.write { document, patch in
      let list = document.declare(.list, for: "items", in: .root)
      return Result { try document.place(child, at: 0, in: list, patch: &patch) }
    }.get()
    adas.write { $0.remove("child", in: .root, patch: &$1) }
    world.run(for: .milliseconds(pause))
    try world.perform { [engine = ada.engine] in try await engine.merge(fork) }
    world.run(for: .seconds(5))
    #expect(adas.version == bobs.version && adas.digest() == bobs.digest())
    #expect(bobs.read { $0.count(in: .derived(parent: .root, key: "items", kind: .list)) } == 1)
  }

  @Test func `that would be written again is not while a transaction is open, and is afterwards`() throws {
    let world = World()
    let node = try world.node("ada")
    let handle = try node.open()
    let child = handle.write { $0.assignObject(.map, for: "child", in: .root, patch: &$1) }
    let fork = try world.perform { [engine = node.engine] in try await engine.fork(Node.library) }
    _ = try fork.handle.write { document, patch in
      let people = document.declare(.dictionary, for: "people", in: .root)
      return Result { try document.place(child, for: "a", in: people, patch: &patch) }
    }.get()
    handle.write { $0.remove("child", in: .root, patch: &$1) }
    world.run(for: .seconds(4))
    handle.beginTransaction()
    let version = handle.version
    let error = #expect(throws: HistoryError.self) {
      try world.perform { [engine = node.engine] in try await engine.merge(fork) }
    }
    #expect(error?.code == .transactionOpen && handle.version == version)
    handle.endTransaction(message: nil)
    try world.perform { [engine = node.engine] in try await engine.merge(fork) }
    let people = ObjectID.derived(parent: .root, key: "people", kind: .dictionary)
    #expect(handle.read { $0.keys(in: people) } == ["a"])
  }

  @Test func `of a past version begins there`() throws {
    let world = World()
    let node = try world.node("ada")
    let handle = try node.open()
    handle.set(1)
    let then = try node.at(handle.version)
    handle.set(2)
    let fork = try world.perform { [engine = node.engine] in await engine.fork(then) }
    #expect(fork.handle.value() == .integer(1))
    fork.handle.set(3)
    try world.perform { [engine = node.engine] in try await engine.merge(fork) }
    // Neither saw the other: both stand, and the later one shows.
    #expect(handle.read { $0.entries("title", in: .root).count } == 2)
  }

  @Test func `cannot be taken while a transaction is open`() throws {
    let world = World()
    let node = try world.node("ada")
    let handle = try node.open()
    handle.beginTransaction()
    handle.set(1)
    let error = #expect(throws: HistoryError.self) {
      try world.perform { [engine = node.engine] in try await engine.fork(Node.library) }
    }
    #expect(error?.code == .transactionOpen)
    handle.endTransaction(message: nil)
  }

  @Test func `is refused where what it stands on has not come`() throws {
    let world = World()
    let (ada, bob) = (try world.node("ada"), try world.node("bob"))
    let handle = try ada.open()
    _ = try bob.open()
    handle.set(1)
    let fork = try world.perform { [engine = ada.engine] in try await engine.fork(Node.library) }
    fork.handle.set(2)
    let error = #expect(throws: HistoryError.self) {
      try world.perform { [engine = bob.engine] in try await engine.merge(fork) }
    }
    #expect(error?.code == .notHere)
  }
}
