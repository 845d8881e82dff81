import Observation
import StarlingGraph
import Synchronization

/// The standard library's view of what has no key paths of its own: a keyed collection, a model's
/// conflicts, the objects that references point at. It is one property, `members`, for all of it. The
/// graph's observers see each key by itself; key paths with a key in them would cost every read.
final class CoarseObservation: Observable, Sendable {
  private let registrar = ObservationRegistrar()
  private let isRead = Atomic(false)

  private var members: Void { () }

  /// Whether anybody may be listening.
  var mayBeObserved: Bool { isRead.load(ordering: .sequentiallyConsistent) }

  /// A read of what `track` notes in the graph: for the graph, the standard library, both or nobody.
  @inline(__always) func note(_ track: () -> Void) {
    let listeners = Listeners.here
    if listeners.contains(.graph) { track() }
    if listeners.contains(.foreign) { note() }
  }

  /// A read in a scope of the standard library.
  func note() {
    // First the flag, then the read, and a write stores before it looks: one of the two sees the other.
    if !isRead.load(ordering: .relaxed) { isRead.store(true, ordering: .sequentiallyConsistent) }
    registrar.access(self, keyPath: \.members)
  }

  /// After the members were stored and every lock is released.
  func tell() {
    guard mayBeObserved else { return }
    registrar.willSet(self, keyPath: \.members)
    registrar.didSet(self, keyPath: \.members)
  }
}
