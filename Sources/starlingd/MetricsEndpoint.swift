import FlyingFox
import FlyingSocks
import Foundation
import ServiceLifecycle
import StarlingReplica

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Shows what the daemon measures to whoever asks over HTTP.
///
/// ```
///   GET /metrics   200   the numbers, at most a second old, in the text format that Prometheus reads
///   GET /healthz   200   "ok"; 503 and why, where nothing is kept any more
/// ```
struct MetricsEndpoint: Service {
  /// Where it listens, as `127.0.0.1:9464`; port 0 chooses a free one.
  struct Address: Equatable {
    let host: String
    let port: UInt16

    /// Nil for what is no IPv4 address with a port.
    init?(_ text: String) {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      var number = in_addr()
      guard parts.count == 2, let port = UInt16(parts[1]), inet_pton(AF_INET, String(parts[0]), &number) == 1 else {
        return nil
      }
      host = String(parts[0])
      self.port = port
    }

    var isLoopback: Bool { host.hasPrefix("127.") }
  }

  /// Where it is asked.
  let url: String
  private let server: HTTPServer
  private let work: Task<Void, any Error>

  /// Begins to listen.
  ///
  /// - Throws: where it cannot, as when somebody else does.
  init(of replica: BareReplica, at address: Address) async throws {
    // Who hangs up before it has read its answer must not end the process: the server writes without MSG_NOSIGNAL.
    signal(SIGPIPE, SIG_IGN)
    let server = HTTPServer(
      config: HTTPServer.Configuration(
        address: try .inet(ip4: address.host, port: address.port), timeout: 10, logger: .disabled))
    let measured = MeasuredText(of: replica)
    await server.appendRoute("GET /metrics") { _ in
      let text = await measured.text
      return HTTPResponse(
        statusCode: .ok, headers: [.contentType: Exposition.contentType], body: Data(text.utf8))
    }
    await server.appendRoute("GET /healthz") { _ in
      let status = await replica.status()
      let failure = status.logError
      let prospect = status.isLogRetried ? "until it works again" : "any more"
      let text = failure.map { "The log fails, and nothing is kept \(prospect): \($0)\n" } ?? "ok\n"
      return HTTPResponse(
        statusCode: failure == nil ? .ok : .serviceUnavailable, headers: [.contentType: "text/plain; charset=utf-8"],
        body: Data(text.utf8))
    }
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
      throw LinkError(.system, "It is not known where it listens.")
    }
    url = "http://\(host):\(port)/metrics"
    self.server = server
    self.work = work
  }

  /// Until the service group shuts down.
  func run() async throws {
    try? await gracefulShutdown()
    await server.stop(timeout: 1)
    // It ends because it was stopped.
    _ = await work.result
  }
}
