import StarlingEngine
import StarlingGuard

/// The clocks of one machine: the uptime is the network's, the wall clock is off by as much as it is.
final class SimulatedClock: Sendable {
  private let network: MemoryNetwork
  private let offset: Guarded<Duration>

  private static let start = Duration.milliseconds(1_800_000_000_000)

  init(network: MemoryNetwork, offset: Duration) {
    self.network = network
    self.offset = Guarded(offset)
  }

  func jump(by distance: Duration) {
    offset.withLock { $0 += distance }
  }

  var engineClock: EngineClock {
    EngineClock(
      wallMilliseconds: { [self] in
        UInt64((Self.start + network.now + offset.withLock { $0 }).microseconds / 1000)
      },
      uptime: { [network] in network.now })
  }
}
