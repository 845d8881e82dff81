/// Marsaglia's xorshift32: the same numbers here and in `peers/peers.py`, so that every system does the same work.
package struct Random32 {
  private var state: UInt32

  /// - Parameter seed: Not 0.
  package init(seed: UInt32) {
    precondition(seed != 0, "From 0, xorshift draws nothing but 0.")
    state = seed
  }

  package mutating func next() -> UInt32 {
    state ^= state << 13
    state ^= state >> 17
    state ^= state << 5
    return state
  }

  /// A number from 0 up to `bound`.
  package mutating func next(below bound: Int) -> Int { Int(next() >> 8) % bound }

  /// A word of `count` letters.
  package mutating func letters(_ count: Int) -> String {
    String(decoding: (0..<count).map { _ in UInt8(ascii: "a") + UInt8(next(below: 26)) }, as: UTF8.self)
  }

  /// A word of three to nine letters.
  package mutating func word() -> String { letters(3 + next(below: 7)) }
}
