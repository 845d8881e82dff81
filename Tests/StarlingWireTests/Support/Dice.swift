/// SplitMix64: the same numbers on every machine for one seed.
struct Dice: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  mutating func roll(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

  /// True once in `count`.
  mutating func oneIn(_ count: Int) -> Bool { roll(0..<count) == 0 }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[roll(0..<elements.count)] }

  /// A number of any magnitude.
  mutating func spread() -> UInt64 { next() >> UInt64(roll(0..<64)) }
}
