import Foundation
import StarlingCore
import StarlingEngine
import StarlingZeroMQ

extension Case {
  static let links: [Case] = [
    Case("latency-ipc") { [try await latency(named: "latency-ipc", over: .ipc)] },
    Case("latency-tcp") { [try await latency(named: "latency-tcp", over: .tcp)] },

    Case("writes-per-second") {
      let count = 1_000_000
      let host = try await EngineHost(over: .ipc)
      let peer = try LinkPeer.Run(.rate, endpoint: host.endpoint)
      try await peer.meet { host.write("hello", $0) }
      let begin = DispatchTime.now().uptimeNanoseconds
      for number in 1...count { host.write(LinkPeer.key, Int64(number)) }
      host.write("end", 1)
      guard let end = try await peer.figures().last else { throw LinkPeer.Silence() }
      try await host.close()
      let seconds = (end - Double(begin)) / 1e9
      return [
        Figure(
          "writes-per-second", .perSecond, Sample(exactly: (Double(count) / seconds).rounded()),
          notes: ["one property written \(count) times; the other process holds the last write"])
      ]
    },
  ]

  private static func latency(named name: String, over transport: Transport) async throws -> Figure {
    let host = try await EngineHost(over: transport)
    let starling = try await latency(of: .latency, at: host.endpoint) { host.write($0, $1) }
    try await host.close()
    let socket = try RawSocket(publishingOver: transport)
    let libzmq = try await latency(of: .rawLatency, at: socket.endpoint) { socket.send($0, $1) }
    socket.close()
    return Figure(name, .microseconds, starling, peers: ["libzmq": libzmq.median])
  }

  private static func latency(
    of kind: LinkPeer.Kind, at endpoint: String, write: (Key, Int64) -> Void
  ) async throws -> Sample {
    let peer = try LinkPeer.Run(kind, endpoint: endpoint)
    try await peer.meet { write("hello", $0) }
    for _ in 0..<5000 {
      usleep(200)
      write(LinkPeer.key, Int64(DispatchTime.now().uptimeNanoseconds))
    }
    write("end", 1)
    let latencies = try await peer.figures()
    guard latencies.count > 4000 else { throw LinkPeer.Silence() }
    return Sample(latencies: latencies)
  }
}

enum Transport {
  case ipc, tcp

  var endpoint: String {
    switch self {
    case .ipc:
      "ipc://"
        + FileManager.default.temporaryDirectory.appending(path: "starling-bench-\(UUID().uuidString.prefix(8))")
        .path(percentEncoded: false)
    case .tcp: "tcp://127.0.0.1:\(Int.random(in: 20_000..<30_000) * 2)"
    }
  }
}

/// A replica in memory that binds, and one document of it.
struct EngineHost {
  static let documentID = DocumentID("benchmark")

  let endpoint: String
  private let engine: ReplicaEngine
  private let document: DocumentHandle

  init(over transport: Transport) async throws {
    engine = ReplicaEngine(link: ZeroMQLink(), log: MemoryLog())
    try await engine.start()
    endpoint = try await engine.bind(transport.endpoint)
    guard let id = Self.documentID else { preconditionFailure("A document's name is refused.") }
    document = try await engine.open(id)
  }

  func write(_ key: Key, _ value: Int64) {
    document.write { document, patch in document.set(.integer(value), for: key, in: .root, patch: &patch) }
  }

  func close() async throws {
    try await engine.close()
  }
}
