/// A reader of bytes that anybody may have written, and what must hold whatever they are.
///
/// Fuzzing/ feeds it with inputs that a fuzzer makes up, `ReplayTests` with those that were kept. Not to crash, not to
/// hang and not to hold more than `byteCountMax(for:)` is checked by its caller; the rest by `check`.
struct FuzzedDecoder: Sendable {
  /// Also of its corpus.
  let name: String
  /// What it may hold at once for one byte of input, beside what any input may cost.
  var byteCountPerByte = 4096
  /// Whether any bytes mean something to it.
  var refusesNothing = false
  /// - Returns: Whether the bytes were read; false where they were refused.
  /// - Throws: `Broken` where a law does not hold.
  let check: @Sendable ([UInt8]) throws -> Bool

  /// The most that it may have allocated at once for an input, in bytes.
  ///
  /// A change of a few bytes may name a replica, a slot and an object, each a row of tables that grow by doubling.
  func byteCountMax(for inputByteCount: Int) -> Int { 4 << 20 + byteCountPerByte * inputByteCount }

  static let all: [FuzzedDecoder] =
    [
      .message, .presence, .published, .explanation, .stream, .tables, .batch, .snapshot, .openedSnapshot, .keyLine,
      .storedRows, .storeFiles, .json, .keysAndAddresses, .conversation, .document,
    ] + ofCluster
}

/// A law that does not hold.
struct Broken: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Throws unless it holds.
func hold(_ isTrue: Bool, _ law: @autoclosure () -> String) throws {
  if !isTrue { throw Broken(law()) }
}

/// Takes numbers and parts off an input, so that each input means something.
struct InputReader {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  /// 0 past the end.
  mutating func next() -> Int { Int(rest.popFirst() ?? 0) }

  /// A part with its length before it, in two bytes; as much as there is where that is more.
  mutating func part() -> [UInt8] {
    let count = next() | next() << 8
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// All parts, at most so many.
  mutating func parts(atMost most: Int) -> [[UInt8]] {
    var parts: [[UInt8]] = []
    while !isAtEnd, parts.count < most { parts.append(part()) }
    return parts
  }

  mutating func takeRest() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }
}
