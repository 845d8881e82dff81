/// The live state of one document, and the rules by which changes merge into it.
public struct Document: Sendable {
  public init() {}
  public init(_ snapshot: Snapshot) throws(MergeError) { fatalError() }
  public var version: Version { fatalError() }
  public var frontier: [Dot] { fatalError() }
  public var isWriting: Bool { fatalError() }
  public var latestStamp: Stamp { fatalError() }
  public func visible(_ key: Key, in object: ObjectID) -> Visible { fatalError() }
  public func entries(_ key: Key, in object: ObjectID) -> [Entry] { fatalError() }
  public func count(_ key: Key, in object: ObjectID) -> Int64 { fatalError() }
  public func keys(in object: ObjectID) -> [Key] { fatalError() }
  public func keyCount(in object: ObjectID) -> Int { fatalError() }
  public func contains(_ key: Key, in object: ObjectID) -> Bool { fatalError() }
  public func isLive(_ object: ObjectID) -> Bool { fatalError() }
  public mutating func begin(as replica: ReplicaID, now: UInt64) { fatalError() }
  public mutating func commit(message: String? = nil) -> Change? { fatalError() }
  public mutating func set(_ value: Value, for key: Key, in object: ObjectID, patch: inout Patch) { fatalError() }
  public mutating func assignObject(_ kind: Kind, for key: Key, in object: ObjectID, patch: inout Patch) -> ObjectID {
    fatalError()
  }
  public mutating func remove(_ key: Key, in object: ObjectID, patch: inout Patch) { fatalError() }
  public mutating func increment(_ key: Key, in object: ObjectID, by amount: Int64, patch: inout Patch) { fatalError() }
  public mutating func declare(_ kind: Kind, for key: Key, in parent: ObjectID) -> ObjectID { fatalError() }
  public mutating func merge(_ change: Change, patch: inout Patch) throws(MergeError) -> MergeOutcome { fatalError() }
  public func snapshot() -> Snapshot { fatalError() }
  public mutating func merge(_ snapshot: Snapshot, patch: inout Patch) throws(MergeError) { fatalError() }
  public func digest() -> Digest { fatalError() }
  public func checkInvariants() { fatalError() }
}
