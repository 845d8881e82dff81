public import StarlingCore

/// Something that whoever runs an engine may want to know.
public enum EngineEvent: Sendable, CustomStringConvertible {
  /// A peer said hello and is welcome.
  case joined(StoreID, agent: String)
  case left(StoreID)
  /// What is heard of another daemon of the group.
  case daemon(StoreID, DaemonNews)
  /// Of two peers only one can dial the other.
  case oneWayLink(OneWayLink)
  /// Another process speaks under this store's name.
  case storeContested
  /// A peer was refused, or refused us.
  case refused(StoreID?, explanation: String)
  /// A dialled peer answers and does not let us in.
  case notAdmitted(_ endpoint: String, HandshakeFailure)
  /// Somebody came and was let in or was not, or tried what its key does not permit.
  case access(AccessEvent)
  /// Two peers hold equal versions and unequal states of a document: they do not merge any more.
  case diverged(DocumentID, StoreID)
  /// A peer held another state of our own version. One of the two stays, here and there; merging goes on.
  case settled(DocumentID, StoreID, Settlement)
  /// A document was forgotten for good, here or by another member.
  case forgotten(DocumentID)
  /// A change was stamped further ahead than our clock may follow.
  case farFutureStamp(DocumentID, ReplicaID)
  /// The log failed: the replica goes on in memory and acknowledges nothing. Where the error may pass
  /// (`LogError.isTransient`), the log is tried again until it works.
  case logFailed(LogError)
  /// Acknowledged records were missing when the log was opened, and that was accepted: what peers have of them comes
  /// back.
  case logDamaged(LogError)
  /// What the log holds of a document cannot be read: it is not served, and nothing is changed of it. The others are.
  case quarantined(DocumentID, LogError)
  /// The log works again, and takes everything that was written since it failed.
  case logRecovered(after: Duration)
  /// What the log holds of a document's past cannot be read; the present stands, and nothing is compacted.
  case historyUnreadable(DocumentID, any Error)
  /// A checkpoint that spares reading a document's past at opening is not as it was written. The past was read instead,
  /// and the document is whole; the next checkpoint takes its place.
  case checkpointUnreadable(DocumentID, any Error)
  /// Somebody else wrote under our id: the replica goes on under a new one.
  case renamed(DocumentID, to: ReplicaID)
  /// A peer has met a later start of this store, which was put back from a copy since: it goes on under new replica
  /// ids.
  case rolledBack(from: UInt64, to: UInt64, toldBy: StoreID)
  /// Changes that were written here under an id which is somebody else's, as the group says, and which nobody else
  /// held: what they did is written again, in one change under another id, and no application need do anything.
  case writtenAgain(DocumentID, ReplicaID, ClosedRange<UInt64>, as: ReplicaID)
  /// The same, but they could not be written again: the group takes neither them nor what is written after them, which
  /// stands on them. They stay readable here.
  case disowned(DocumentID, ReplicaID, ClosedRange<UInt64>)
  /// Changes of others that no daemon has to which this replica is connected, for half a minute, and that no daemon
  /// takes from here. What is written here after them stands on them.
  case stranded(DocumentID, ReplicaID, ClosedRange<UInt64>)

  /// For people, in one line of bounded length, whatever others have put into their names and explanations.
  public var description: String { words.printable(byteCountMax: 2048) }

  private var words: String {
    switch self {
    case .joined(let store, let agent): "\(agent.printable(byteCountMax: 200)) joined (store \(store))"
    case .left(let store): "store \(store) left"
    case .daemon(let store, let news): "daemon \(store) \(news.rawValue)"
    case .forgotten(let document): "'\(document)' is forgotten for good"
    case .oneWayLink(let link): "\(link)"
    case .storeContested:
      "another daemon says that it has this daemon's store; if it has a copy of its files, give one of the two new ones"
    case .refused(let store, let explanation):
      store.map { "refused by or refusing store \($0): \(explanation)" } ?? "refused: \(explanation)"
    case .notAdmitted(let endpoint, let failure): "'\(endpoint)' does not let this replica in: \(failure)"
    case .access(let event): "\(event)"
    case .diverged(let document, let store):
      "'\(document)' and store \(store) hold equal versions and unequal states; merging with it has stopped"
    case .settled(let document, let store, let settlement):
      "'\(document)': store \(store) held a contradicting state of the same version; "
        + (settlement.outcome == .replaced ? "its state took the place of ours" : "our state stays")
        + (settlement.equivocations.isEmpty ? "" : "; two contents under \(settlement.equivocations.summary)")
    case .farFutureStamp(let document, let replica):
      "replica \(replica) stamps changes of '\(document)' far in the future; check that machine's clock"
    case .logFailed(let error):
      "the log failed, going on in memory without acknowledging\(error.isTransient ? " until it works again" : ""): \(error)"
    case .logDamaged(let error):
      "acknowledged records are missing; going on with what is whole, and fetching the rest from peers: \(error)"
    case .quarantined(let document, let error):
      "'\(document)' is damaged and not served; the other documents are: \(error)"
    case .logRecovered(let outage): "the log works again after \(outage)"
    case .checkpointUnreadable(let document, let error):
      "the checkpoint of '\(document)' cannot be used, and its whole log was read instead: \(error)"
    case .historyUnreadable(let document, let error): "the past of '\(document)' cannot be read: \(error)"
    case .rolledBack(let later, let present, let store):
      "this store was put back from a copy: store \(store) has met its start number \(later), and this is number \(present); "
        + "it goes on as a new replica. What it wrote since the copy comes back from peers that have it. If it wrote anything "
        + "after it was put back and before this, compare that with them"
    case .writtenAgain(let document, let replica, let counters, let fresh):
      "operations \(counters.lowerBound) to \(counters.upperBound) of '\(document)', written here as replica \(replica), "
        + "were refused, for that id is another writer's; what they did was written again as replica \(fresh)"
    case .disowned(let document, let replica, let counters):
      "operations \(counters.lowerBound) to \(counters.upperBound) of '\(document)', written here as replica \(replica), "
        + "never reach the group, for that id is another writer's, and neither does what is written here after them; "
        + "export what is here, and write it again in a new store"
    case .stranded(let document, let replica, let counters):
      "operations \(counters.lowerBound) to \(counters.upperBound) of '\(document)', which replica \(replica) wrote, are here and "
        + "at no daemon: it lost them before its disk had them. Unless their writer comes back with them they never reach the "
        + "group, and neither does what is written here after them; export what is here, and write it again in a new store"
    case .renamed(let document, let replica): "going on in '\(document)' as replica \(replica)"
    }
  }
}

extension [Equivocation] {
  /// The first few dots, for people.
  fileprivate var summary: String {
    let shown = prefix(3).map { "\($0.dot)" }.joined(separator: ", ")
    return count > 3 ? "\(shown) and \(count - 3) more" : shown
  }
}

/// What happened to another daemon of the group.
public enum DaemonNews: String, Sendable, Hashable {
  case came = "is here"
  case moved = "is dialled elsewhere now"
  case left = "has left"
  case gone = "is silent and counts as gone"
}
