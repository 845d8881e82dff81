import Measuring

/// What carries messages from one process to others: Starling, and what a user would pick instead.
enum Medium: String, CaseIterable {
  case starling, libzmq, redis, nats

  /// Is called with each message, and with how many writes it speaks of.
  typealias Heard = @Sendable (Message, _ count: Int) -> Void

  /// Those that are here. Those that are not are named once, on standard error.
  static let installed = Set(
    allCases.filter { medium in
      guard let lack = medium.lack else { return true }
      Report.say("\(medium.rawValue) is left out: \(lack)")
      return false
    })

  /// What it needs and this machine lacks; nil where nothing is missing.
  private var lack: String? {
    switch self {
    case .starling, .libzmq: nil
    case .redis: Server.path(of: "redis-server") == nil ? "there is no redis-server" : nil
    case .nats:
      #if NATS
        Server.path(of: "nats-server") == nil ? "there is no nats-server" : nil
      #else
        "built without the trait NATS"
      #endif
    }
  }

  func open(_ route: Route, for purpose: Purpose) async throws -> any Publisher {
    switch self {
    case .starling: try await StarlingPublisher(route, for: purpose)
    case .libzmq: try RawSocket(publishingBy: route)
    case .redis: try RedisPublisher(over: route.transport, for: purpose)
    case .nats:
      #if NATS
        try NATSPublisher(route, for: purpose)
      #else
        throw LinkFailure("This program was built without the trait NATS.")
      #endif
    }
  }

  /// Hears everything that is written, in order, until this process ends.
  func receive(from address: String, for purpose: Purpose, _ heard: @escaping Heard) async throws {
    switch self {
    case .starling: try await StarlingPublisher.receive(from: address, for: purpose, heard)
    case .libzmq: try RawSocket.receive(from: address, heard)
    case .redis: try RedisPublisher.receive(from: address, heard)
    case .nats:
      #if NATS
        try NATSPublisher.receive(from: address, heard)
      #else
        throw LinkFailure("This program was built without the trait NATS.")
      #endif
    }
  }
}
