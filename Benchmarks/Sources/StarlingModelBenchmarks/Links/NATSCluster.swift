#if NATS
  import CRawNATS
  import Foundation
  import Measuring

  /// Three servers of NATS that are one cluster, with JetStream: what lies between three sites.
  ///
  /// ```
  ///   writer ──► server 1 ── route ──► server 3 ──► receiver
  ///                 └─── server 2 ───────┘
  /// ```
  final class NATSCluster {
    /// The addresses of the servers, for clients.
    let servers: [String]
    private let processes: [Server]

    init() throws {
      let ports = try (0..<3).map { _ in (client: try Server.freePort(), route: try Server.freePort()) }
      let routes = ports.map { "nats://127.0.0.1:\($0.route)" }.joined(separator: ", ")
      servers = ports.map { "nats://127.0.0.1:\($0.client)" }
      processes = try ports.enumerated().map { number, port in
        try Server("nats-server") { folder in
          let file = folder + "/configuration"
          // As for one server: a subscriber that is behind is not thrown out.
          let text = """
            server_name: site-\(number)
            listen: 127.0.0.1:\(port.client)
            max_pending: 1GB
            jetstream { store_dir: "\(folder)/jetstream" }
            cluster { name: sites, listen: 127.0.0.1:\(port.route), routes: [\(routes)] }
            """
          try text.write(toFile: file, atomically: true, encoding: .utf8)
          return ["-c", file]
        }
      }
      for (server, address) in zip(processes, servers) {
        let connection = try server.whenReady { try NATSPublisher.connect(to: address, sendsAtOnce: true) }
        natsConnection_Destroy(connection)
      }
    }

    func end() {
      for process in processes { process.end() }
    }
  }

  /// A stream of JetStream on three servers, in files, with nothing around it.
  final class RawJetStream {
    private let connection: OpaquePointer
    private var stream: OpaquePointer?

    private static let subject = "benchmark.log"

    init(at servers: [String]) throws {
      connection = try NATSPublisher.connect(to: servers[0], sendsAtOnce: true)
      try NATSPublisher.check(natsConnection_JetStream(&stream, connection, nil))
      // The servers elect who makes streams, which takes some seconds.
      var status = NATS_TIMEOUT
      for _ in 0..<100 where status != NATS_OK {
        status = make()
        if status != NATS_OK { usleep(200_000) }
      }
      try NATSPublisher.check(status)
    }

    private func make() -> natsStatus {
      "BENCHMARK".withCString { name in
        Self.subject.withCString { subject in
          var subjects: [UnsafePointer<CChar>?] = [subject]
          return subjects.withUnsafeMutableBufferPointer { subjects in
            var configuration = jsStreamConfig()
            jsStreamConfig_Init(&configuration)
            configuration.Name = name
            configuration.Subjects = subjects.baseAddress
            configuration.SubjectsLen = 1
            configuration.Replicas = 3
            configuration.Storage = js_FileStorage
            return js_AddStream(nil, stream, &configuration, nil, nil)
          }
        }
      }
    }

    /// Returns once all of them are acknowledged: one waits for its answer, several are under way together.
    func publish(_ count: Int, _ number: Int) throws {
      for place in 0..<count {
        let message = Message(.write, Int64(number * count + place))
        let status = message.withBytes { bytes in
          let size = CInt(bytes.count)
          return count == 1
            ? js_Publish(nil, stream, Self.subject, bytes.baseAddress, size, nil, nil)
            : js_PublishAsync(stream, Self.subject, bytes.baseAddress, size, nil)
        }
        try NATSPublisher.check(status)
      }
      if count > 1 { try NATSPublisher.check(js_PublishAsyncComplete(stream, nil)) }
    }

    func close() {
      jsCtx_Destroy(stream)
      natsConnection_Destroy(connection)
    }
  }
#endif
