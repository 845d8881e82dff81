import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What ends the sleep of the link's thread, rung by any thread.
///
/// ```
///           rest                    ring
///   awake ───────► asleep ──────────────────► rung   (writes to the pipe: somebody sleeps)
///     │                                        ▲ │
///     └──────────────── ring ──────────────────┘ │   (writes nothing: it is seen before sleeping)
///     ▲────────────────── rise ──────────────────┘
/// ```
final class Wakeup: Sendable {
  private static let awake: UInt8 = 0
  private static let rung: UInt8 = 1
  private static let asleep: UInt8 = 2

  /// Readable once it was rung for somebody who sleeps; -1 where the system had no pipe left.
  let descriptor: Int32
  private let hammer: Int32
  private let state = Atomic(Wakeup.awake)

  init() {
    (descriptor, hammer) = Descriptor.makePipe() ?? (-1, -1)
  }

  deinit {
    guard isUsable else { return }
    close(descriptor)
    close(hammer)
  }

  /// Whether the system had descriptors left.
  var isUsable: Bool { descriptor >= 0 }

  /// Ends the present or the next rest. Any thread.
  func ring() {
    guard state.exchange(Self.rung, ordering: .acquiringAndReleasing) == Self.asleep else { return }
    var byte: UInt8 = 0
    // A pipe that is full is readable all the same.
    _ = write(hammer, &byte, 1)
  }

  /// - Returns: false if it was rung since `rise`: whoever would sleep looks around instead.
  func rest() -> Bool {
    state.compareExchange(expected: Self.awake, desired: Self.asleep, ordering: .acquiringAndReleasing).exchanged
  }

  /// Whoever slept is awake.
  ///
  /// - Parameter wasHeard: whether the descriptor was readable; then it falls silent.
  func rise(wasHeard: Bool) {
    state.store(Self.awake, ordering: .sequentiallyConsistent)
    guard wasHeard else { return }
    // A byte for each sleep that a ring ended, and one ends one: they are few.
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { bytes in
      while read(descriptor, bytes.baseAddress!, bytes.count) == bytes.count {}
    }
  }
}
