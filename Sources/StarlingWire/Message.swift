public import StarlingCore

/// What one peer says to another (Protocol/conversation.md). `Message+Coding.swift` writes and reads it.
public enum Message: Hashable, Sendable {
  case hello(Hello)
  /// Where the sender stands, said on opening a document, on request and as a heartbeat.
  case have(Have)
  /// Asks for what the sender lacks. Answered by `changes` or `snapshot` parts, then `resume`.
  case want(Want)
  /// One batch of an answer.
  case changes(Changes)
  /// One part of the state that answers a version below the log's start.
  case snapshot(SnapshotPart)
  /// Ends an answer, and hands over the stream from where it goes on.
  case resume(Resume)
  /// A published frame, sent directly by a peer that nobody dials.
  case live([UInt8])
  /// How much of an answer its asker has taken, so that more of it may come.
  case credit(Credit)
  /// Everything that the version covers is held as durably as the sender can.
  ///
  /// `behind` is what everybody behind a relay has durably merged (Protocol/conversation.md, "Behind a relay"); nil
  /// where nobody is, and from a program that does not say it.
  case acknowledge(DocumentID, VersionVector, behind: VersionVector? = nil)
  /// A replica id is asked for, claimed again, or given back.
  case lease(Lease)
  /// The grantor's answer to that.
  case leased(Leased)
  case refuse(Refusal)
  case goodbye
  /// What the sender knows of the group's daemons.
  case members([Member])
  /// The owners of replica ids, as far as the sender knows; from relays to relays, ascending by id.
  case writers([WriterBinding])
  /// The receiver writes the document under a replica id that is somebody else's: it should go on under another.
  case disown(DocumentID, ReplicaID)
  /// Documents of the group that are forgotten for good, ascending by name.
  case forget([DocumentID])
  /// Operations with two contents, whose writers are suspended; from relays to relays, ascending.
  case equivocations([EquivocationReport])
  /// Changes up to a version at which the receiver holds another state than the sender; from relays to relays.
  case evidence(Evidence)
  /// Tombstones that the asker named as lacking, before the changes of the answer.
  case paths(Changes)
  /// How many messages the sender has said on this connection since its latest hello, this one included.
  case heartbeat(UInt64)
  /// A message of a later protocol version, kept out of the way.
  case unknown(kind: UInt64)

  public struct Hello: Hashable, Sendable {
    /// The lowest and the highest protocol version that the sender speaks.
    public var lowestVersion: UInt16
    public var highestVersion: UInt16
    public var store: StoreID
    /// Drawn again by every run of the sender's engine.
    public var epoch: UInt64
    /// Program name and version, for people.
    public var agent: String
    /// Where the sender may be dialled; empty if nowhere.
    public var endpoints: [String]
    public var isDurable: Bool
    /// Whether the sender passes on what others wrote.
    public var relays: Bool
    /// Whether the sender leases replica ids.
    public var grantsLeases: Bool
    /// Whether the receiver should say hello too.
    public var wantsReply: Bool
    /// Whether the sender is one of those daemons who all follow one another, and wants only what did not come to the
    /// receiver from such (Protocol/conversation.md, "Daemons among themselves").
    public var isMeshPeer: Bool
    /// What is wrong with the sender's links, for people; nil where nothing is.
    public var notice: String?
    /// How often the sender's store was started, this time included; nil where nobody counts.
    public var generation: UInt64?
    /// A later start of the receiver's store, which the sender has met.
    public var knownStart: Start?
    /// The documents that the sender serves, and speaks of.
    public var shard: DocumentShard

    public init(
      lowestVersion: UInt16, highestVersion: UInt16, store: StoreID, epoch: UInt64, agent: String,
      endpoints: [String], isDurable: Bool, relays: Bool, grantsLeases: Bool = false, wantsReply: Bool,
      isMeshPeer: Bool = false,
      notice: String? = nil, generation: UInt64? = nil, knownStart: Start? = nil, shard: DocumentShard = .whole
    ) {
      self.lowestVersion = lowestVersion
      self.highestVersion = highestVersion
      self.store = store
      self.epoch = epoch
      self.agent = agent
      self.endpoints = endpoints
      self.isDurable = isDurable
      self.relays = relays
      self.grantsLeases = grantsLeases
      self.wantsReply = wantsReply
      self.isMeshPeer = isMeshPeer
      self.notice = notice
      self.generation = generation
      self.knownStart = knownStart
      self.shard = shard
    }
  }

  /// One start of a store.
  public struct Start: Hashable, Sendable {
    /// Counts them, from 1.
    public var generation: UInt64
    /// Of the run that began with it.
    public var epoch: UInt64

    public static let generationMax: UInt64 = 1 << 48 - 1

    public init(generation: UInt64, epoch: UInt64) {
      self.generation = generation
      self.epoch = epoch
    }
  }

  public struct Have: Hashable, Sendable {
    public var document: DocumentID
    public var version: VersionVector
    /// Where the sender's own live stream of the document stands; nil if it has published nothing yet.
    public var position: StreamPosition?
    /// The digest of the document at `version`, if the sender knows it.
    public var digest: Digest?
    /// The state that the sender is being sent, if it is.
    public var arriving: Arrival?

    public init(
      document: DocumentID, version: VersionVector, position: StreamPosition?, digest: Digest?, arriving: Arrival? = nil
    ) {
      self.document = document
      self.version = version
      self.position = position
      self.digest = digest
      self.arriving = arriving
    }
  }

