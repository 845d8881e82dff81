#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The descriptors on which a thread sleeps, as poll(2) takes them.
///
/// ```
///   polled   [ wakeup ][ socket ][ socket ] …     kept between calls: a sleep copies nothing
///   watches  [        ][ watch  ][ watch  ] …     in the same places: who watches, and the name it gave
/// ```
///
/// There are a few dozen at most, six for a dialled peer, eight for all that dial us and one for a cluster; looking
/// through them costs less than one call of the system.
struct WatchedDescriptors {
  private struct Watch {
    /// Nil for the wakeup.
    let loop: (any LinkLoop)?
    let token: UInt64
  }

  private var polled: [pollfd]
  private var watches: [Watch]
  private let wakeup: Wakeup

  init(endedBy wakeup: Wakeup) {
    self.wakeup = wakeup
    polled = [pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)]
    watches = [Watch(loop: nil, token: 0)]
  }

  /// - Complexity: O(1)
  mutating func add(_ descriptor: Int32, of loop: any LinkLoop, as token: UInt64) {
    polled.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
    watches.append(Watch(loop: loop, token: token))
  }

  /// Whether the thread wakes up too where the descriptor takes bytes.
  ///
  /// - Complexity: O(descriptors)
  mutating func setWrites(_ writes: Bool, of loop: any LinkLoop, as token: UInt64) {
    guard let index = index(of: loop, token) else { return }
    polled[index].events = Int16(writes ? POLLIN | POLLOUT : POLLIN)
  }

  /// Called before the descriptor is closed: its number may soon be somebody else's.
  ///
  /// - Complexity: O(descriptors)
  mutating func remove(_ token: UInt64, of loop: any LinkLoop) {
    guard let index = index(of: loop, token) else { return }
    polled.swapAt(index, polled.count - 1)
    watches.swapAt(index, watches.count - 1)
    polled.removeLast()
    watches.removeLast()
  }

  private func index(of loop: any LinkLoop, _ token: UInt64) -> Int? {
    watches.firstIndex { $0.token == token && $0.loop === loop }
  }

  /// Returns once a descriptor is ready, the wakeup came or `limit` has passed, rounded up to a millisecond. Tells those
  /// whose descriptors are ready.
  ///
  /// - Complexity: O(descriptors)
  mutating func sleep(timeout limit: Duration) {
    var milliseconds = limit.roundedUpMilliseconds
    if milliseconds > 0, !wakeup.rest() { milliseconds = 0 }
    var count = poll(&polled, nfds_t(polled.count), milliseconds)
    wakeup.rise(wasHeard: count > 0 && polled[0].revents != 0)
    // Interrupted by a signal, it leaves what it told last time.
    guard count > 0 else { return }
    if polled[0].revents != 0 { count -= 1 }
    for index in 1..<polled.count where count > 0 && polled[index].revents != 0 {
      count -= 1
      watches[index].loop?.noteReady(watches[index].token)
    }
  }
}
