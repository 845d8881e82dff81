import StarlingCore
import StarlingEngine
import StarlingSession
import StarlingWire
import Testing

/// A daemon that has more documents than it is to keep open closes those that nobody uses.
@Suite struct `Documents that nobody uses` {
  private let world = World()
  private let documents = (0..<12).map { DocumentID("document-\($0)")! }

  private func daemon(
    _ name: String, log: any ChangeLog = MemoryLog(isDurable: true), openMax: Int = 2, dialling peers: [String] = [],
    _ configure: (inout EngineConfiguration) -> Void = { _ in }
  ) throws -> Node {
    try world.node(name, dialling: peers, log: log) {
      $0.isRelay = true
      $0.openDocumentCountMax = openMax
      configure(&$0)
    }
  }

  /// A process that writes its number in each of the documents, and is gone then.
  private func write(_ number: Int64, in documents: [DocumentID], at daemon: String) throws {
    let process = try world.node("writer-\(number)", dialable: false, dialling: [daemon])
    for document in documents {
      let handle = try process.open(document)
      handle.set(number)
      try process.flush(.received(1), document)
    }
    try process.close()
  }

  private func openDocuments(_ node: Node) throws -> [DocumentID] { try node.status.documents }

  private func comesDown(_ node: Node, to count: Int = 2, within limit: Duration = .seconds(10)) throws -> Bool {
    world.run(timeout: limit) { (try? openDocuments(node).count <= count) ?? false }
  }

  /// What the log holds of a document, as the next process would read it.
  private func stored(_ document: DocumentID, in node: Node) throws -> Value? {
    let stored = try world.perform { [log = node.log] in try await log.recover(document) }
    var content = try stored.snapshot.map { try SnapshotCoding.open($0.bytes) } ?? Document()
    for record in stored.records {
      var patch = Patch()
      _ = try Batch.merge(record.bytes, into: &content, patch: &patch)
    }
    return if case .value(let value, _) = content.visible("title", in: .root) { value } else { nil }
  }

