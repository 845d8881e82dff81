package import StarlingCore
package import StarlingSession
import StarlingWire

// Replica ids that are leased, and written under (Protocol/conversation.md, "Leases").
extension ReplicaEngine {
  // MARK: Granting leases

  /// Looks who has ended.
  func reviewLeases() {
    guard let signs = configuration.lifeSigns else { return }
    for name in signs.ended() {
      guard let store = StoreID(description: name) else { continue }
      let isSettled = decide {
        $0.holderEnded(store) { number, replica in document(number)?.handle.holdsBack(replica) ?? false }
      }
      if isSettled { signs.clear(name) }
    }
  }

  /// The granted leases of a document, for tests.
  package func leases(of document: DocumentID) -> [LogLease] {
    replication.documents.number(of: document).map { replication.documents[$0].leases.entries } ?? []
  }

  /// The ids under which this store ever wrote the document, for tests.
  package func ownWriters(of document: DocumentID) -> Set<ReplicaID> {
    replication.documents.number(of: document).map { replication.documents[$0].own.writers } ?? []
  }

  // MARK: Writing under a lease

  func takeUp(_ grant: Message.LeaseGrant, in number: DocumentNumber) {
    guard let outcome = document(number)?.handle.takeUp(grant.replica, after: grant.counter) else { return }
    decide { $0.took(grant, outcome, in: number) }
  }

  func showLife(to grantor: StoreID) {
    guard configuration.lifeSigns?.show(opened.store.description) == true else { return }
    decide { $0.showedLife(to: grantor) }
  }

  /// False where the liveness lock still stands.
  func withdrawLife() -> Bool {
    guard replication.confinedTo != nil else { return true }
    guard configuration.lifeSigns?.withdraw(opened.store.description) ?? true else { return false }
    decide { $0.withdrewLife() }
    return true
  }

  // MARK: Ending

  /// Called when everything that was written is on its way; returns once the grantor has received it, or need not.
  func returnLeases() async {
    decide { $0.returnLeases() }
    guard replication.isReturning else { return }
    await withCheckedContinuation { returning = $0 }
  }

  func endReturning() {
    returning?.resume()
    returning = nil
  }
}
