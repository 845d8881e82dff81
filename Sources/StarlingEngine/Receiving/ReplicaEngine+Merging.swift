import StarlingCore
import StarlingSession
import StarlingWire

// What arrives and merges.
extension ReplicaEngine {
  // MARK: Changes

  func merge(_ changes: [Change], from peer: PeerHandle, in number: DocumentNumber) {
    let last = changes.lazy.map(\.last)
    guard let document = document(number), mayMerge(last, from: peer, in: number) else { return }
    trace(document.id, changes.count, last) {
      let merged = document.handle.merge(changes, broughtBy: replication.bringer(peer, in: number)) { fresh in
        decide { $0.renamed(number, to: fresh) }
      }
      decide {
        $0.merged(
          merged, of: { changes.map { .change($0) } }, from: peer, in: number, level: document.handle.heldByteCount)
      }
    }
  }

  func merge(_ parts: [Contribution], from peer: PeerHandle, in number: DocumentNumber) {
    let last = parts.lazy.map { Dot($0.replica, $0.lastCounter) }
    guard let document = document(number), mayMerge(last, from: peer, in: number) else { return }
    trace(document.id, parts.reduce(0) { $0 + $1.changeCount }, parts.lastDotsOfEnds) {
      let merged = document.handle.merge(parts, broughtBy: replication.bringer(peer, in: number)) { fresh in
        decide { $0.renamed(number, to: fresh) }
      }
      decide {
        $0.merged(merged, of: { parts }, from: peer, in: number, level: document.handle.heldByteCount)
      }
    }
  }

  private func mayMerge(_ lastDots: some Sequence<Dot>, from peer: PeerHandle, in number: DocumentNumber) -> Bool {
    decide {
      $0.mayMerge(lastDots, from: peer, in: number) {
        configuration.lifeSigns?.isStanding($0.description) ?? false
      }
    }
  }

  /// Merges, in sight of the tracer if there is one.
  private func trace<LastDots: BidirectionalCollection<Dot>>(
    _ document: DocumentID, _ changeCount: @autoclosure () -> Int, _ lastDots: @autoclosure () -> LastDots,
    _ merge: () -> Void
  ) {
    guard let tracer = configuration.tracer,
      let work = TracedWork(document, changeCount: changeCount(), lastDots: lastDots())
    else { return merge() }
    tracer.merging(work, merge)
  }

  // MARK: States

  func merge(_ state: ValidatedSnapshot, from peer: PeerHandle, in number: DocumentNumber) {
    guard let document = document(number) else { return }
    takeOutbox(of: document)
    do {
      let authority = replication.authority(of: peer)
      if state.version == replication.documents[number].version,
        let settlement = try document.handle.settle(with: state.document, authority: authority)
      {
        return decide { $0.settled(settlement, with: peer, in: number) }
      }
      let merged = try document.handle.merge(state.document) { fresh in decide { $0.renamed(number, to: fresh) } }
      decide {
        $0.merged(merged, state: state, from: peer, in: number, level: document.handle.heldByteCount)
      }
    } catch {
      decide { $0.refuse(stateOf: number, from: peer, error) }
    }
  }

  /// Stores tombstones that changes of the peer stand on (Protocol/conversation.md, "Paths of tombstones").
  func adopt(_ paths: [Change], from peer: PeerHandle, expecting expected: VersionVector, in number: DocumentNumber) {
    guard let document = document(number) else { return }
    takeOutbox(of: document)
    do {
      let count = try document.handle.adopt(removedPaths: paths, expecting: expected)
      decide { $0.adopted(count, in: number) }
    } catch {
      decide { $0.refuse(tombstonesOf: number, from: peer, error) }
    }
  }
}

extension [Contribution] {
  /// The last operations of the first change and of the last one.
  fileprivate var lastDotsOfEnds: [Dot] {
    guard let first = first?.changes.first, let last else { return [] }
    return [first.last, Dot(last.replica, last.lastCounter)]
  }
}
