/// A number to which concurrent increments add up.
///
/// ```swift
/// var copies: ReplicatedCounter = 0
/// book.copies += 1             // two replicas at once: 2
/// book.copies = 10             // an increment by the difference from what was seen
/// ```
public struct ReplicatedCounter: Hashable, Comparable, Sendable {
  /// The sum of all increments, and of the default.
  public var value: Int64

  /// A counter that begins at `value`.
  @inlinable
  public init(_ value: Int64 = 0) {
    self.value = value
  }

  /// Adds `amount`, which may be negative. Concurrent increments add up.
  @inlinable
  public mutating func increment(by amount: Int64 = 1) {
    value &+= amount
  }

  /// Adds `amount`. Concurrent increments add up.
  @inlinable
  public static func += (counter: inout ReplicatedCounter, amount: Int64) {
    counter.value &+= amount
  }

  /// Subtracts `amount`. Concurrent increments add up.
  @inlinable
  public static func -= (counter: inout ReplicatedCounter, amount: Int64) {
    counter.value &-= amount
  }

  @inlinable
  public static func < (left: ReplicatedCounter, right: ReplicatedCounter) -> Bool { left.value < right.value }
}

extension ReplicatedCounter: ExpressibleByIntegerLiteral {
  @inlinable
  public init(integerLiteral value: Int64) {
    self.value = value
  }
}

extension ReplicatedCounter: CustomStringConvertible {
  public var description: String { value.description }
}

extension Int {
  /// The counter's present sum.
  @inlinable
  public init(_ counter: ReplicatedCounter) {
    self = Int(counter.value)
  }
}
