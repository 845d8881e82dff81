import StarlingCore
import StarlingEngine
import StarlingTestSupport
import Testing

@Suite struct `A transaction` {
  private let here = DocumentHandle(id: Node.library, replica: ReplicaID(rawValue: 1)) { 1_000 }

  /// Has another thread run `body`, which writes, while a transaction is open here. Returns once it waits, or has
  /// ended.
  private func elsewhere(_ body: @escaping @Sendable () -> Void) -> Signal {
    let (waiting, isDone) = (here.waitingWriterCount, Box(false))
    let end = onThread {
      body()
      isDone.change { $0 = true }
    }
    #expect(eventually { here.waitingWriterCount > waiting || isDone.value })
    return end
  }

  @Test func `is one change of its own thread, and what another thread writes during it is another`() {
    here.beginTransaction()
    here.set(1)
    let end = elsewhere { [here] in here.set(2, for: "pages") }
    here.set(3)
    here.endTransaction(message: "Rename")
    end.wait()
    let changes = here.takeOutbox()
    #expect(changes.map(\.message) == ["Rename", nil])
    #expect(changes.map(\.operations.count) == [2, 1])
  }

  @Test func `that is taken back tells each place once that it altered, however many it wrote`() {
    here.beginTransaction(canBeTakenBack: true)
    for number in 0..<5_000 { here.set(Int64(number), for: .integer(Int64(number % 2_500))) }
    here.beginTransaction(canBeTakenBack: true)
    here.set(1, for: "pages")
    here.endTransaction(message: nil, canBeTakenBack: true)
    let altered = here.takeBackTransaction { _, _ in }
    #expect(altered.slots.count == 2_501)
    #expect(here.takeOutbox().isEmpty)
  }

  @Test func `of another thread is a change and a step of its own`() throws {
    here.keepHistoryForUndo(limit: UndoHistory.Limit())
    here.beginTransaction()
    here.set(1)
    let end = elsewhere { [here] in
      here.beginTransaction()
      here.set(2, for: "pages")
      here.endTransaction(message: "Count")
    }
    here.endTransaction(message: "Rename")
    end.wait()
    #expect(here.takeOutbox().map(\.message) == ["Rename", "Count"])
    #expect(here.undoSteps.undoName == "Count")
    #expect(try here.undo())
    #expect(here.value() == .integer(1) && here.value(of: "pages") == nil)
    #expect(here.undoSteps.undoName == "Rename")
  }

  @Test func `has another thread's undo wait, and its own refused`() throws {
    here.keepHistoryForUndo(limit: UndoHistory.Limit())
    here.set(1, for: "pages")
    here.beginTransaction()
    here.set(2)
    #expect(try !here.undo())
    let hasUndone = Box(false)
    let end = elsewhere { [here] in hasUndone.change { $0 = (try? here.undo()) ?? false } }
    here.endTransaction(message: nil)
    end.wait()
    #expect(hasUndone.value)
    #expect(here.value() == nil && here.value(of: "pages") == .integer(1))
  }

  @Test func `leaves out of the steps of others what it leaves out of its own`() throws {
    here.keepHistoryForUndo(limit: UndoHistory.Limit())
    here.withoutUndo {
      here.set(1)
      onThread { [here] in here.set(2, for: "pages") }.wait()
    }
    #expect(try here.undo())
    #expect(here.value() == .integer(1) && here.value(of: "pages") == nil)
    #expect(!here.undoSteps.canUndo)
  }

  @Test func `is followed by those that waited, in the order in which they came`() {
    here.beginTransaction()
    here.set(0)
    let ends = (1...4 as ClosedRange<Int64>).map { value in elsewhere { [here] in here.set(value) } }
    here.endTransaction(message: nil)
    for end in ends { end.wait() }
    let values = here.takeOutbox().map { change -> Value? in
      if case .set(let value, _, _) = change.operations[0].action { value } else { nil }
    }
    #expect(values == (0...4).map { .integer($0) })
  }

  @Test func `lets merges through`() {
    let there = DocumentHandle(id: Node.library, replica: ReplicaID(rawValue: 2)) { 1_000 }
    there.set(7, for: "pages")
    here.beginTransaction()
    here.set(1)
    let changes = there.takeOutbox()
    onThread { [here] in here.merge(changes) }.wait()
    #expect(here.value(of: "pages") == .integer(7))
    here.endTransaction(message: nil)
    #expect(here.takeOutbox().map(\.operations.count) == [1])
  }

