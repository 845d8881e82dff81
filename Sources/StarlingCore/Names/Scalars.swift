/// Text that knows how many Unicode scalars it has, as well-formed UTF-8.
///
/// What somebody types is a letter or a word. So much stands in the value itself (`ShortText`): an edit that goes from the
/// thread that writes to the one that sends takes no memory of its own with it.
public struct Scalars: Hashable, Sendable {
  private enum Storage: Hashable, Sendable {
    case short(ShortText)
    /// Always longer, so that equal texts are stored alike.
    case long([UInt8])
  }

  private var storage: Storage
  /// How many Unicode scalars.
  public private(set) var count: Int

  /// - Complexity: O(*n*)
  public init(_ text: String) {
    var text = text
    self = text.withUTF8 { utf8 in
      Scalars(unchecked: utf8, count: SequenceTree.scalarCount(utf8))
    }
  }

  /// - Parameter utf8: Well-formed UTF-8.
  package init(unchecked utf8: [UInt8], count: Int) {
    storage = utf8.withUnsafeBufferPointer(ShortText.init).map { .short($0) } ?? .long(utf8)
    self.count = count
  }

  /// - Parameter utf8: Well-formed UTF-8.
  package init(unchecked utf8: UnsafeBufferPointer<UInt8>, count: Int) {
    storage = ShortText(utf8).map { .short($0) } ?? .long(Array(utf8))
    self.count = count
  }

  /// - Complexity: O(1); of a short text the bytes are copied into an array. `withUTF8` shows them where they stand.
  public var utf8: [UInt8] {
    switch storage {
    case .short(let text): text.withUTF8 { Array($0) }
    case .long(let utf8): utf8
    }
  }

  /// - Complexity: O(1)
  public var utf8Count: Int {
    switch storage {
    case .short(let text): text.count
    case .long(let utf8): utf8.count
    }
  }

  @inline(__always)
  package func withUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
    switch storage {
    case .short(let text): try text.withUTF8(body)
    case .long(let utf8): try utf8.withUnsafeBufferPointer(body)
    }
  }

  mutating func append(_ other: Scalars) {
    count += other.count
    var utf8: [UInt8]
    switch storage {
    case .short(var text):
      if other.withUTF8({ text.append($0) }) {
        storage = .short(text)
        return
      }
      utf8 = self.utf8
    case .long(let former):
      utf8 = former
      // Nothing else must hold the bytes while they grow.
      storage = .short(ShortText())
    }
    other.withUTF8 { utf8.append(contentsOf: $0) }
    storage = .long(utf8)
  }

  /// Where the scalar begins in the UTF-8 that is `count` behind the one that begins at `place`; nil if there are fewer.
  ///
  /// - Complexity: O(1) in a text of ASCII, O(`count`) in others.
  func utf8Offset(of count: Int, from place: Int) -> Int? {
    withUTF8 { utf8 in
      guard 0...(utf8.count - place) ~= count else { return nil }
      if utf8.count == self.count { return place + count }
      let (end, left) = utf8.passing(count, from: place)
      return left == 0 ? end : nil
    }
  }

  public var text: String { withUTF8 { String(decoding: $0, as: UTF8.self) } }

  /// Some of the scalars.
  func text(in range: Range<Int>) -> String {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "\(range) is not within 0..<\(count).")
    if utf8Count == count {
      return withUTF8 { String(decoding: UnsafeBufferPointer(rebasing: $0[range]), as: UTF8.self) }
    }
    return String(String.UnicodeScalarView(text.unicodeScalars.dropFirst(range.lowerBound).prefix(range.count)))
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Goes over the next scalars of well-formed UTF-8.
  ///
  /// - Parameter place: where one begins, or the end.
  /// - Returns: where the one behind them begins, or the end; and how many were lacking.
  @inline(__always)
  func passing(_ count: Int, from place: Int = 0) -> (end: Int, left: Int) {
    var (end, left) = (place, count)
    // A scalar begins wherever a byte does not continue one.
    while end < self.count {
      if self[end] & 0xC0 != 0x80 {
        if left == 0 { break }
        left -= 1
      }
      end += 1
    }
    return (end, left)
  }
}

/// Up to sixteen bytes, which stand in the value itself; those that are not used are zero.
struct ShortText: Hashable, Sendable {
  static let countMax = 16

  private var bytes: (UInt64, UInt64) = (0, 0)
  private var length: UInt8 = 0

  var count: Int { Int(length) }

  init() {}

  /// Nil if they are more.
  @inline(__always)
  init?(_ utf8: UnsafeBufferPointer<UInt8>) {
    guard append(utf8) else { return nil }
  }

  /// - Returns: False if they are too many beside those that stand; then none is added.
  @inline(__always)
  mutating func append(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    guard count + utf8.count <= Self.countMax else { return false }
    let begin = count
    withUnsafeMutableBytes(of: &bytes) { bytes in
      for (offset, byte) in utf8.enumerated() { bytes[begin &+ offset] = byte }
    }
    length += UInt8(utf8.count)
    return true
  }

  @inline(__always)
  func withUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
    try withUnsafeBytes(of: bytes) { bytes in
      try body(UnsafeBufferPointer(rebasing: bytes.bindMemory(to: UInt8.self)[..<count]))
    }
  }

  static func == (left: ShortText, right: ShortText) -> Bool {
    left.length == right.length && left.bytes == right.bytes
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(bytes.0)
    hasher.combine(bytes.1)
    hasher.combine(length)
  }
}
