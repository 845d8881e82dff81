public import StarlingCore
public import StarlingEngine

/// What a check of a store, or of a backup, found.
public struct StoreReport: Sendable {
  /// One document of it.
  public struct Document: Sendable {
    /// Its name.
    public var name: DocumentID
    /// Changes that are stored one by one, and their bytes.
    public var recordCount = 0
    public var byteCount = 0
    /// Operations of all writers, those that only the snapshot has included.
    public var operationCount: UInt64 = 0
    /// Whether only its name is kept (`Replica.forget`).
    public var isForgotten = false
    /// Why it cannot be read; nil if all of it is as it was written.
    public var damage: LogError?
  }

  /// The store that it is, or was copied from; nil where the file does not say.
  public var store: StoreID?
  /// The documents, by name.
  public var documents: [Document] = []
  /// What is wrong with the file as a whole.
  public var faults: [LogError] = []
  /// The size of the database file, in bytes.
  public var byteCount: Int64 = 0

  /// Whether all is as it was written.
  public var isWhole: Bool { faults.isEmpty && documents.allSatisfy { $0.damage == nil } }
  /// The first thing that is wrong.
  public var firstFault: LogError? { faults.first ?? documents.lazy.compactMap(\.damage).first }
}
