import FlyingFox
import Foundation
import ServiceLifecycle
import StarlingConsole
import StarlingReplica

/// Shows what the daemon measures, and how it is, to whoever asks over HTTP; from before it opens its documents on.
///
/// ```
///   GET /metrics   200   the numbers, at most a second old, in the text format that Prometheus reads
///   GET /healthz   200   "ok"; 503 and why, where nothing is kept any more
///   GET /readyz    200   "ready" while it serves and keeps what it is given; 503 and why not otherwise
/// ```
struct MetricsEndpoint: Service {
  /// Where it is asked.
  let url: String
  private let listener: HTTPListener
  private let shown: Shown

  /// The replica, once it is open.
  private actor Shown {
    private(set) var replica: BareReplica?
    private(set) var measured: MeasuredText?

    func show(_ replica: BareReplica) {
      self.replica = replica
      measured = MeasuredText(of: replica)
    }
  }

  /// Begins to listen.
  ///
  /// - Throws: where it cannot, as when somebody else does.
  init(at address: ListenAddress) async throws {
    let shown = Shown()
    self.shown = shown
    listener = try await HTTPListener(at: address, timeout: 10) { server in
      await server.appendRoute("GET /metrics") { _ in
        guard let measured = await shown.measured else { return Self.answer(Self.opening) }
        let text = await measured.text
        return HTTPResponse(
          statusCode: .ok, headers: [.contentType: Exposition.contentType], body: Data(text.utf8))
      }
      await server.appendRoute("GET /healthz") { _ in
        // While documents are opened, it works.
        guard let replica = await shown.replica else { return Self.answer(nil, else: "ok\n") }
        return Self.answer(await Self.failure(of: replica), else: "ok\n")
      }
      await server.appendRoute("GET /readyz") { _ in
        guard let replica = await shown.replica else { return Self.answer(Self.opening) }
        return Self.answer(await Self.failure(of: replica), else: "ready\n")
      }
    }
    url = "http://\(listener.host):\(listener.port)/metrics"
  }

  private static func failure(of replica: BareReplica) async -> String? {
    let status = await replica.status()
    return status.logError.map {
      "The log fails, and nothing is kept \(status.isLogRetried ? "until it works again" : "any more"): \($0)\n"
    }
  }

  private static let opening = "The documents are being opened.\n"

  private static func answer(_ failure: String?, else good: String = "") -> HTTPResponse {
    HTTPResponse(
      statusCode: failure == nil ? .ok : .serviceUnavailable, headers: [.contentType: "text/plain; charset=utf-8"],
      body: Data((failure ?? good).utf8))
  }

  /// From now on there are numbers.
  func show(_ replica: BareReplica) async { await shown.show(replica) }

  func stop() async { await listener.stop() }

  /// Until the service group shuts down.
  func run() async throws {
    try? await gracefulShutdown()
    await stop()
  }
}
