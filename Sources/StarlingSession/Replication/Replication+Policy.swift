package import StarlingCore
package import StarlingWire

extension Replication {
  /// How a replica behaves.
  package struct Policy: Sendable {
    /// Program name and version, told to peers.
    package var agent = "starling"
    /// Whether it passes on what others wrote, and opens every document that a peer asks for.
    package var isRelay = false
    /// The documents that a relay serves; those of a program are all.
    package var shard = DocumentShard.whole
    /// Whether it tells other relays which daemons there are, and as which of them it counts.
    package var gossips = false
    package var tier = Message.Member.Tier.either
    package var memberSilence = Duration.seconds(20)
    package var learnedEndpointLifetime = Duration.seconds(10)
    package var discoveryInterval = Duration.seconds(1)
    /// Whether a directory alone says who is dialled.
    package var hasDirectory = false
    package var reviewsUnreachable = false
    /// Whether an endpoint that another told of may be dialled; and one that a peer named as its own, by its key.
    package var mayDial: @Sendable (_ endpoint: String) -> Bool = { _ in false }
    package var mayDialBack: @Sendable (_ endpoint: String, _ user: String?) -> Bool = { _, _ in true }

    package var heartbeat = Duration.seconds(1)
    package var acknowledgementInterval = Duration.milliseconds(20)
    package var trustInterval = Duration.milliseconds(250)
    package var compactionInterval = Duration.seconds(3600)
    /// How many days of changes the log keeps; nil for another measure.
    package var historyDays: Int?
    package var memberLifetime = Duration.seconds(30 * 86_400)

    package var documentCountMax = 16_384
    /// A relay that has more open closes those that nobody uses.
    package var openDocumentCountMax = 10_000
    package var mayForget: @Sendable (DocumentID) -> Bool = { _ in true }
    package var backlogByteCountMax = 64 << 20
    /// Whether somebody takes no states from here, and needs what this store wrote as changes: until all relays have it
    /// they are kept, and wait for a log that fails however much they are.
    package var keepsOwnRecords = false
    /// Whether presence is kept to oneself while the log does not keep up.
    package var dropsPresence = false

    /// Whether it writes under leased ids, whether it grants leases, and whether processes here prove that they ended.
    package var leasesReplicaID = false
    package var grantsReplicaIDs = true
    package var hasLifeSigns = false

    // What the log can do.
    package var retractsChanges = false
    package var forgetsDocuments = false

    package init() {}

    /// What was written before that is older than the log keeps; nil where nothing is.
    func agingLimit(at wall: UInt64) -> UInt64? {
      guard let historyDays else { return nil }
      let (age, overflow) = UInt64(max(0, historyDays)).multipliedReportingOverflow(by: 86_400_000)
      return overflow || age >= wall ? nil : wall - age
    }
  }
}
