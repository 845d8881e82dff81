import StarlingCore
import StarlingSession

// What is made of a document that rests: its digest, and the space of collected tombstones.
extension ReplicaEngine {
  /// Some milliseconds of work.
  private static let slotCountDigestedAtOnce = 10_000

  /// Makes the digest of a small document at once, and that of a large one beside the engine, where nobody waits for
  /// it: it is told with a later heartbeat.
  func makeDigest(of number: DocumentNumber) {
    guard let cut = document(number)?.handle.cut() else { return decide { $0.digested(nil, number) } }
    guard cut.slotCount > Self.slotCountDigestedAtOnce else {
      return decide { $0.digested((cut.version, cut.digest()), number) }
    }
    beginBeside { [weak self] in
      await self?.made((cut.version, cut.digest()), number)
    }
  }

  private func made(_ digest: (version: VersionVector, value: Digest), _ number: DocumentNumber) {
    decide { $0.digested(digest, number) }
  }

  // MARK: Tombstones

  /// Collects tombstones that nobody needs any more, now that everybody has `stable`.
  func collectTombstones(in number: DocumentNumber, stable: VersionVector) {
    var collection = TombstoneCollection(stable: stable)
    guard collectMore(of: &collection, in: number) else { return }
    begin { [collection] in await $0.finish(collection, in: number) }
  }

  /// Whoever waits for the document or for the engine has his turn between two parts.
  private func finish(_ collection: TombstoneCollection, in number: DocumentNumber) async {
    var collection = collection
    repeat { await Task.yield() } while phase == .running && collectMore(of: &collection, in: number)
  }

  /// - Returns: whether something is left.
  private func collectMore(of collection: inout TombstoneCollection, in number: DocumentNumber) -> Bool {
    guard let handle = document(number)?.handle else { return false }
    let step = handle.collectTombstones(&collection)
    switch step {
    case .more: return true
    case .isWriting: decide { $0.collected(nil, in: number) }
    case .done:
      let stable = collection.stable
      decide { $0.collected(stable, in: number) }
    }
    return false
  }
}
