import Foundation
import StarlingCore
import StarlingEngine
import StarlingZeroMQ
import Synchronization

/// Starling's link: each message is a property written, one transaction each, in a document of a replica in memory.
///
/// ```
/// straight:   publisher binds                    ◄── dials ── receivers
/// relayed:    publisher ── dials ──► a daemon    ◄── dials ── receivers
/// ```
final class StarlingPublisher: Publisher {
  let address: String
  private let engine: ReplicaEngine
  private let document: DocumentHandle
  private let relay: Child?
  private let propertyCount: Int
  private var writeCount = 0

  init(_ route: Route, for purpose: Purpose) async throws {
    // Of values of one property that come together an observer sees the last alone; each latency is to be seen.
    propertyCount = purpose == .latency ? 1024 : route.propertyCount
    relay = try route.isRelayed ? LinkPeer.startRelay(over: route.transport) : nil
    engine = try Self.engine(hasKeys: route.isEncrypted)
    try await engine.start()
    if let relay {
      guard let endpoint = try relay.line(within: .seconds(20)) else { throw LinkPeer.Silence() }
      try await engine.connect(to: endpoint)
      address = endpoint
    } else {
      address = try await engine.bind(route.transport.endpoint)
    }
    document = try await engine.open(Self.documentID)
  }

  func write(_ message: Message) {
    let key: Key =
      switch message.kind {
      case .hello: Self.helloKey
      case .end: Self.endKey
      case .write: .integer(Int64(writeCount % propertyCount))
      }
    writeCount += 1
    document.set(message.value, for: key)
  }

  func close() async throws {
    try await engine.close()
    relay?.end()
  }

  // MARK: In the other processes

  static func receive(from address: String, _ heard: @escaping Medium.Heard) async throws {
    let engine = try engine(hasKeys: address.contains("@"))
    try await engine.start()
    try await engine.connect(to: address)
    let document = try await engine.open(documentID)
    let merged = Atomic<Int>(0)
    document.onPatch { patch in
      let operationCount = document.read { $0.version.entries.reduce(0) { $0 + Int($1.counter) } }
      // Of values of one key that come together an observer sees the last alone: the first entry speaks for those too.
      var count = operationCount - merged.exchange(operationCount, ordering: .relaxed) - (patch.entries.count - 1)
      for entry in patch.entries {
        guard case .value(.integer(let value), _) = entry.to else { continue }
        switch entry.key {
        case helloKey: heard(Message(.hello, value), count)
        case endKey: heard(Message(.end, value), count)
        default: heard(Message(.write, value), count)
        }
        count = 1
      }
    }
    while true { try await Task.sleep(for: .seconds(3600)) }
  }

  /// What a daemon does, without a disk: it binds, opens every document that is asked for, and passes on.
  ///
  /// - Parameter bound: called with the endpoint.
  static func relay(at endpoint: String, bound: (String) -> Void) async throws {
    var configuration = EngineConfiguration()
    configuration.isRelay = true
    let engine = ReplicaEngine(link: ZeroMQLink(), log: MemoryLog(), configuration: configuration)
    try await engine.start()
    bound(try await engine.bind(endpoint))
    while true { try await Task.sleep(for: .seconds(3600)) }
  }

  // MARK: Both

  private static let documentID = DocumentID("benchmark")!
  private static let helloKey: Key = "hello"
  private static let endKey: Key = "end"

  private static func engine(hasKeys: Bool) throws -> ReplicaEngine {
    guard hasKeys else { return ReplicaEngine(link: ZeroMQLink(), log: MemoryLog()) }
    var configuration = EngineConfiguration()
    configuration.allowlist = { name, _ in Trust(name: name, role: .reads, documents: [.everything]) }
    let security = ZeroMQLink.Security(keys: try KeyPair()) { _ in .everything }
    return ReplicaEngine(link: ZeroMQLink(security: security), log: MemoryLog(), configuration: configuration)
  }
}
