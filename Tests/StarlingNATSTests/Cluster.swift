#if NATS
  @testable import StarlingNATS

  /// Three nats-servers that are one cluster, and keep streams together.
  final class Cluster: Sendable {
    let servers: [Server]

    /// Returns once all three listen; they elect a leader afterwards.
    init() async throws {
      let ports = try (0..<3).map { _ in try FreePort.draw() }
      let routes = ports.map { "nats://127.0.0.1:\($0)" }.joined(separator: ", ")
      servers = try await withThrowingTaskGroup(of: (Int, Server).self) { group in
        for (number, port) in ports.enumerated() {
          group.addTask {
            (
              number,
              try await Server(
                """
                server_name: server\(number)
                \(Server.jetStream)
                cluster: { name: test, listen: "127.0.0.1:\(port)", routes: [\(routes)] }
                """)
            )
          }
        }
        var made: [Int: Server] = [:]
        for try await (number, server) in group { made[number] = server }
        return (0..<3).map { made[$0]! }
      }
    }

    /// Ends all three, and starts them again with the files that they had.
    func restart() async throws {
      for server in servers { server.kill() }
      for server in servers { try await server.start() }
    }

    /// Returns once all three hold the whole of the stream, or a minute has passed.
    func catchUp(on stream: LogStream) throws {
      let deadline = ContinuousClock.now + .seconds(60)
      while .now < deadline, try !stream.isWhole() { stream.servers.rest() }
    }

    /// The server that said last that it leads the stream.
    func leader(of stream: String) throws -> Server {
      let claims = servers.compactMap { server -> (when: String, server: Server)? in
        let lines = server.said.split(separator: "\n")
        let claim = lines.last { $0.contains("new stream leader for") && $0.contains("> \(stream)'") }
        // The pid, then the time to the microsecond, as text that sorts.
        return claim.map { ($0.split(separator: " ").dropFirst().prefix(2).joined(separator: " "), server) }
      }
      guard let latest = claims.max(by: { $0.when < $1.when }) else {
        throw Server.Missing(description: "no server leads '\(stream)'")
      }
      return latest.server
    }
  }
#endif
