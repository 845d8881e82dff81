import StarlingCore
import StarlingSession
import StarlingWire

/// One cut of a document's state on its way to peers. All who ask at about the same time get the same, and one whose
/// connection broke goes on with it where it was cut off.
struct StateCut {
  let bytes: [UInt8]
  let checksum: UInt64
  let version: Version
  /// How many states it holds that were merged here.
  let statesMerged: Int
  let madeAt: Duration
  /// When a part of it was last sent.
  var usedAt: Duration

  /// For so long others are handed it too, and for so long it is kept for those who come back.
  static let sharedFor: Duration = .seconds(5)
  static let keptFor: Duration = .seconds(30)
}

/// A cut that is being written down.
struct CutInMaking {
  let statesMerged: Int
  let task: Task<StateCut, Never>
}

/// A state that came when nothing was here, and is what stands: the log may keep the bytes that came.
struct AdoptedState {
  let snapshot: StoredSnapshot
  /// How many states were merged with it.
  let statesMerged: Int
}

/// What an engine keeps for one open document. Confined to the engine's actor.
final class HostedDocument {
  let handle: DocumentHandle
  var session: DocumentSession

  /// Whether it is looked after with each turn, and whether the log is to be told more of it than records.
  var isAstir = false
  var isOwing = false
  /// Whether the next heartbeat looks at it, and what peers were told with the latest ones.
  var isDue = false
  var heartbeat = DocumentHeartbeat()
  /// Nothing becomes of it any more.
  var isForgotten = false

  /// Empty: memory for the next outbox.
  var spareOutbox: [Change] = []
  /// Empty arrays: memory for the operations of changes to come.
  var spareOperations: [[Operation]] = []

  // Our live streams: of all that is merged here, and of what came from our side once somebody follows that.
  var stream: OutgoingStream
  var side: OutgoingStream?
  var sideChanges = SideChanges()

  // The log. A record is in `unlogged` until its append returns, and in `retained` for as long as
  // an answer reads the log and may have read it before that.
  var unlogged: [LogRecord] = []
  var retained: [LogRecord] = []
  var answersReading = 0
  /// What would bring more while the log cannot keep up, to be said once it has: to each peer its latest want, or the
  /// latest credit of its answer.
  var withheld: [PeerHandle: Message] = [:]
  /// The state that peers are being sent.
  var cut: StateCut?
  var cutInMaking: CutInMaking?
  /// What the log has accepted.
  var durable: Version
  /// Weight of the records since the last snapshot, and of that snapshot.
  var recordByteCount = 0
  var snapshotByteCount = 0
  /// The weight of records from which a fold is tried again after the log refused one.
  var foldByteCountMin = 0
  /// States that were merged, which no record holds, and how many of them the log has folded. In
  /// between nothing more is durable, and records that may stand on such a state wait for its fold.
  var statesMerged = 0
  var statesFolded = 0
  var adopted: AdoptedState?
  var mustFold: Bool { statesMerged > statesFolded }
  /// What the log's snapshot covers, as far as this run knows.
  var floor = Version()
  var checkpoints = CheckpointProgress()
  /// A state of the past that is to be the log's snapshot, and whether one is being made.
  var agedState: StoredSnapshot?
  var isAging = false

  /// Ids of ours that a daemon calls somebody else's, until it says next how much it holds.
  var disowned: [ReplicaID: PeerHandle] = [:]
  /// Changes of ours that the group refuses for good and that are to be written again; what the log is still to be told of
  /// that; and which were reported because they cannot be.
  var refused = RefusedChanges()
  var retraction: Retraction?
  var refusedForGood: [ReplicaID: UInt64] = [:]

  /// Whether something beside records waits for the log.
  var owesLog: Bool {
    mustFold || agedState != nil || membersToRemember != nil || leasesToRemember != nil || !refused.isEmpty
      || retraction != nil
  }

  // The other stores, and what is to be stored of them.
  var members: Members
  var membersToRemember: [LogMember]?
  /// What those behind this relay have durably merged: on its side, and all.
  var behind: (side: Version?, all: Version?) = (nil, nil)
  /// What all of them had when it was last let go of what nobody needs.
  var stable = Version()

  /// What was written here, and how much of it is known to be elsewhere.
  var own: OwnWrites

  // Replica ids that are lent here, what is to be stored of them, and the one that is written under on loan.
  var leases: LeaseBook
  var leasesToRemember: LeaseRecord?
  var isStoringLeases = false
  /// The keys that are noted to have some.
  var lessees: Set<String> = []

  /// The log refused it.
  func putBack(_ record: LeaseRecord) {
    leasesToRemember = LeaseRecord(
      entries: leasesToRemember?.entries ?? record.entries,
      answers: record.answers + (leasesToRemember?.answers ?? []))
  }

  var tenure = Tenure()

  var progressWatchers = ProgressWatchers()

  // Acknowledgements.
  var mustAcknowledge = false
  var nextAcknowledgement = Duration.zero

  /// With whom it differs at an equal version.
  var disagreements = Disagreements()
  /// The digest at a version, computed once the document has rested for a heartbeat.
  var digest: (version: Version, value: Digest)?
  var isMakingDigest = false
  var versionAtLastHeartbeat = Version()

  var id: DocumentID { handle.id }

  init(
    handle: DocumentHandle, stream: UInt32, policy: DocumentSession.Policy, members: Members, own: OwnWrites,
    leases: LeaseBook
  ) {
    self.handle = handle
    self.members = members
    self.own = own
    self.leases = leases
    session = DocumentSession(document: handle.id, policy: policy)
    self.stream = OutgoingStream(topic: PublishedFrame.topicNumber(of: handle.id), number: stream)
    durable = handle.version
  }

  /// What is said of the document in heartbeats.
  func have(at position: StreamPosition?) -> Message.Have {
    let version = handle.version
    return Message.Have(
      document: id, version: version, position: position,
      digest: digest.flatMap { $0.version == version ? $0.value : nil }, arriving: session.arriving)
  }
}
