import StarlingCore
import StarlingGraph

/// Readers of the conflicts of one model, by field. Costs nothing until somebody reads one.
final class ConflictSources: Sendable {
  private let sources = Once<KeyedSources<Int>>()

  func track(_ field: Int, in state: ModelState) {
    sources.value { KeyedSources() }.track(field, in: state.home)
  }

  func touch(_ field: Int, in state: ModelState) {
    sources.ifMade?.touch(field, in: state.home)
  }
}

/// Readers of references, by the object referred to.
final class LifeSources: Sendable {
  private let home = Home()
  private let sources = KeyedSources<ObjectID>()

  func track(_ object: ObjectID) {
    sources.track(object, in: home)
  }

  func touch(_ objects: [ObjectID]) {
    guard !objects.isEmpty else { return }
    batch {
      for object in objects { sources.touch(object, in: home) }
    }
  }
}

// Their equality and hash are ours, and read no cell.
extension Key: SourceKey {}
extension ObjectID: SourceKey {}
