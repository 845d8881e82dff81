#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The descriptors on which the link's thread sleeps, as poll(2) takes them.
///
/// ```
///   polled   [ wakeup ][ socket ][ socket ] …     kept between calls: a sleep copies nothing
///   tokens   [        ][ token  ][ token  ] …     in the same places
/// ```
///
/// There are a few dozen at most, six for a dialled peer and eight for all that dial us; looking through
/// them costs less than one call of the system.
struct WatchedDescriptors {
  private var polled: [pollfd]
  private var tokens: [UInt64]
  private let wakeup: Wakeup

  init(endedBy wakeup: Wakeup) {
    self.wakeup = wakeup
    polled = [Self.readable(wakeup.descriptor)]
    tokens = [0]
  }

  /// - Complexity: O(1)
  mutating func add(_ descriptor: Int32, as token: UInt64) {
    polled.append(Self.readable(descriptor))
    tokens.append(token)
  }

  /// Called before the descriptor is closed: its number may soon be somebody else's.
  ///
  /// - Complexity: O(descriptors)
  mutating func remove(_ token: UInt64) {
    guard let index = tokens[1...].firstIndex(of: token) else { return }
    polled.swapAt(index, polled.count - 1)
    tokens.swapAt(index, tokens.count - 1)
    polled.removeLast()
    tokens.removeLast()
  }

  /// Returns once a descriptor is readable, the wakeup came or `limit` has passed, rounded up to
  /// a millisecond. Hands the tokens of what is readable to `body`.
  ///
  /// - Complexity: O(descriptors)
  mutating func sleep(timeout limit: Duration, _ body: (UInt64) -> Void) {
    var milliseconds = limit.roundedUpMilliseconds
    if milliseconds > 0, !wakeup.rest() { milliseconds = 0 }
    var count = poll(&polled, nfds_t(polled.count), milliseconds)
    wakeup.rise(wasHeard: count > 0 && polled[0].revents != 0)
    // Interrupted by a signal, it leaves what it told last time.
    guard count > 0 else { return }
    if polled[0].revents != 0 { count -= 1 }
    for index in 1..<polled.count where count > 0 && polled[index].revents != 0 {
      count -= 1
      body(tokens[index])
    }
  }

  private static func readable(_ descriptor: Int32) -> pollfd {
    pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  }
}
