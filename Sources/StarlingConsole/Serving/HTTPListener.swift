public import FlyingFox
import FlyingSocks
public import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An HTTP server of the daemon, from when it listens until it is stopped.
public struct HTTPListener: Sendable {
  private let server: HTTPServer
  private let work: Task<Void, any Error>
  /// Where it listens.
  public let host: String
  public let port: UInt16

  /// Begins to listen.
  ///
  /// - Parameters:
  ///   - address: where.
  ///   - timeout: how long an answer may take, in seconds; one that is sent in parts has begun by then.
  ///   - setUp: gives the server its routes.
  /// - Throws: where it cannot, as when another process does.
  public init(
    at address: ListenAddress, timeout: TimeInterval, _ setUp: @Sendable (HTTPServer) async -> Void
  ) async throws {
    // A browser that hangs up before it has read its answer must not end the process: the server writes without
    // MSG_NOSIGNAL.
    signal(SIGPIPE, SIG_IGN)
    let server = HTTPServer(
      config: HTTPServer.Configuration(
        address: try .inet(ip4: address.host, port: address.port), timeout: timeout, logger: .disabled))
    await setUp(server)
    let listening = Task { try await server.waitUntilListening() }
    let work = Task {
      defer { listening.cancel() }
      try await server.run()
    }
    do {
      try await listening.value
    } catch {
      work.cancel()
      // Why it does not listen.
      try await work.value
      throw error
    }
    guard case .ip4(let host, let port) = await server.listeningAddress else {
      throw ConsoleError("It is not known where the server listens.")
    }
    (self.server, self.work, self.host, self.port) = (server, work, host, port)
  }

  /// Stops it; who is being answered has a second.
  public func stop() async {
    await server.stop(timeout: 1)
    // It ends because it was stopped.
    _ = await work.result
  }
}
