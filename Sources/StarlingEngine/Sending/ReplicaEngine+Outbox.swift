import StarlingCore
import StarlingSession
import StarlingWire

// What was written here, on its way to be published and logged.
extension ReplicaEngine {
  /// An outbox goes on in the memory of one that was published if that holds at most so many changes.
  private static let spareCountMax = 4096

  /// Hands over what was written in the document since the last call.
  func takeOutbox(of document: OpenDocument) {
    let number = document.number
    guard self.document(number) != nil, !replication.isRetracting(number) else { return }
    var changes: [Change] = []
    swap(&changes, &document.spareOutbox)
    let (origins, version) = document.handle.exchangeOutbox(for: &changes, &document.spareOperations)
    if let tracer = configuration.tracer,
      let work = TracedWork(document.id, changeCount: changes.count, lastDots: changes.lazy.map(\.last))
    {
      tracer.publishing(work, origins: origins) { handOver(changes, upTo: version, of: document) }
    } else {
      handOver(changes, upTo: version, of: document)
    }
    if document.spareOperations.count <= Self.spareCountMax { changes.giveBack(to: &document.spareOperations) }
    changes.removeAll(keepingCapacity: changes.capacity <= Self.spareCountMax)
    swap(&changes, &document.spareOutbox)
  }

  private func handOver(_ changes: [Change], upTo version: VersionVector, of document: OpenDocument) {
    decide { $0.publish(written: changes, in: document.number) }
    decide { $0.wrote(changes, upTo: version, in: document.number) { document.handle.openTransaction } }
  }

  /// Gives back memory that was kept for more writes.
  func trim(_ number: DocumentNumber) {
    guard let document = document(number) else { return }
    (document.spareOutbox, document.spareOperations) = ([], [])
    document.handle.trimOutbox()
  }
}

extension [Change] {
  /// Empties those that have few operations, as most do: what one thread allocates and another frees costs both more
  /// than the operations do.
  fileprivate mutating func giveBack(to spares: inout [[Operation]]) {
    withUnsafeMutableBufferPointer { changes in
      for place in changes.indices where changes[place].operations.count <= 2 {
        var operations: [Operation] = []
        swap(&operations, &changes[place].operations)
        while !operations.isEmpty { operations.removeLast() }
        // Handed on, which counts no reference.
        spares.append(consume operations)
      }
    }
  }
}
