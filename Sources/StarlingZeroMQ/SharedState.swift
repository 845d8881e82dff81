import StarlingGuard
import Synchronization

/// What any thread may touch of a link whose sockets live on one.
final class SharedState: Sendable {
  let isStarted = Atomic(false)
  /// Whether somebody asked for a call of `receive`. Set by any thread, cleared by the link's.
  let isWakeDue = Atomic(false)
  /// The counters as they were at the end of the last turn.
  let counters = Guarded(ZeroMQLink.Counters())
}
