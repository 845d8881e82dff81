/// How amounts that were measured one by one are spread, in memory of fixed size: each power of two has a bucket.
///
/// ```
///   exponents 6...9     ≤ 64 │ ≤ 128 │ ≤ 256 │ ≤ 512 │ more
///   buckets               0       1       2       3      4
/// ```
public struct Distribution: Sendable, Hashable {
  /// Of the bounds of the buckets.
  public let exponents: ClosedRange<Int>
  /// How many amounts fell into each; the last holds those beyond all bounds.
  public private(set) var buckets: [Int]
  /// Of all amounts; held at the greatest `Int`.
  public private(set) var sum = 0

  /// - Precondition: the exponents lie within 0 and 62.
  public init(exponents: ClosedRange<Int>) {
    precondition(exponents.lowerBound >= 0 && exponents.upperBound <= 62, "2^\(exponents) is no range of bounds.")
    self.exponents = exponents
    buckets = Array(repeating: 0, count: exponents.count + 1)
  }

  public var count: Int { buckets.reduce(0, +) }

  /// The upper bounds of all buckets but the last, ascending.
  public var bounds: [Int] { exponents.map { 1 << $0 } }

  /// - Complexity: O(1); allocates nothing.
  public mutating func add(_ amount: Int) {
    let amount = max(0, amount)
    let exponent = amount <= 1 ? 0 : Int.bitWidth - (amount - 1).leadingZeroBitCount
    buckets[min(max(0, exponent - exponents.lowerBound), buckets.count - 1)] += 1
    let (total, overflow) = sum.addingReportingOverflow(amount)
    sum = overflow ? .max : total
  }

  /// Adds what was measured elsewhere.
  ///
  /// - Precondition: the bounds are the same.
  public static func += (left: inout Distribution, right: Distribution) {
    precondition(left.exponents == right.exponents, "Buckets of different bounds cannot be added.")
    for place in left.buckets.indices { left.buckets[place] += right.buckets[place] }
    let (total, overflow) = left.sum.addingReportingOverflow(right.sum)
    left.sum = overflow ? .max : total
  }
}
