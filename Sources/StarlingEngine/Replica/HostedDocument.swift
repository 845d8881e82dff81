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

/// What an engine keeps for one open document. Confined to the engine's actor.
final class HostedDocument {
  let handle: DocumentHandle
  var session: DocumentSession

  /// Whether it is looked after with each turn.
  var isAstir = false
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

  /// What would bring more while the log cannot keep up, to be said once it has: to each peer its latest want, or the
  /// latest credit of its answer.
  var withheld: [PeerHandle: Message] = [:]
  /// The state that peers are being sent.
  var cut: StateCut?
  var cutInMaking: CutInMaking?
  /// A checkpoint that is being written down, or stored.
  var checkpointing: Task<Void, Never>?

  /// Ids of ours that a daemon calls somebody else's, until it says next how much it holds.
  var disowned: [ReplicaID: PeerHandle] = [:]
  /// Changes of ours that the group refuses for good, as they were reported because they cannot be written again.
  var refusedForGood: [ReplicaID: UInt64] = [:]

  /// The other stores.
  var members: Members
  /// What all of them had when it was last let go of what nobody needs.
  var stable = Version()
  /// How far that has come, while it is under way.
  var collection: TombstoneCollection?

  /// What was written here, and how much of it is known to be elsewhere.
  var own: OwnWrites

  // Replica ids that are lent here, and the one that is written under on loan.
  var leases: LeaseBook
  /// The keys that are noted to have some.
  var lessees: Set<String> = []

  var tenure = Tenure()

  var progressWatchers = ProgressWatchers()

  /// What is told of it to those whom this replica follows.
  var acknowledgements = Acknowledgements()

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
  }

  /// What is said of the document in heartbeats.
  func have(at position: StreamPosition?) -> Message.Have {
    let version = handle.version
    return Message.Have(
      document: id, version: version, position: position,
      digest: digest.flatMap { $0.version == version ? $0.value : nil }, arriving: session.arriving)
  }
}
