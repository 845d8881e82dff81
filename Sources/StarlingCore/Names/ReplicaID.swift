/// The name under which one incarnation of a store writes: 8 random bytes.
///
/// A store takes a new id whenever it cannot prove that it still knows every dot it ever used
/// (after a crash, from a copied or restored file), so that no dot is ever used twice.
public struct ReplicaID: Hashable, Comparable, Sendable {
  public let rawValue: UInt64

  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// A fresh id drawn from `generator`; chance belongs to the caller.
  public static func random(using generator: inout some RandomNumberGenerator) -> ReplicaID {
    ReplicaID(rawValue: generator.next())
  }

  public static func < (left: ReplicaID, right: ReplicaID) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension ReplicaID: CustomStringConvertible {
  /// Sixteen hexadecimal digits.
  public var description: String {
    let digits = String(rawValue, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