  /// How much of a state its requester has received.
  public struct Arrival: Hashable, Sendable {
    public var byteCount: UInt64
    /// The bytes of all of it.
    public var wholeByteCount: UInt64

    public init(byteCount: UInt64, wholeByteCount: UInt64) {
      self.byteCount = byteCount
      self.wholeByteCount = wholeByteCount
    }
  }

  public struct Want: Hashable, Sendable {
    public var document: DocumentID
    /// Chosen by the asker; every part of the answer repeats it.
    public var request: UInt32
    public var version: VersionVector
    /// Whether it is to be the state, though the changes may be at hand: the asker collected something that
    /// they stand on.
    public var wantsState: Bool
    /// How far the asker got with a state whose transfer was cut off.
    public var begun: BegunState?
    /// Whether the asker takes no states from the receiver, and changes only as the receiver itself wrote them.
    public var takesOwnOnly: Bool
    /// Items that the receiver's changes are anchored on and that the asker has collected.
    public var lacking: [Dot]
    /// How many bytes of changes the asker keeps beside a state, where it does not keep all: in place of more it takes
    /// the state.
    public var keptByteCount: UInt64?

    /// So many are named at once.
    public static let lackingCountMax = 1024

    public init(
      document: DocumentID, request: UInt32, version: VersionVector, wantsState: Bool = false, begun: BegunState? = nil,
      takesOwnOnly: Bool = false, lacking: [Dot] = [], keptByteCount: UInt64? = nil
    ) {
      self.document = document
      self.request = request
      self.version = version
      self.wantsState = wantsState
      self.begun = begun
      self.takesOwnOnly = takesOwnOnly
      self.lacking = lacking
      self.keptByteCount = keptByteCount
    }
  }

  public struct Changes: Hashable, Sendable {
    public var document: DocumentID
    public var request: UInt32
    /// A batch (Protocol/wire-format.md, "Batches").
    public var batch: [UInt8]

    public init(document: DocumentID, request: UInt32, batch: [UInt8]) {
      self.document = document
      self.request = request
      self.batch = batch
    }
  }

  public struct Evidence: Hashable, Sendable {
    public var document: DocumentID
    /// A batch (Protocol/wire-format.md, "Batches").
    public var batch: [UInt8]

    public init(document: DocumentID, batch: [UInt8]) {
      self.document = document
      self.batch = batch
    }
  }

  /// The first bytes of a state that somebody holds.
  public struct BegunState: Hashable, Sendable {
    /// Of the whole state (Protocol/wire-format.md, "Checksums"): one that has another is another state.
    public var checksum: UInt64
    /// How many bytes are held.
    public var byteCount: UInt64

    public init(checksum: UInt64, byteCount: UInt64) {
      self.checksum = checksum
      self.byteCount = byteCount
    }
  }

  public struct SnapshotPart: Hashable, Sendable {
    public var document: DocumentID
    public var request: UInt32
    /// Of the whole state, which tells its parts from those of another.
    public var checksum: UInt64
    /// Where in the snapshot's bytes the part begins, and how many there are in all.
    public var offset: UInt64
    public var byteCount: UInt64
    public var bytes: [UInt8]

    public init(
      document: DocumentID, request: UInt32, checksum: UInt64, offset: UInt64, byteCount: UInt64, bytes: [UInt8]
    ) {
      self.document = document
      self.request = request
      self.checksum = checksum
      self.offset = offset
      self.byteCount = byteCount
      self.bytes = bytes
    }
  }

  public struct Resume: Hashable, Sendable {
    public var document: DocumentID
    public var request: UInt32
    /// The answerer's version: what the asker holds once it has merged the answer.
    public var version: VersionVector
    /// Where the answerer's stream goes on, and the tables its frames rely on from there.
    public var position: StreamPosition
    public var tables: [UInt8]

    public init(
      document: DocumentID, request: UInt32, version: VersionVector, position: StreamPosition, tables: [UInt8]
    ) {
      self.document = document
      self.request = request
      self.version = version
      self.position = position
      self.tables = tables
    }
  }

  public struct Credit: Hashable, Sendable {
    public var document: DocumentID
    /// The request whose answer was taken.
    public var request: UInt32
    /// What was taken since the answer began: of each part its bytes and 8,192 more (Protocol/conversation.md,
    /// "Credit").
    public var byteCount: UInt64

    public init(document: DocumentID, request: UInt32, byteCount: UInt64) {
      self.document = document
      self.request = request
      self.byteCount = byteCount
    }
  }

  public struct Refusal: Hashable, Sendable {
    public enum Code: UInt16, Hashable, Sendable, CaseIterable {
      case unknown = 0
      case incompatibleVersion = 1
      case malformed = 2
      case tooLarge = 3
      case digestMismatch = 4
      case notWelcome = 5
    }

    public var code: Code
    public var explanation: String

    public init(code: Code, explanation: String) {
      self.code = code
      self.explanation = explanation
    }
  }
}

/// A place in one sender's live stream of one document.
public struct StreamPosition: Hashable, Sendable {
  /// Names (sender, epoch, document); drawn at random by the sender.
  public var stream: UInt32
  /// The sequence number of the next frame.
  public var sequence: UInt64

  public init(stream: UInt32, sequence: UInt64) {
    self.stream = stream
    self.sequence = sequence
  }
}
