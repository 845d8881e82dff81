import CZeroMQ
import Glibc
import StarlingEngine
import Synchronization

/// What the link's thread sleeps on: the descriptors of its sockets, and a bell that any thread may ring.
///
/// ```
///           wait                    ring
///   awake ───────► asleep ──────────────────► rung   (writes the eventfd: somebody sleeps)
///     │                                        ▲ │
///     └──────────────── ring ──────────────────┘ │   (writes nothing: it is seen before sleeping)
///     ▲────────────────── wait returns ──────────┘
/// ```
final class Poller: Sendable {
  private enum Bell {
    static let awake: UInt8 = 0
    static let rung: UInt8 = 1
    static let asleep: UInt8 = 2
  }

  private static let bellToken = UInt64.max

  private let epoll: Int32
  private let bell: Int32
  private let state = Atomic(Bell.awake)

  /// Whether the system had descriptors left.
  var isUsable: Bool { epoll >= 0 && bell >= 0 }

  init() {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    bell = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    // Told of every ring once (EPOLLET), so that the bell need not be read to fall silent.
    if isUsable { watch(bell, as: Self.bellToken, EPOLLIN.rawValue | EPOLLET.rawValue) }
  }

  deinit {
    if epoll >= 0 { close(epoll) }
    if bell >= 0 { close(bell) }
  }

  /// Ends the present or the next `wait`. Any thread.
  func ring() {
    guard state.exchange(Bell.rung, ordering: .acquiringAndReleasing) == Bell.asleep else { return }
    eventfd_write(bell, 1)
  }

  @discardableResult
  func watch(_ descriptor: Int32, as token: UInt64, _ events: UInt32 = EPOLLIN.rawValue) -> Bool {
    var event = epoll_event()
    event.events = events
    event.data.u64 = token
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0
  }

  func forget(_ descriptor: Int32) {
    var event = epoll_event()
    epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event)
  }

  /// Returns once a descriptor is readable, the bell was rung or `limit` has passed, rounded up to
  /// a millisecond. Hands the tokens of what is readable to `body`.
  func wait(atMost limit: Duration, _ body: (UInt64) -> Void) {
    var milliseconds = limit.roundedUpMilliseconds
    if milliseconds > 0 {
      let (mayRest, _) = state.compareExchange(
        expected: Bell.awake, desired: Bell.asleep, ordering: .acquiringAndReleasing)
      if !mayRest { milliseconds = 0 }
    }
    withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 64) { events in
      let count = epoll_wait(epoll, events.baseAddress, Int32(events.count), milliseconds)
      state.store(Bell.awake, ordering: .sequentiallyConsistent)
      for index in 0..<max(0, Int(count)) {
        let token = events[index].data.u64
        if token != Self.bellToken { body(token) }
      }
    }
  }
}

extension Duration {
  /// Whole milliseconds as the C calls take them, between 0 and a day.
  var roundedUpMilliseconds: Int32 {
    guard self > .zero else { return 0 }
    guard self < .seconds(86_400) else { return 86_400_000 }
    let (seconds, attoseconds) = components
    return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }

  /// Time that only goes forward.
  static var uptime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