  @Test func `are closed where more are open than are to be, and opened for whoever speaks of them`() throws {
    let daemon = try daemon("daemon")
    try write(1, in: documents, at: "daemon")
    #expect(try comesDown(daemon))
    #expect(try daemon.status.closedDocumentCount == documents.count - 2)

    let process = try world.node("process", dialable: false, dialling: ["daemon"])
    for document in documents {
      let handle = try process.open(document)
      #expect(world.run { handle.value() == .integer(1) }, "\(document)")
      handle.set(2)
      try process.flush(.received(1), document)
    }
    // They stay open for as long as he is there.
    world.run(for: .seconds(10))
    #expect(try openDocuments(daemon).count == documents.count)
    try process.close()
    #expect(try comesDown(daemon))
    for document in documents { #expect(try stored(document, in: daemon) == .integer(2), "\(document)") }
  }

  @Test func `stay open where the program itself opened them`() throws {
    let daemon = try daemon("daemon", openMax: 0)
    let handle = try daemon.open(documents[3])
    try write(1, in: documents, at: "daemon")
    #expect(try comesDown(daemon, to: 1))
    world.run(for: .seconds(5))
    #expect(try openDocuments(daemon) == [documents[3]])
    #expect(handle.value() == .integer(1))
  }

  @Test func `are not opened as a daemon starts, but for as many as may be open`() throws {
    let log = MemoryLog(isDurable: true)
    let first = try daemon("daemon", log: log)
    try write(1, in: documents, at: "daemon")
    try first.close()
    let second = try daemon("again", log: log)
    #expect(try openDocuments(second).count == 2)
    #expect(try second.status.closedDocumentCount == documents.count - 2)
    let process = try world.node("process", dialable: false, dialling: ["again"])
    let handle = try process.open(documents[7])
    #expect(world.run { handle.value() == .integer(1) })
  }

  /// Another daemon follows a stream of it that ended when it was closed.
  @Test func `reach other daemons at once where they are opened again`() throws {
    let (first, second) = (
      try daemon("first") { $0.gossips = true },
      try daemon("second", openMax: 0, dialling: ["first"]) { $0.gossips = true }
    )
    let reader = try world.node("reader", dialable: false, dialling: ["first"])
    let there = try reader.open()
    #expect(world.run(timeout: .seconds(5)) { (try? openDocuments(first).count) == 1 })
    #expect(try comesDown(second, to: 0))
    world.run(for: .seconds(30))
    let writer = try world.node("writer", dialable: false, dialling: ["second"])
    let here = try writer.open()
    world.run(for: .seconds(1))
    here.setPresence(.integer(1), at: "cursor", lifetime: .seconds(3))
    #expect(world.run(timeout: .milliseconds(50)) { there.othersPresence(at: "cursor").count == 1 })
    here.set(1)
    #expect(world.run(timeout: .milliseconds(50)) { there.value() == .integer(1) })
  }

  @Test func `are read by those who may only read`() throws {
    let daemon = try daemon("daemon", openMax: 0) {
      $0.allowlist = { key, _ in Trust(name: key, role: key == "reader" ? .reads : .writes, documents: [.everything]) }
    }
    let writer = try world.node("writer", dialable: false, dialling: ["daemon"], as: "writer")
    let written = try writer.open()
    written.set(1)
    try writer.flush(.received(1))
    try writer.close()
    #expect(try comesDown(daemon, to: 0))
    let reader = try world.node("reader", dialable: false, dialling: ["daemon"], as: "reader")
    let handle = try reader.open()
    #expect(world.run { handle.value() == .integer(1) })
  }

  @Test func `are forgotten like any other`() throws {
    let daemon = try daemon("daemon", openMax: 0)
    try write(1, in: documents, at: "daemon")
    #expect(try comesDown(daemon, to: 0))
    try world.perform { [engine = daemon.engine, document = documents[5]] in try await engine.forget(document) }
    #expect(try daemon.status.closedDocumentCount == documents.count - 1)
    let process = try world.node("process", dialable: false, dialling: ["daemon"])
    let handle = try process.open(documents[6])
    #expect(world.run { handle.value() == .integer(1) })
    _ = try? process.open(documents[5])
    world.run(for: .seconds(2))
    #expect(try openDocuments(daemon) == [documents[6]])
  }

  @Test func `lease the ids again that were given back`() throws {
    let signs = MemoryLifeSigns()
    let daemon = try daemon("daemon", openMax: 0) { $0.lifeSigns = signs }
    for number in 1...5 {
      let process = try world.node("process-\(number)", dialling: ["daemon"]) {
        $0.leasesReplicaID = true
        $0.lifeSigns = signs
      }
      let handle = try process.open()
      _ = try world.perform { [engine = process.engine] in await engine.synchronize(Node.library) }
      handle.set(Int64(number))
      try process.flush(.received(1))
      try process.close()
      #expect(try comesDown(daemon, to: 0))
    }
    let handle = try daemon.open()
    #expect(handle.version.entries.count == 1, "\(handle.version)")
    #expect(handle.value() == .integer(5))
  }

  // MARK: Several daemons

  @Test func `are told to a daemon that comes, one after the other`() throws {
    let first = try daemon("first")
    try write(1, in: documents, at: "first")
    #expect(try comesDown(first))
    let second = try daemon("second", dialling: ["first"])
    for _ in 0..<100 where try second.counters.documentsClosed < 10 { world.run(for: .milliseconds(100)) }
    #expect(try comesDown(first) && comesDown(second))
    for document in documents { #expect(try stored(document, in: second) == .integer(1), "\(document)") }
  }

  @Test func `are not opened for a daemon of another shard`() throws {
    let half = try #require(DocumentShard(1, of: 2))
    let first = try daemon("first", openMax: 0) { $0.shard = half }
    try write(1, in: documents.filter(half.contains), at: "first")
    #expect(try comesDown(first, to: 0))
    let before = try first.counters.documentsClosed
    #expect(before > 0)
    _ = try daemon("second", openMax: 0, dialling: ["first"]) { $0.shard = DocumentShard(2, of: 2) ?? .whole }
    world.run(for: .seconds(5))
    #expect(try first.counters.documentsClosed == before)
  }

  @Test func `reach a daemon that has closed them when somebody writes to them at another`() throws {
    let first = try daemon("first", openMax: 0)
    let second = try daemon("second", openMax: 0, dialling: ["first"])
    try write(1, in: documents, at: "first")
    #expect(try comesDown(first, to: 0) && comesDown(second, to: 0))
    try write(2, in: documents, at: "second")
    #expect(try comesDown(first, to: 0) && comesDown(second, to: 0))
    for document in documents { #expect(try stored(document, in: first) == .integer(2), "\(document)") }
  }

  @Test func `that were written on both sides of a cut are the same once it is over`() throws {
    let first = try daemon("first", openMax: 0)
    let second = try daemon("second", openMax: 0, dialling: ["first"])
    try write(1, in: documents, at: "first")
    #expect(try comesDown(first, to: 0) && comesDown(second, to: 0))
    try world.perform { [engine = second.engine] in await engine.setOnline(false) }
    world.run(for: .seconds(1))
    try write(2, in: Array(documents[..<6]), at: "first")
    #expect(try comesDown(first, to: 0))
    world.run(for: .seconds(5))
    try world.perform { [engine = second.engine] in await engine.setOnline(true) }
    for _ in 0..<200 where try stored(documents[5], in: second) != .integer(2) { world.run(for: .milliseconds(100)) }
    #expect(try comesDown(first, to: 0) && comesDown(second, to: 0))
    for (place, document) in documents.enumerated() {
      #expect(try stored(document, in: second) == .integer(place < 6 ? 2 : 1), "\(document)")
    }
  }

  @Test func `stay open until another daemon has what it missed`() throws {
    let first = try daemon("first", openMax: 0)
    let second = try daemon("second", openMax: 0, dialling: ["first"])
    let process = try world.node("process", dialable: false, dialling: ["first"])
    let handles = try documents[..<3].map { try process.open($0) }
    for handle in handles { handle.set(1) }
    for document in documents[..<3] { try process.flush(.received(1), document) }
    world.run(for: .seconds(5))
    // Nothing reaches the second one any more, which does not notice for a while.
    world.network.setFaultPlan { passage, _ in passage.to == "second" ? [] : [.milliseconds(1)] }
    for handle in handles { handle.set(2) }
    for document in documents[..<3] { try process.flush(.received(1), document) }
    try process.close()
    world.run(for: .seconds(8))
    #expect(try Set(openDocuments(first)) == Set(documents[..<3]))
    world.network.setFaultPlan(MemoryNetwork.calm)
    // What was lost shows with one of the heartbeats that are said now and then.
    #expect(try comesDown(first, to: 0, within: .seconds(30)) && comesDown(second, to: 0))
    for document in documents[..<3] { #expect(try stored(document, in: second) == .integer(2), "\(document)") }
  }
}
