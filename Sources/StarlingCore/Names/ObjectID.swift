/// The identity of one object of a document, 16 bytes.
///
/// ```
/// assigned:  high = replica id of the entry that made it     low = its counter     (top bit 0)
/// derived:   128-bit SipHash-2-4 of (parent, key, kind)      low                   (top bit 1)
/// root:      high = 0                                        low = 2^63
/// ```
public struct ObjectID: Hashable, Comparable, Sendable {
  public let high: UInt64
  public let low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  public static let root = ObjectID(high: 0, low: 1 << 63)

  /// The object that the entry named `dot` brought into being.
  public static func assigned(by dot: Dot) -> ObjectID {
    ObjectID(high: dot.replica.rawValue, low: dot.counter)
  }

  public var isDerived: Bool { low >> 63 == 1 }

  /// The dot of the entry that made it; nil for derived objects.
  public var dot: Dot? { isDerived ? nil : Dot(ReplicaID(rawValue: high), low) }

  public static func < (left: ObjectID, right: ObjectID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}
