/// The stamps of changes in a row, held as the even runs that they make: most changes of somebody who types follow
/// upon each other alike.
///
/// ```
/// stamps    7  8  9 │ 40  50  60 │ 61 │ 13 │ …
/// runs      3 by 1  │ 3 by 10    │  1 │  1 │ …
/// ```
public struct Stamps: Hashable, Sendable {
  struct Run: Hashable, Sendable {
    var first: UInt64
    /// How much greater each is than the one before.
    var step: UInt64 = 0
    var count = 1

    var last: UInt64 { first + step * UInt64(count - 1) }
  }

  /// Each as long as it can be: equal stamps make equal runs.
  private(set) var runs: ContiguousArray<Run> = []
  /// How many stamps.
  public private(set) var count = 0

  /// - Complexity: O(*n*)
  public init(_ stamps: some Sequence<Stamp>) {
    for stamp in stamps { append(stamp) }
  }

  public var isEmpty: Bool { runs.isEmpty }

  public var last: Stamp? { runs.last.map { Stamp(rawValue: $0.last) } }

  /// The greatest one; nil where there is none.
  ///
  /// - Complexity: O(runs)
  public func max() -> Stamp? { runs.lazy.map(\.last).max().map(Stamp.init(rawValue:)) }

  public mutating func append(_ stamp: Stamp) {
    count += 1
    guard let last = runs.last, stamp.rawValue >= last.last,
      last.count == 1 || stamp.rawValue - last.last == last.step
    else { return runs.append(Run(first: stamp.rawValue)) }
    runs[runs.count - 1].step = stamp.rawValue - last.last
    runs[runs.count - 1].count += 1
  }

  /// Appends so many stamps, each greater than the one before by `step`.
  ///
  /// - Parameter first: Low enough that the last one fits 64 bits.
  /// - Complexity: O(1)
  package mutating func append(_ stampCount: Int, from first: Stamp, step: UInt64) {
    var (next, left) = (first.rawValue, stampCount)
    // The first ones may be of the run before, after which one cannot but begin that has this step.
    while left > 0 {
      append(Stamp(rawValue: next))
      left -= 1
      if left == 0 { break }
      next += step
      if runs[runs.count - 1].step == step, runs[runs.count - 1].count > 1 {
        runs[runs.count - 1].count += left
        count += left
        break
      }
    }
  }

  public mutating func removeLast() {
    count -= 1
    runs[runs.count - 1].count -= 1
    switch runs[runs.count - 1].count {
    case 0: runs.removeLast()
    case 1: runs[runs.count - 1].step = 0
    default: break
    }
  }
}

extension Stamps: Sequence {
  public struct Iterator: IteratorProtocol {
    var runs: ContiguousArray<Run>.Iterator
    var run = Run(first: 0, count: 0)

    public mutating func next() -> Stamp? {
      if run.count == 0 {
        guard let next = runs.next() else { return nil }
        run = next
      }
      defer {
        run.count -= 1
        // Behind the last one there may be no number.
        run.first &+= run.step
      }
      return Stamp(rawValue: run.first)
    }
  }

  public func makeIterator() -> Iterator { Iterator(runs: runs.makeIterator()) }
  public var underestimatedCount: Int { count }
}

extension Stamps: ExpressibleByArrayLiteral {
  public init(arrayLiteral stamps: Stamp...) { self.init(stamps) }
}
