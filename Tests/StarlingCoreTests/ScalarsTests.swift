import StarlingTestSupport
import Testing

@testable import StarlingCore

/// A text of up to sixteen bytes stands in the value, a longer one in an array; nothing shows which.
@Suite struct `Text that knows its scalars` {
  private static let alphabet: [Unicode.Scalar] = ["a", "z", "ß", "é", "€", "🦊"]

  private func drawn(_ count: Int, _ dice: inout Dice) -> String {
    var scalars = String.UnicodeScalarView()
    for _ in 0..<count { scalars.append(dice.pick(Self.alphabet)) }
    return String(scalars)
  }

  @Test func `is the same whatever it was made of`() {
    var dice = Dice(seed: 11)
    for round in 0..<2000 {
      let string = drawn(dice.roll(24), &dice)
      let (bytes, count) = (Array(string.utf8), string.unicodeScalars.count)
      let cut = string.unicodeScalars.index(string.startIndex, offsetBy: dice.roll(0..<count + 1))
      var joined = Scalars(String(string[..<cut]))
      joined.append(Scalars(String(string[cut...])))
      let made = [
        Scalars(string), Scalars(unchecked: bytes, count: count),
        bytes.withUnsafeBufferPointer { Scalars(unchecked: $0, count: count) }, joined,
      ]
      #expect(Set(made).count == 1, "round \(round) of seed \(dice.seed)")
      for text in made {
        #expect(text.count == count && text.utf8Count == bytes.count && text.utf8 == bytes)
        #expect(text.text.unicodeScalars.elementsEqual(string.unicodeScalars))
        #expect(text.withUTF8 { Array($0) } == bytes)
      }
    }
  }

  @Test func `grows letter by letter past what stands in the value`() {
    var (text, string) = (Scalars(""), "")
    for letter in "sixteen bytes and €uros behind them" {
      text.append(Scalars(String(letter)))
      string.append(letter)
      #expect(text == Scalars(string) && text.hashValue == Scalars(string).hashValue)
    }
  }

  @Test func `differs where a byte does, or the number of zeros at its end`() {
    #expect(Scalars("a") != Scalars("b"))
    #expect(Scalars("a") != Scalars("a\0"))
    #expect(Scalars("") != Scalars("\0"))
    // Canonically equivalent, and other bytes.
    #expect(Scalars("é") != Scalars("e\u{301}"))
    #expect(Scalars(String(repeating: "a", count: 16)) != Scalars(String(repeating: "a", count: 17)))
  }

  @Test func `finds where a scalar begins`() {
    var dice = Dice(seed: 12)
    for _ in 0..<500 {
      let string = drawn(dice.roll(24), &dice)
      let text = Scalars(string)
      var place = 0
      for (count, scalar) in string.unicodeScalars.enumerated() {
        #expect(text.utf8Offset(of: count, from: 0) == place)
        place += UTF8.width(scalar)
      }
      #expect(text.utf8Offset(of: text.count, from: 0) == place)
      #expect(text.utf8Offset(of: text.utf8Count + 1, from: 0) == nil)
      let (lower, upper) = (dice.roll(0..<text.count + 1), dice.roll(0..<text.count + 1))
      let range = min(lower, upper)..<max(lower, upper)
      let part = String(String.UnicodeScalarView(Array(string.unicodeScalars)[range]))
      #expect(text.text(in: range).unicodeScalars.elementsEqual(part.unicodeScalars))
    }
  }
}