  @Test func `of any of many threads is whole, and none is lost`() {
    let (threads, rounds) = (8, 200)
    let ends = (0..<threads).map { number in
      onThread { [here] in
        for round in 0..<rounds {
          if round % 4 == 3 {
            here.add(1, to: "alone")
          } else {
            here.beginTransaction()
            here.add(1, to: "count")
            here.set(Int64(number))
            here.add(1, to: "count")
            here.endTransaction(message: "\(number)")
          }
        }
      }
    }
    for end in ends { end.wait() }
    let changes = here.takeOutbox()
    #expect(changes.count == threads * rounds)
    #expect(here.count(of: "count") == Int64(threads * rounds / 4 * 3 * 2))
    #expect(here.count(of: "alone") == Int64(threads * rounds / 4))
    // The title may be the same already.
    #expect(changes.allSatisfy { $0.message == nil ? $0.operations.count == 1 : [2, 3].contains($0.operations.count) })
  }
}

extension DocumentHandle {
  fileprivate func add(_ amount: Int64, to key: Key) {
    write { document, patch in document.increment(key, in: .root, by: amount, patch: &patch) }
  }
}

@Suite struct `Transactions that wait for each other` {
  private func handle(_ name: String, timeout: Duration) -> DocumentHandle {
    DocumentHandle(id: DocumentID(name)!, replica: ReplicaID(rawValue: 1), transactionTimeout: timeout) { 1_000 }
  }

  @Test(arguments: [2, 3]) func `both end, and the one that closed the circle says so`(count: Int) {
    // Nobody waits that long: the circle is seen.
    let handles = (0..<count).map { handle("document-\($0)", timeout: .seconds(3600)) }
    let joined = Box<[JoinedTransaction]>([])
    for handle in handles { handle.onJoinedTransaction { write in joined.change { $0.append(write) } } }
    let open = Box(0)
    let ends = (0..<count).map { number in
      onThread {
        let (own, other) = (handles[number], handles[(number + 1) % count])
        own.beginTransaction()
        own.set(1)
        open.change { $0 += 1 }
        #expect(eventually { open.value == count })
        other.beginTransaction()
        other.set(2, for: "pages")
        other.endTransaction(message: nil)
        own.endTransaction(message: "Own")
      }
    }
    for end in ends { end.wait() }
    #expect(joined.value.map(\.reason) == [.deadlock])
    let changes = handles.map { $0.takeOutbox() }
    // What joined is in the change of the other transaction; the rest are changes of their own.
    #expect(changes.map(\.count).sorted() == [1] + Array(repeating: 2, count: count - 1))
    for changes in changes { #expect(changes.first?.message == "Own") }
    for handle in handles { #expect(handle.value() == .integer(1) && handle.value(of: "pages") == .integer(2)) }
  }

  @Test func `unseen, as over another thread, go on after a time, and say so`() {
    let here = handle("document", timeout: .milliseconds(20))
    let joined = Box<[JoinedTransaction]>([])
    here.onJoinedTransaction { write in joined.change { $0.append(write) } }
    here.beginTransaction()
    here.set(1)
    onThread {
      here.set(2, for: "pages")
      here.set(3, for: "pages")
    }.wait()
    here.endTransaction(message: "Own")
    #expect(joined.value.map(\.reason) == [.timeout])
    #expect(here.takeOutbox().map(\.operations.count) == [3])
    // Once it has ended, the thread that joined waits again like any other.
    here.set(4)
    #expect(here.takeOutbox().count == 1)
  }

  @Test func `end where the one that joined goes on longer`() {
    let here = handle("document", timeout: .milliseconds(20))
    let (hasJoined, mayEnd) = (Signal(), Signal())
    here.beginTransaction()
    here.set(1)
    let end = onThread {
      here.beginTransaction()
      here.set(2, for: "pages")
      hasJoined.raise()
      mayEnd.wait()
      here.endTransaction(message: nil)
    }
    hasJoined.wait()
    here.endTransaction(message: "Own")
    #expect(here.takeOutbox().isEmpty)
    mayEnd.raise()
    end.wait()
    #expect(here.takeOutbox().map(\.message) == ["Own"])
  }
}

@Suite struct `A flush while a transaction is open` {
  let world = World()

  @Test(arguments: [.sent, .durable, .received(1)] as [FlushGoal])
  func `waits for what the transaction wrote before`(goal: FlushGoal) throws {
    let (node, other) = (try world.node("node"), try world.node("other", dialable: false, dialling: ["node"]))
    let (handle, there) = (try node.open(), try other.open())
    world.run(for: .seconds(1))
    handle.beginTransaction()
    handle.set(1)
    let flushed = world.begin { try await node.engine.flush(Node.library, until: goal) }
    world.run(for: .seconds(2))
    #expect(flushed.value == nil)
    handle.endTransaction(message: nil)
    #expect(world.run(timeout: .milliseconds(100)) { flushed.value != nil })
    #expect(throws: Never.self) { try flushed.value?.get() }
    switch goal {
    case .sent: #expect(try node.counters.framesPublished == 1)
    case .durable:
      let records = try world.perform { [log = node.log] in try await log.recover(Node.library).records }
      #expect(records.count == 1)
    case .received, .replicated: #expect(there.value() == .integer(1))
    }
  }

  @Test func `says so where that stays open`() throws {
    let node = try world.node("node")
    let handle = try node.open()
    handle.beginTransaction()
    handle.set(1)
    let error = #expect(throws: FlushError.self) { try node.flush(.durable) }
    #expect(error?.code == .transactionOpen)
    #expect(error?.message.contains("not committed") == true)
    let impatient = #expect(throws: FlushError.self) {
      try world.perform { try await node.engine.flush(Node.library, until: .sent, timeout: .seconds(1)) }
    }
    #expect(impatient?.code == .timedOut)
    handle.endTransaction(message: nil)
    try node.flush(.durable)
  }

  @Test func `does not wait where that wrote nothing yet`() throws {
    let node = try world.node("node")
    let handle = try node.open()
    handle.set(1)
    handle.beginTransaction()
    try node.flush(.durable)
    handle.endTransaction(message: nil)
  }
}

@Suite struct `What is acknowledged while a transaction is open` {
  private let text = ObjectID.derived(parent: .root, key: "text", kind: .text)

