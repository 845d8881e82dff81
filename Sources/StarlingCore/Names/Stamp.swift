/// A hybrid logical clock reading in one integer.
///
/// ```
/// 63                                 16 15            0
/// +------------------------------------+---------------+
/// | milliseconds since 1970-01-01 UTC  | logical count |
/// +------------------------------------+---------------+
/// ```
///
/// Stamps choose the visible value among concurrent entries. They never decide whether a change
/// merges (Protocol/merge.md, "Stamps").
public struct Stamp: Hashable, Comparable, Sendable {
  public let rawValue: UInt64

  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The earliest stamp of a millisecond; readings past 48 bits are held at the greatest that fits.
  public init(milliseconds: UInt64) {
    rawValue = min(milliseconds, 0xFFFF_FFFF_FFFF) << 16
  }

  public var milliseconds: UInt64 { rawValue >> 16 }
  public var logical: UInt64 { rawValue & 0xFFFF }

  /// The stamp right after this one; the greatest stamp is its own successor.
  public var successor: Stamp {
    rawValue == .max ? self : Stamp(rawValue: rawValue + 1)
  }

  /// This stamp moved `milliseconds` later, held at the greatest that fits.
  public func advanced(byMilliseconds milliseconds: UInt64) -> Stamp {
    let (sum, overflow) = self.milliseconds.addingReportingOverflow(milliseconds)
    guard !overflow, sum <= 0xFFFF_FFFF_FFFF else { return Stamp(rawValue: .max) }
    return Stamp(rawValue: sum << 16 | logical)
  }

  public static func < (left: Stamp, right: Stamp) -> Bool {
    left.rawValue < right.rawValue
  }
}
