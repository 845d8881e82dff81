/// What goes from the publisher of a route to its receivers; where the medium carries bytes, 64 of them.
///
/// ```
/// 0          8          16                64
/// | kind     | value    | zeros           |
/// ```
struct Message {
  enum Kind: Int64 {
    /// Somebody writes here. Said until every receiver has heard it.
    case hello
    /// What is measured. The value of a latency is a reading of the machine's clock.
    case write
    /// That was the round whose number is the value.
    case end
  }

  static let byteCount = 64

  let kind: Kind
  let value: Int64

  init(_ kind: Kind, _ value: Int64) {
    self.kind = kind
    self.value = value
  }

  /// Nil for bytes that are no message.
  @inline(__always)
  init?(bytes: UnsafeRawBufferPointer) {
    guard bytes.count == Self.byteCount, let kind = Kind(rawValue: bytes.loadUnaligned(as: Int64.self)) else {
      return nil
    }
    self.init(kind, bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self))
  }

  @inline(__always)
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let words: [8 of Int64] = [kind.rawValue, value, 0, 0, 0, 0, 0, 0]
    return withUnsafeBytes(of: words, body)
  }
}
