package import StarlingCore
package import StarlingWire

/// What a replica knows of one open document, beside the document itself. `Replication` decides by it.
package struct DocumentState: Sendable {
  package let id: DocumentID
  /// False for one that was closed or forgotten.
  private(set) var isOpen = true
  /// What stood when something was last merged, or what was written was handed over.
  package internal(set) var version: VersionVector
  /// The id under which it is written.
  package internal(set) var replica: ReplicaID
  package internal(set) var session: DocumentSession

  /// How often it is reviewed; whether the next heartbeat looks at it, and what peers were told with the latest ones.
  var attention = Attention.idle
  var isAmongWaiting = false
  /// Whether it is among those that rest, and was active since.
  var isAmongResting = false
  var wasActive = false
  /// Of one that waits: until when only what peers say brings it on.
  var restsUntil = Duration.zero
  var isDue = false
  var heartbeat = DocumentHeartbeat()

  // Our live streams: of all that is merged here, and of what came from our side once somebody follows that.
  var stream: OutgoingStream
  var side: OutgoingStream?
  var sideChanges = SideChanges()

  /// Whether changes may wait here for what they stand on.
  var holdsChanges = false
  /// Bytes of changes that wait for the log.
  package internal(set) var unloggedByteCount = 0
  /// What would bring more while the log cannot keep up, to be said once it has: to each peer its latest want, or the
  /// latest credit of its answer.
  package internal(set) var postponed: [PeerHandle: Message] = [:]

  /// Ids of ours that a daemon calls somebody else's, until it says next how much it holds.
  var disowned: [ReplicaID: PeerHandle] = [:]
  /// Changes of ours that the group refuses for good, as they were reported because they cannot be written again.
  var refusedForGood: [ReplicaID: UInt64] = [:]

  /// What of it daemons do not have, and cannot get from here.
  var stranded = StrandedChanges()

  /// Stores that have spoken of it on a connection that stands.
  var sharers: Set<StoreID> = []
  /// The other stores.
  package internal(set) var members: Members
  /// What all of them had when tombstones were last collected, and whether that is under way.
  var stable = VersionVector()
  var isCollecting = false
  /// What was written here, and how much of it is known to be elsewhere.
  package internal(set) var own: OwnWrites
  /// The stores for which that is kept, at a writer from which somebody takes no states.
  var recipients: Recipients
  /// What is told of it to those that this replica follows.
  var acknowledgements = Acknowledgements()

  // Replica ids that are leased here, with the keys that are noted to have some; and the leased id written under.
  package internal(set) var leases: LeaseTable
  var lessees: Set<String> = []
  package internal(set) var leaseClient = LeaseClient()

  /// The peers from which it differs at an equal version.
  var disagreements = Disagreements()
  /// The digest at a version, made once the document has rested for a heartbeat.
  package internal(set) var digest: (version: VersionVector, value: Digest)?
  var isMakingDigest = false
  var versionAtLastHeartbeat = VersionVector()

  /// As whoever runs the replica said last: whether somebody watches how far it has come, whether something is said of
  /// it, and which transaction is open that somebody waits for.
  package var isWatched = false
  package var isPresent = false
  package var openTransaction: UInt64?

  init(
    id: DocumentID, version: VersionVector, replica: ReplicaID, stream: UInt32, members: Members, own: OwnWrites,
    recipients: Recipients, leases: LeaseTable
  ) {
    self.id = id
    self.version = version
    self.replica = replica
    self.members = members
    self.own = own
    self.recipients = recipients
    self.leases = leases
    session = DocumentSession(document: id)
    self.stream = OutgoingStream(topic: PublishedFrame.topicNumber(of: id), number: stream)
  }

  /// What is left of one that was closed or forgotten.
  static func closed(as id: DocumentID) -> Self {
    var state = Self(
      id: id, version: VersionVector(), replica: ReplicaID(rawValue: 0), stream: 0, members: Members(now: 0),
      own: OwnWrites(), recipients: Recipients(openSince: .zero, now: 0), leases: LeaseTable(continues: true))
    state.isOpen = false
    return state
  }

  /// What a later run is to be told of a member.
  func remembered(_ member: LogMember) -> LogMember { recipients.remembered(member, writers: own.writers) }

  var topics: [UInt32] { [stream.topic, PublishedFrame.sideTopicNumber(of: id)] }

  /// The digest of what stands now, where it is known.
  var presentDigest: Digest? { digest.flatMap { $0.version == version ? $0.value : nil } }

  /// What heartbeats would tell now.
  var heartbeatStatement: DocumentHeartbeat.Statement {
    DocumentHeartbeat.Statement(
      version: version, digest: presentDigest, positions: [stream.position] + (side.map { [$0.position] } ?? []),
      arriving: session.arriving, behind: acknowledgements.behind)
  }

  /// How often a document is reviewed.
  enum Attention: Sendable {
    /// Only with heartbeats: nothing of it is awaited.
    case idle
    /// A few times a second: time alone brings it on, as where a peer has not answered yet.
    case waiting
    /// With each tick.
    case active
  }

  /// What is said of the document in heartbeats.
  func have(at position: StreamPosition?) -> Message.Have {
    Message.Have(
      document: id, version: version, position: position, digest: presentDigest, arriving: session.arriving)
  }
}
