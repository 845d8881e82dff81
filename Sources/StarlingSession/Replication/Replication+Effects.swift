package import StarlingCore
package import StarlingWire

extension Replication {
  /// What is to be done.
  package enum Effect: Sendable {
    // MARK: The link

    case say(Message, to: PeerHandle)
    /// One that is encoded already, as one is that goes to several.
    case send([UInt8], to: PeerHandle)
    /// Say how many messages were said (`heartbeat`).
    case sayHeartbeat(to: PeerHandle)
    case publish([UInt8])
    case subscribe([UInt8], at: PeerHandle)
    case unsubscribe([UInt8], at: PeerHandle)
    /// Dial, and say how that ended (`dialled`, `failed`).
    case dial(String, attempt: UInt64)
    case disconnect(PeerHandle)
    /// Look which endpoints there are (`discovered`).
    case discover
    /// Ask the allowlist about everybody again (`reviewTrust`).
    case reviewTrust
    /// Tell relays what they have not heard, one thing after the other as far as each is taken (`news`).
    case tellRelays
    /// Whoever writes under that name is let in no more.
    case suspend(String, explanation: String, EquivocationReport)

    // MARK: Documents

    /// A live frame's changes (`mayMerge`, `merged`).
    case merge([Change], from: PeerHandle, in: DocumentNumber)
    /// The same, of an answer.
    case mergeParts([Contribution], from: PeerHandle, in: DocumentNumber)
    // A document is some four hundred bytes, and each effect would take as many.
    indirect case mergeState(ValidatedSnapshot, from: PeerHandle, in: DocumentNumber)
    /// Store tombstones that changes of the peer stand on.
    case adopt([Change], from: PeerHandle, expecting: VersionVector, in: DocumentNumber)
    /// Hand over what was written here (`wrote`).
    case takeOutbox(DocumentNumber)
    /// What is written under a refused id is handed over by now: go on.
    case reviewDisowned(ReplicaID, in: DocumentNumber, by: PeerHandle, isLeased: Bool)
    /// Let the next that is written be under that id.
    case rename(DocumentNumber, to: ReplicaID)
    case keepSpare(DocumentNumber)
    /// Write under a leased id if that can still be (`tookUp`).
    case takeUp(Message.LeaseGrant, in: DocumentNumber)
    /// So many bytes more of the document wait for the log.
    case countUnlogged(DocumentNumber, byteCount: Int)
    /// Make the digest (`digested`).
    case digest(DocumentNumber)
    /// Give back memory that was kept for more writes.
    case trim(DocumentNumber)
    /// Collect tombstones that nobody needs, of what everybody has (`collected`).
    case collectTombstones(DocumentNumber, stable: VersionVector)
    /// Drop the changes that wait for others and that nobody says to hold (`waits`).
    case dropUnclaimed(DocumentNumber, beyond: VersionVector)
    /// Open a document for a peer, which the message is heeded of then (`opened`).
    case openDocument(DocumentID, for: PeerHandle, heeding: Message?)
    /// Open a document for other daemons, which are told of it then (`failedToReopen`).
    case reopen(DocumentID)
    /// The document is forgotten, or nobody uses it: drop it.
    case close(DocumentNumber)
    /// Somebody may watch how far the document has come.
    case tellProgress(DocumentNumber)

    /// The digests that could be made at once are there: go on (`beat`).
    case beat

    // MARK: Presence

    /// Say what is new (`publish(presence:)`), and forget what is over.
    case reviewPresence(DocumentNumber)
    /// What a peer said, and how much of it is taken from an account (`heard(presence:)`).
    case hearPresence([PresenceNotice], account: String?, byteCountMax: Int, from: PeerHandle, in: DocumentNumber)
    /// Everything that is said (`tell(presence:)`), to the peer that has just asked for the document.
    case tellPresence(DocumentNumber, to: PeerHandle)
    /// Count again what each key has said, and what waits of it.
    case reviewBudgets

    // MARK: The log

    /// Something waits for it.
    case log
    case reviewCheckpoint(DocumentNumber)
    /// Make states of what was written before a moment, in milliseconds since 1970 (`LogPipeline.beginAging`).
    case compactAgedLogs(before: UInt64)
    /// Ask how much of what is durable may be told (`acknowledge`): everybody, or one.
    case acknowledge(DocumentNumber, to: PeerHandle?)
    /// Read what the log has of that (`compared`), or its latest records (`tell(evidence:)`).
    case compare(Evidence.Comparison)
    case tellEvidence(DocumentNumber, to: PeerHandle)

    // MARK: Answers

    case answer(Message.Want, to: PeerHandle)
    /// Answers that wait for the peer look again whether they may go on; nil for those to all peers.
    case goOnAnswering(PeerHandle?, AnswerCourse.Waiting)
    /// States that were kept for askers may go.
    case reviewCuts

    // MARK: Leases

    /// Withdraw the liveness lock, and admit the peer if that is done (`admit`).
    case withdrawLife(admitting: PeerHandle, Message.Hello)
    /// Put it up (`showedLife`).
    case showLife(to: StoreID)
    /// Withdraw it, or write under an id of one's own.
    case keepForGood(DocumentNumber)
    /// Look who has ended (`holderEnded`).
    case reviewLeases

    // MARK: People

    case report(EngineEvent)
    /// Whoever waits goes on.
    case resume(Waiters.Effect)
  }
}