  private func edit(_ handle: DocumentHandle, _ body: (inout Document, inout Patch) -> Void) {
    handle.write { document, patch in
      document.declare(.text, for: "text", in: .root)
      body(&document, &patch)
    }
  }

  private func hasTombstones(_ handle: DocumentHandle) -> Bool {
    handle.read { $0.snapshot().objects.contains { $0.sequence != nil } }
  }

  @Test func `covers no removal of what its writes are anchored on`() throws {
    let world = World()
    let ada = try world.node("ada", log: MemoryLog(store: StoreID(rawValue: 1), isDurable: true))
    let bob = try world.node("bob", dialling: ["ada"], log: MemoryLog(store: StoreID(rawValue: 2), isDurable: true))
    let (adas, bobs) = (try ada.open(), try bob.open())
    edit(adas) { document, patch in document.insert("abcdef", at: 0, in: text, patch: &patch) }
    try ada.flush(.replicated(1))
    bobs.beginTransaction()
    edit(bobs) { document, patch in document.insert("X", at: 3, in: text, patch: &patch) }
    edit(adas) { document, patch in document.removeItems(0..<6, in: text, patch: &patch) }
    world.run(for: .seconds(10))
    #expect(bobs.version == adas.version)
    #expect(try ada.stable != adas.version)
    #expect(hasTombstones(adas))
    bobs.endTransaction(message: nil)
    world.run(for: .seconds(10))
    for handle in [adas, bobs] { #expect(handle.read { $0.text(in: text) } == "X") }
    #expect(adas.version == bobs.version && adas.digest() == bobs.digest())
    #expect(try ada.stable == adas.version)
    // Nothing had to be sent a second time for want of an anchor.
    #expect(try ada.counters.snapshotsMerged == 0 && bob.counters.snapshotsMerged == 0)
    edit(adas) { document, patch in document.removeItems(0..<1, in: text, patch: &patch) }
    world.run(for: .seconds(10))
    #expect(!hasTombstones(adas) && !hasTombstones(bobs))
  }

  @Test func `catches up when a transaction ends that wrote nothing`() throws {
    let world = World()
    let (ada, bob) = (try world.node("ada"), try world.node("bob", dialling: ["ada"]))
    let (adas, bobs) = (try ada.open(), try bob.open())
    world.run(for: .seconds(1))
    bobs.beginTransaction()
    adas.set(1)
    world.run(for: .seconds(5))
    #expect(try ada.stable != adas.version)
    bobs.endTransaction(message: nil)
    try ada.flush(.received(1))
  }
}
