import StarlingCore
import StarlingGraph
import StarlingGuard

/// Readers of the conflicts of one model, by field. Costs nothing until somebody reads one.
final class ConflictSources: Sendable {
  private let sources = Once<KeyedSources<Int>>()
  private let observation = Once<CoarseObservation>()

  func track(_ field: Int, in state: ModelState) {
    let listeners = Listeners.here
    if listeners.contains(.graph) { sources.value { KeyedSources() }.track(field, in: state.home) }
    if listeners.contains(.foreign) { observation.value { CoarseObservation() }.note() }
  }

  func touch(_ field: Int, in state: ModelState) {
    sources.ifMade?.touch(field, in: state.home)
    observation.ifMade?.tell()
  }
}

/// Readers of references, by the object referred to.
final class LifeSources: Sendable {
  private let home = Home()
  private let sources = KeyedSources<ObjectID>()
  private let observation = CoarseObservation()
  /// The objects that somebody outside the graph's observers asked for, until he is told.
  private let asked = Guarded(Set<ObjectID>())

  func track(_ object: ObjectID) {
    let listeners = Listeners.here
    if listeners.contains(.graph) { sources.track(object, in: home) }
    guard listeners.contains(.foreign) else { return }
    asked.withLock { _ = $0.insert(object) }
    observation.note()
  }

  /// Whether somebody read a reference to the object and was not told since.
  func isFollowed(_ object: ObjectID) -> Bool {
    sources.hasReaders(object, in: home) || asked.withLock { $0.contains(object) }
  }

  func touch(_ objects: [ObjectID]) {
    guard !objects.isEmpty else { return }
    sources.touch(objects, in: home)
    let isAsked = asked.withLock { asked in objects.reduce(false) { asked.remove($1) != nil || $0 } }
    if isAsked { observation.tell() }
  }
}

// Their equality and hash are ours, and read no cell.
extension Key: SourceKey {}
extension ObjectID: SourceKey {}
