import FlyingFox
import Foundation
import ServiceLifecycle
import StarlingConsole
import StarlingReplica

/// Shows what the daemon measures to whoever asks over HTTP.
///
/// ```
///   GET /metrics   200   the numbers, at most a second old, in the text format that Prometheus reads
///   GET /healthz   200   "ok"; 503 and why, where nothing is kept any more
/// ```
struct MetricsEndpoint: Service {
  /// Where it is asked.
  let url: String
  private let listener: HTTPListener

  /// Begins to listen.
  ///
  /// - Throws: where it cannot, as when somebody else does.
  init(of replica: BareReplica, at address: ListenAddress) async throws {
    let measured = MeasuredText(of: replica)
    listener = try await HTTPListener(at: address, timeout: 10) { server in
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
    }
    url = "http://\(listener.host):\(listener.port)/metrics"
  }

  /// Until the service group shuts down.
  func run() async throws {
    try? await gracefulShutdown()
    await listener.stop()
  }
}
