import class FlyingFox.HTTPServer
public import ServiceLifecycle
public import StarlingReplica

/// The daemon's page over HTTP, on this machine alone (Documentation/Console.md).
///
/// ```
///   GET  /?token=…    the page; its cookie holds the token from then on
///   GET  /events      server-sent events: the group, the figures, what the page looks at
///   GET  /api/…       the history
///   POST /api/…       what the page looks at, and edits
/// ```
public struct ConsoleServer: Service {
  /// The link that an operator opens. It holds the token.
  public let link: String
  private let listener: HTTPListener
  private let console: Console

  /// Begins to listen.
  ///
  /// - Throws: `ConsoleError` where the address is not a loopback address; where it cannot listen there.
  public init(
    of replica: BareReplica, at address: ListenAddress, token: ConsoleToken, events: ConsoleEvents
  ) async throws {
    guard address.isLoopback else {
      throw ConsoleError(
        "The console listens on this machine alone, and '\(address)' is no loopback address. Choose 127.0.0.1:PORT; "
          + "from elsewhere, forward a port: ssh -L PORT:127.0.0.1:PORT HOST.")
    }
    let console = Console(of: replica, events: events)
    let gate = Gate(token: token, name: await replica.status().store.description)
    let answers = ConsoleAnswers(gate: gate, console: console)
    listener = try await HTTPListener(at: address, timeout: 60) { server in
      await server.appendRoute("*") { request in await answers.answer(request) }
    }
    self.console = console
    link = "http://\(listener.host):\(listener.port)/?token=\(token.text)"
    await console.start()
  }

  /// Until the service group shuts down.
  public func run() async throws {
    try? await gracefulShutdown()
    await stop()
  }

  /// Ends it; its pages connect again when the daemon is back.
  public func stop() async {
    await console.close()
    await listener.stop()
  }
}
