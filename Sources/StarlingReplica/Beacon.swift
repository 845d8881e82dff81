import StarlingEngine
import StarlingGuard
import StarlingWire
import StarlingZeroMQ

/// Calls out where this daemon may be dialled, and listens for others of the group (Protocol/wire-format.md,
/// "Members"). Whoever can send a datagram can claim anything: what is heard is an endpoint to try, under the same
/// rules as any other.
final class Beacon: Sendable {
  private struct State {
    var announcement: [UInt8]?
    var nextCall = ContinuousClock.now
    /// When each endpoint was last heard.
    var heard: [String: ContinuousClock.Instant] = [:]
  }

  private static let interval = Duration.seconds(5)
  private static let lifetime = Duration.seconds(20)
  /// Datagrams read at one look; there is one look a second, and the system drops what is more than its buffer holds.
  private static let datagramCountMax = 64
  private static let endpointCountMax = 32

  private let socket: CallingSocket
  private let group: UInt64
  private let state = Guarded(State())

  init(group: String, options: BareReplica.Options.Beacon) throws {
    socket = try CallingSocket(options.address, interface: options.interface)
    self.group = Message.Beacon.number(of: group)
  }

  /// Calls these out from now on.
  func announce(_ status: EngineStatus) {
    let endpoints = status.endpoints.filter { $0.hasPrefix("tcp:") }.prefix(Message.Member.endpointCountMax)
    let bytes = Message.beacon(Message.Beacon(group: group, store: status.store, endpoints: Array(endpoints))).encoded()
    guard !endpoints.isEmpty, bytes.count <= Message.Beacon.byteCountMax else { return }
    state.withLock { $0.announcement = bytes }
  }

  /// Calls if it is time, and returns what was heard lately, in a fixed order.
  func endpoints() -> [String] {
    let now = ContinuousClock.now
    let datagrams = socket.hear(atMost: Self.datagramCountMax)
    let announcement = state.withLock { state -> [UInt8]? in
      for datagram in datagrams { hear(datagram, at: now, &state) }
      state.heard = state.heard.filter { now - $0.value < Self.lifetime }
      guard now >= state.nextCall, let announcement = state.announcement else { return nil }
      state.nextCall = now + Self.interval
      return announcement
    }
    if let announcement { socket.call(announcement) }
    return state.withLock { $0.heard.keys.sorted() }
  }

  private func hear(_ datagram: [UInt8], at now: ContinuousClock.Instant, _ state: inout State) {
    guard case .beacon(let beacon)? = try? Message(decoding: datagram), beacon.group == group else { return }
    for endpoint in beacon.endpoints {
      guard state.heard[endpoint] != nil || state.heard.count < Self.endpointCountMax else { continue }
      state.heard[endpoint] = now
    }
  }
}
