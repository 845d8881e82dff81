/// A fingerprint of a document's state: equal versions have equal digests, or somebody has gone
/// wrong (Protocol/merge.md, "Digests").
public struct Digest: Hashable, Sendable {
  public let high: UInt64
  public let low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

extension Digest: CustomStringConvertible {
  /// Thirty-two hexadecimal digits.
  public var description: String {
    ReplicaID(rawValue: high).description + ReplicaID(rawValue: low).description
  }
}
