import StarlingSession

/// What one key may use of a replica that lets in peers with keys, and what all keys together may: so that one that
/// turns hostile, or a program that goes wrong, costs others nothing. Past a limit that key is refused by name, which
/// is counted (`EngineCounters.budgetRefusals`) and reported (`AccessEvent.Kind.overBudget`).
///
/// Keys that relay are bounded by `versionStrangerCountMax` alone: they bring what others wrote. So are peers that need
/// not prove a key.
public struct BudgetLimits: Sendable, Hashable {
  /// Documents that peers with one key may have this replica open, which cost memory also where nobody writes; all of
  /// them together are bounded by `EngineConfiguration.documentCountMax`.
  public var documentsPerKey = 256
  /// Replica ids that one key begins to write under in a day: each is an entry in the document's version for good.
  public var replicaIDsPerKeyAndDay = 1000
  /// The same for all keys together.
  public var replicaIDsPerDay = 10_000
  /// Bytes of memory of changes that wait for what they stand on.
  public var heldBytesPerKey = 16 << 20
  /// The same for all keys together.
  public var heldBytes = 128 << 20
  /// Bytes of changes that one key has the log keep in a day.
  public var loggedBytesPerKeyAndDay = 8 << 30
  /// The same for all keys together.
  public var loggedBytesPerDay = 64 << 30
  /// Leased replica ids, and those free for that key alone.
  public var leasesPerKey = 256
  /// The same for all keys together.
  public var leases = 16_384
  /// Bytes of presence, each notice counted with 128 bytes beside its own.
  public var presenceBytesPerKey = 128 << 10
  /// The same for all keys together.
  public var presenceBytes = 8 << 20
  /// Replica ids unknown here that a version may name which a peer says it holds. Of more, so many are heeded until
  /// changes of theirs have come; an acknowledgement with more counts for nothing.
  public var versionStrangerCountMax = 4096

  /// The limits that hold where none is given.
  public init() {}

  func budgets(documentCountMax: Int) -> Budgets {
    Budgets(limits: [
      .documents: Budgets.Limit(perKey: documentsPerKey, perProcess: documentCountMax),
      .replicaIDs: Budgets.Limit(perKey: replicaIDsPerKeyAndDay, perProcess: replicaIDsPerDay),
      .heldBytes: Budgets.Limit(perKey: heldBytesPerKey, perProcess: heldBytes),
      .loggedBytes: Budgets.Limit(perKey: loggedBytesPerKeyAndDay, perProcess: loggedBytesPerDay),
      .leases: Budgets.Limit(perKey: leasesPerKey, perProcess: leases),
      .presenceBytes: Budgets.Limit(perKey: presenceBytesPerKey, perProcess: presenceBytes),
      .versionEntries: Budgets.Limit(perKey: versionStrangerCountMax, perProcess: versionStrangerCountMax),
    ])
  }
}
