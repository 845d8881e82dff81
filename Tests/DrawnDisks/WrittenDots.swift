import StarlingCore
import StarlingEngine

/// All that was ever written to a store and its copies, acknowledged or not.
struct WrittenDots {
  private var own: [DocumentID: [ReplicaID: [UInt64: [UInt8]]]] = [:]
  private var all: [DocumentID: Set<[UInt8]>] = [:]
  private var states: Set<StoredSnapshot> = []
  private(set) var greatest: [ReplicaID: [DocumentID: UInt64]] = [:]

  /// - Throws: `Violation` where a dot has another content already.
  mutating func note(_ operation: StoreOperation, by replica: ReplicaID) throws {
    for record in operation.records {
      all[record.document, default: []].insert(record.bytes)
      guard record.replica == replica else { continue }
      for counter in record.firstCounter...record.lastCounter {
        if let former = own[record.document]?[replica]?[counter], former != record.bytes {
          throw Violation("\(replica):\(counter) of '\(record.document)' has two contents")
        }
        own[record.document, default: [:]][replica, default: [:]][counter] = record.bytes
      }
      greatest[replica, default: [:]][record.document] = max(
        greatest[replica]?[record.document] ?? 0, record.lastCounter)
    }
    switch operation {
    case .compact(_, let state, _, _), .checkpoint(_, let state): states.insert(state)
    default: break
    }
  }

  func isUsed(_ replica: ReplicaID) -> Bool { greatest[replica] != nil }

  /// Whether the contents name every dot that the replica ever wrote.
  func isKnown(_ replica: ReplicaID, to contents: StoreContents) -> Bool {
    (greatest[replica] ?? [:]).allSatisfy { document, counter in
      contents.forgotten.contains(document) || contents.documents[document]?.head[replica] == counter
    }
  }

  /// What of the contents was never written; nil if there is nothing of that kind.
  func stranger(in contents: StoreContents) -> String? {
    for (document, stored) in contents.documents {
      for record in stored.records where all[document]?.contains(record.bytes) != true {
        return "\(record.replica):\(record.firstCounter)...\(record.lastCounter) of '\(document)'"
      }
      for state in [stored.snapshot, stored.checkpoint].compactMap(\.self) where !states.contains(state) {
        return "a state of '\(document)' at \(state.version)"
      }
    }
    return nil
  }
}
