/// Chance that a seed repeats: the same numbers on every machine (SplitMix64).
public struct Dice: RandomNumberGenerator, Sendable {
  /// For the message of a test that failed.
  public let seed: UInt64
  private var state: UInt64

  public init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  public mutating func roll(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }
  public mutating func roll(_ sides: Int) -> Int { roll(0..<sides) }

  /// True once in `count`.
  public mutating func oneIn(_ count: Int) -> Bool { roll(count) == 0 }

  public mutating func pick<Element>(_ elements: [Element]) -> Element { elements[roll(elements.count)] }

  /// A number of any magnitude.
  public mutating func spread() -> UInt64 { next() >> UInt64(roll(64)) }
}
