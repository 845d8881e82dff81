public import StarlingCore

/// A run of consecutive changes by one writer, as one self-contained batch.
public struct LogRecord: Hashable, Sendable {
  public var document: DocumentID
  public var replica: ReplicaID
  public var firstCounter: UInt64
  public var lastCounter: UInt64
  /// A batch (Protocol/wire-format.md, "Batches").
  public var bytes: [UInt8]

  public init(document: DocumentID, replica: ReplicaID, firstCounter: UInt64, lastCounter: UInt64, bytes: [UInt8]) {
    self.document = document
    self.replica = replica
    self.firstCounter = firstCounter
    self.lastCounter = lastCounter
    self.bytes = bytes
  }
}

extension [LogRecord] {
  package var byteCount: Int { reduce(0) { $0 + $1.bytes.count } }
}

/// A document's state as bytes (Protocol/wire-format.md, "Snapshots"), and the version it stands at.
public struct StoredSnapshot: Hashable, Sendable {
  public var version: VersionVector
  public var bytes: [UInt8]

  public init(version: VersionVector, bytes: [UInt8]) {
    self.version = version
    self.bytes = bytes
  }
}

/// Another store that takes part in a document.
public struct LogMember: Hashable, Sendable {
  public var store: StoreID
  /// What it said that it holds as durably as it can.
  public var acknowledged: VersionVector
  /// When it was last heard of, in milliseconds since 1970-01-01 UTC.
  public var heardAt: UInt64

  public init(store: StoreID, acknowledged: VersionVector, heardAt: UInt64) {
    self.store = store
    self.acknowledged = acknowledged
    self.heardAt = heardAt
  }
}

/// A replica id that is leased, or may be leased again.
public struct LogLease: Hashable, Sendable {
  public var replica: ReplicaID
  /// Of its latest lease.
  public var number: UInt64
  /// Where that began; of an id that is free, where it ended.
  public var counter: UInt64
  /// The store that holds it; nil if it is free.
  public var holder: StoreID?
  /// The only key to which it is leased; nil for those who need not prove any.
  public var user: String?

  public init(replica: ReplicaID, number: UInt64, counter: UInt64, holder: StoreID?, user: String?) {
    self.replica = replica
    self.number = number
    self.counter = counter
    self.holder = holder
    self.user = user
  }
}
