import StarlingCore
import StarlingSession
import StarlingWire

// Our own changes that the group refuses for good (Documentation/Decisions/refused-changes-are-written-again.md).
extension ReplicaEngine {
  /// Gives refused changes up and makes the change that does what they did, which the log and the peers are still to be
  /// told; or has them reported where that cannot be.
  func giveUpRefused(in document: DocumentID) async throws {
    guard let open = self.document(document), try await !mayHaveGivenUpRefused(in: open) else { return }
    decide { $0.leaveRefused(in: open.number) }
  }

  /// False where it cannot be.
  private func mayHaveGivenUpRefused(in open: OpenDocument) async throws -> Bool {
    takeOutbox(of: open)
    let refused = replication.pipeline[open.id].refused
    let found: RefusedChanges.Remainder?
    do {
      found = try await reader(of: open.id).remainder(without: refused)
    } catch let error as LogError where error.isTransient {
      throw error
    } catch {
      report(.historyUnreadable(open.id, error))
      return false
    }
    if document(open.number) == nil { return true }
    guard var remainder = found else { return false }
    var countTaken = 0
    while true {
      takeOutbox(of: open)
      let unlogged = replication.pipeline[open.id].unlogged
      for record in unlogged[countTaken...] { guard try remainder.take(record) else { return false } }
      countTaken = unlogged.count
      let (counters, version) = (remainder.refused.counters, remainder.document.version)
      switch decide({
        $0.mayWriteAgain(without: counters, on: version, in: open.number, isWriting: open.handle.isWriting)
      }) {
      case .done: return true
      case .never: return false
      case .now: break
      }
      let former = replication.former(of: open.number)
      switch open.handle.writeAgain(on: remainder.document, insteadOf: former) {
      case .notNow: continue
      case .tooLarge: return false
      case .done(let change, let version):
        open.cuts.drop()
        decide { $0.wroteAgain(change, at: version, insteadOf: former, without: counters, in: open.number) }
        return true
      }
    }
  }
}
