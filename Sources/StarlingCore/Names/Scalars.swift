/// Text that knows how many Unicode scalars it has, as well-formed UTF-8.
public struct Scalars: Hashable, Sendable {
  public private(set) var utf8: [UInt8]
  /// How many Unicode scalars.
  public private(set) var count: Int

  /// - Complexity: O(*n*)
  public init(_ text: String) {
    utf8 = Array(text.utf8)
    count = utf8.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
  }

  /// - Parameter utf8: Well-formed UTF-8.
  package init(unchecked utf8: [UInt8], count: Int) {
    self.utf8 = utf8
    self.count = count
  }

  mutating func append(_ other: Scalars) {
    utf8 += other.utf8
    count += other.count
  }

  /// Where the scalar begins in the UTF-8 that is `count` behind the one that begins at `place`; nil if there are fewer.
  ///
  /// - Complexity: O(1) in a text of ASCII, O(`count`) in others.
  func utf8Offset(of count: Int, from place: Int) -> Int? {
    guard 0...(utf8.count - place) ~= count else { return nil }
    if utf8.count == self.count { return place + count }
    var (place, left) = (place, count)
    // A scalar begins wherever a byte does not continue one.
    while place < utf8.count {
      if utf8[place] & 0xC0 != 0x80 {
        if left == 0 { break }
        left -= 1
      }
      place += 1
    }
    return left == 0 ? place : nil
  }

  public var text: String { String(decoding: utf8, as: UTF8.self) }

  /// Some of the scalars.
  func text(in range: Range<Int>) -> String {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "\(range) is not within 0..<\(count).")
    if utf8.count == count { return String(decoding: utf8[range], as: UTF8.self) }
    return String(String.UnicodeScalarView(text.unicodeScalars.dropFirst(range.lowerBound).prefix(range.count)))
  }
}
