/// Chance that repeats itself: the same seed, the same numbers (SplitMix64, after Steele, Lea and Flood).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) {
    state = seed
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

  /// A generator of its own, so that what one part draws does not move what another part draws.
  public mutating func fork() -> SeededGenerator {
    SeededGenerator(seed: next())
  }

  /// True with the given probability.
  public mutating func chance(_ probability: Double) -> Bool {
    probability > 0 && Double.random(in: 0..<1, using: &self) < probability
  }

  /// A moment within `range`, to the microsecond.
  public mutating func duration(in range: ClosedRange<Duration>) -> Duration {
    .microseconds(Int.random(in: range.lowerBound.microseconds...range.upperBound.microseconds, using: &self))
  }
}

extension Duration {
  var microseconds: Int {
    Int(components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000)
  }

  /// Seconds with three digits, for the trace.
  var inSeconds: String {
    let milliseconds = microseconds / 1000
    let fraction = String(milliseconds % 1000)
    return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
  }
}
