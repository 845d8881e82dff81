import Measuring

/// A publisher here and its receivers, each a process of its own: by what the messages go, and over what.
///
/// ```
///   this process           a server or a relay,       this very program, run again
///   publisher ── write ──►   where there is one  ──►  receiver, receiver, ...
/// ```
struct Route: Sendable {
  let medium: Medium
  /// The key of its figures.
  let name: String
  var transport = Transport.ipc
  /// Whether both ends have CURVE keys; of Starling's and libzmq's routes alone.
  var isEncrypted = false
  /// Whether a third process passes everything on, as a daemon does; of Starling's routes alone.
  var isRelayed = false
  /// How many properties are written in turn where it is not one, each of a model of its own; of Starling's alone.
  var propertyCount = 1
  /// The servers of a NATS cluster, where it goes over one: the writer is at the first, receivers are at the last. Of
  /// Starling's and NATS's routes alone.
  var servers: [String] = []
  /// Whether queues are bounded as the medium's users find them, so that a fast publisher loses; of libzmq's alone.
  var isBounded = false

  init(_ medium: Medium, named name: String? = nil, over transport: Transport = .ipc) {
    self.medium = medium
    self.name = name ?? medium.rawValue
    self.transport = transport
  }

  func with(_ change: (inout Route) -> Void) -> Route {
    var route = self
    change(&route)
    return route
  }
}

/// What a route is opened for. A medium's user who wants the one sets it up otherwise than one who wants the other.
enum Purpose: String {
  /// One message at a time, each at once.
  case latency
  /// As many as can be.
  case rate
  /// The same, and what counts is how long the receiver computes.
  case cost
}

/// The writing end of a route.
protocol Publisher {
  /// Where receivers find it, as `Medium.receive` reads it.
  var address: String { get }

  /// Returns when the medium has taken the message. A hello and an end take along what was held back.
  func write(_ message: Message)

  func close() async throws
}
