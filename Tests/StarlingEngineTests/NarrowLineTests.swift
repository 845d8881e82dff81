import StarlingCore
import StarlingEngine
import StarlingGuard
import Testing

@Suite struct `Over a line that passes on few messages` {
  let world = World()

  /// A line that is asked for all at once takes longer to answer than anybody waits: asked again and again it would
  /// never bring anything.
  @Test func `a peer is brought hundreds of documents, each asked for a few times at most`() throws {
    let count = 400
    let documents = (0..<count).map { DocumentID("document-\($0)")! }
    let daemon = try world.node("daemon") { $0.isRelay = true }
    for document in documents { try daemon.open(document).set(1) }
    let line = Box<NarrowLine?>(nil)
    let peer = try world.idleNode("peer") { link in
      let narrow = NarrowLine(link, in: world.network)
      line.change { $0 = narrow }
      return narrow
    }
    let handles = try world.perform { [engine = peer.engine] in
      try await engine.start()
      try await engine.connect(to: "memory:daemon")
      var handles: [DocumentHandle] = []
      for document in documents { handles.append(try await engine.open(document)) }
      return handles
    }
    let hasArrived = world.run(timeout: .seconds(120)) { handles.allSatisfy { $0.value() == .integer(1) } }
    #expect(hasArrived, "\(handles.count { $0.value() == .integer(1) }) of \(count) arrived in two minutes")
    #expect(try peer.counters.pulls <= 3 * count)
    withExtendedLifetime(line) {}
  }

  /// What is said of so many documents fills the queues on the way, each way, many times over.
  @Test func `a peer that opens thousands of documents at once is brought them all`() throws {
    let count = 3000
    let documents = (0..<count).map { DocumentID("document-\($0)")! }
    let lines = Box<[NarrowLine]>([])
    let narrow = { [world] (link: MemoryLink) -> any PeerLink in
      let line = NarrowLine(link, in: world.network, passingOnEvery: .microseconds(50))
      lines.change { $0.append(line) }
      return line
    }
    let daemon = try world.idleNode("daemon", through: narrow) { $0.isRelay = true }
    try world.perform { [engine = daemon.engine] in
      try await engine.start()
      try await engine.bind("memory:daemon")
      for document in documents { try await engine.open(document).set(1) }
    }
    let peer = try world.idleNode("peer", through: narrow)
    let handles = try world.perform { [engine = peer.engine] in
      try await engine.start()
      try await engine.connect(to: "memory:daemon")
      return try await withThrowingTaskGroup(of: DocumentHandle.self) { group in
        for document in documents { group.addTask { try await engine.open(document) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }
    let hasArrived = world.run(timeout: .seconds(60)) { handles.allSatisfy { $0.value() == .integer(1) } }
    #expect(hasArrived, "\(handles.count { $0.value() == .integer(1) }) of \(count) arrived in a minute")
    let (sent, received) = (try peer.counters.messagesSent, try peer.counters.messagesReceived)
    #expect(sent < 10 * count && received < 10 * count, "\(sent) sent, \(received) received")
    withExtendedLifetime(lines) {}
  }
}

/// Passes on what is sent a message at a time, and keeps so much back at most.
private final class NarrowLine: WrappingLink {
  private let interval: Duration
  private let countMax = 1000

  let wrapped: any PeerLink
  private let network: MemoryNetwork
  private let kept = Guarded<[(frame: [UInt8], peer: PeerHandle)]>([])

  init(_ link: MemoryLink, in network: MemoryNetwork, passingOnEvery interval: Duration = .milliseconds(3)) {
    wrapped = link
    self.interval = interval
    self.network = network
    passOn()
  }

  func send(_ frame: [UInt8], to peer: PeerHandle) -> Bool {
    kept.withLock { kept in
      guard kept.count < countMax else { return false }
      kept.append((frame, peer))
      return true
    }
  }

  private func passOn() {
    network.schedule(after: interval) { [weak self] in
      guard let self else { return }
      let next = kept.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      if let next { _ = wrapped.send(next.frame, to: next.peer) }
      passOn()
    }
  }
}
