import StarlingCore

/// Reads the primitives of Protocol/wire-format.md, "Notation". It and its extensions alone touch memory by address:
/// every read is held against the end first.
///
/// ```
/// buffer: | read already | next ... |
///         0              offset     end
/// ```
struct Reader {
  let buffer: UnsafeRawBufferPointer
  var offset = 0
  let limits: WireLimits
  /// What one call of a decoder may still hand out; see `WireLimits`.
  private var operationsLeft: Int
  private var definitionsLeft: Int
  private var dotsLeft: Int
  private var snapshotEntriesLeft: Int
  private var expansionLeft: Int
  private var typedTextLeft: Int

  private init(_ buffer: UnsafeRawBufferPointer, limits: WireLimits) {
    self.buffer = buffer
    self.limits = limits
    operationsLeft = limits.operationCountMax
    definitionsLeft = limits.definitionCountMax
    dotsLeft = limits.dotCountMax
    snapshotEntriesLeft = limits.snapshotEntryCountMax
    expansionLeft = limits.snapshotByteCountMax
    typedTextLeft = limits.frameByteCountMax
  }

  /// Runs `body` over `bytes`; neither the reader nor anything of it outlives the call.
  ///
  /// - Throws: `tooLarge` where `bytes` are more than `byteCountMax`; what `body` throws; `trailingBytes` where it
  ///   leaves any.
  static func read<Result>(
    _ bytes: ArraySlice<UInt8>, atMost byteCountMax: Int, limits: WireLimits,
    _ body: (inout Reader) throws(WireError) -> Result
  ) throws(WireError) -> Result {
    guard bytes.count <= byteCountMax else {
      throw WireError(.tooLarge, at: 0, "\(bytes.count) bytes where \(byteCountMax) are allowed")
    }
    // The result is returned, not thrown, out of the closure: typed throws through
    // `withUnsafeBytes` crash the 6.3 compiler in some shapes.
    let outcome = bytes.withUnsafeBytes { buffer -> Swift.Result<Result, WireError> in
      var reader = Reader(buffer, limits: limits)
      do throws(WireError) {
        let result = try body(&reader)
        guard reader.isAtEnd else {
          throw reader.error(.trailingBytes, "\(reader.remaining) bytes follow after the end")
        }
        return .success(result)
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  var remaining: Int { buffer.count - offset }
  var isAtEnd: Bool { offset == buffer.count }

  /// Of all bytes that were read.
  var checksum: UInt64 { UnsafeRawBufferPointer(rebasing: buffer[..<offset]).checksum }

  func error(_ code: WireError.Code, _ what: String, at place: Int? = nil) -> WireError {
    WireError(code, at: place ?? offset, what)
  }

  /// Whether the next byte is `byte`.
  @inline(__always)
  func comes(_ byte: UInt8) -> Bool { offset < buffer.count && buffer[offset] == byte }

  // MARK: Numbers

  @inline(__always)
  mutating func byte() throws(WireError) -> UInt8 {
    guard offset < buffer.count else { throw error(.truncated, "The bytes end where one more is due") }
    defer { offset += 1 }
    return buffer[offset]
  }

  @inline(__always)
  mutating func varint() throws(WireError) -> UInt64 {
    if offset < buffer.count, buffer[offset] < 0x80 {
      defer { offset += 1 }
      return UInt64(buffer[offset])
    }
    // Two bytes are as usual as one where a stream knows many slots; a second of 0 is overlong.
    if offset &+ 1 < buffer.count, buffer[offset &+ 1] < 0x80, buffer[offset &+ 1] > 0 {
      defer { offset += 2 }
      return UInt64(buffer[offset] & 0x7F) | UInt64(buffer[offset &+ 1]) << 7
    }
    return try longVarint()
  }

  private mutating func longVarint() throws(WireError) -> UInt64 {
    let start = offset
    var result: UInt64 = 0
    for place in 0..<10 {
      guard start + place < buffer.count else {
        throw error(.truncated, "The bytes end inside a number", at: start)
      }
      let byte = buffer[start + place]
      if place == 9, byte > 1 { throw error(.malformed, "A number has more than 64 bits", at: start) }
      result |= UInt64(byte & 0x7F) << (7 * place)
      if byte < 0x80 {
        if byte == 0, place > 0 { throw error(.overlong, "A number has a shorter spelling", at: start) }
        offset = start + place + 1
        return result
      }
    }
    throw error(.malformed, "A number has more than 64 bits", at: start)
  }

  @inline(__always)
  mutating func signedVarint() throws(WireError) -> Int64 {
    let raw = try varint()
    return Int64(bitPattern: raw >> 1) ^ -Int64(bitPattern: raw & 1)
  }

  mutating func fixed32() throws(WireError) -> UInt32 {
    try need(4)
    defer { offset += 4 }
    return UInt32(littleEndian: buffer.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  mutating func fixed64() throws(WireError) -> UInt64 {
    try need(8)
    defer { offset += 8 }
    return UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  // MARK: Runs of bytes

  mutating func bytes(count: Int) throws(WireError) -> [UInt8] {
    try need(count)
    defer { offset += count }
    return [UInt8](buffer[offset..<offset + count])
  }

  /// Where they lie.
  mutating func rawBytes(count: Int) throws(WireError) -> UnsafeRawBufferPointer {
    try need(count)
    defer { offset += count }
    return UnsafeRawBufferPointer(rebasing: buffer[offset..<offset + count])
  }

  mutating func string(byteCount: Int) throws(WireError) -> String {
    try need(byteCount)
    let bytes = UnsafeRawBufferPointer(rebasing: buffer[offset..<offset + byteCount])
    guard let string = String(wellFormed: bytes) else { throw error(.malformed, "A text is not UTF-8") }
    offset += byteCount
    return string
  }

  mutating func scalars(byteCount: Int) throws(WireError) -> Scalars {
    try need(byteCount)
    let bytes = UnsafeRawBufferPointer(rebasing: buffer[offset..<offset + byteCount])
    guard let count = bytes.scalarCount else { throw error(.malformed, "A text is not UTF-8") }
    offset += byteCount
    return Scalars(unchecked: bytes.bindMemory(to: UInt8.self), count: count)
  }

  mutating func skip(_ count: Int) throws(WireError) {
    try need(count)
    offset += count
  }

  /// A length of bytes that must follow, held against `most` and against what is left.
  mutating func byteCount(atMost most: Int) throws(WireError) -> Int {
    let start = offset
    return try checkedByteCount(varint(), atMost: most, at: start)
  }

  func checkedByteCount(_ count: UInt64, atMost most: Int, at start: Int) throws(WireError) -> Int {
    guard count <= UInt64(most) else {
      throw error(.tooLarge, "\(count) bytes where \(most) are allowed", at: start)
    }
    guard count <= UInt64(remaining) else {
      throw error(.truncated, "\(count) bytes are announced and \(remaining) follow", at: start)
    }
    return Int(count)
  }

  /// A count of things of at least `size` bytes each that must follow, held against what is left.
  mutating func count(atMost most: Int = .max, ofSize size: Int) throws(WireError) -> Int {
    let start = offset
    let count = try varint()
    guard count <= UInt64(most) else {
      throw error(.tooLarge, "\(count) entries where \(most) are allowed", at: start)
    }
    guard count <= UInt64(remaining / size) else {
      throw error(.truncated, "\(count) entries are announced and \(remaining) bytes follow", at: start)
    }
    return Int(count)
  }

  @inline(__always)
  private func need(_ count: Int) throws(WireError) {
    guard count <= remaining else {
      throw error(.truncated, "\(count) bytes are due and \(remaining) follow")
    }
  }

  // MARK: What one call may hand out

  mutating func spendOperations(_ count: Int, at start: Int) throws(WireError) {
    operationsLeft -= count
    if operationsLeft < 0 {
      throw error(.tooLarge, "More than \(limits.operationCountMax) operations at once", at: start)
    }
  }

  mutating func spendDefinitions(_ count: Int, at start: Int) throws(WireError) {
    definitionsLeft -= count
    if definitionsLeft < 0 {
      throw error(.tooLarge, "More than \(limits.definitionCountMax) object definitions at once", at: start)
    }
  }

  mutating func spendDots(_ count: Int, at start: Int) throws(WireError) {
    dotsLeft -= count
    if dotsLeft < 0 { throw error(.tooLarge, "More than \(limits.dotCountMax) dots at once", at: start) }
  }

  mutating func spendSnapshotEntries(_ count: Int, at start: Int) throws(WireError) {
    snapshotEntriesLeft -= count
    if snapshotEntriesLeft < 0 {
      throw error(.tooLarge, "More than \(limits.snapshotEntryCountMax) objects, slots, entries and shares", at: start)
    }
  }

  /// For the texts of histories, which may be packed.
  mutating func spendTypedText(_ byteCount: UInt64, at start: Int) throws(WireError) -> Int {
    guard byteCount <= UInt64(typedTextLeft) else {
      throw error(.tooLarge, "More than \(limits.frameByteCountMax) bytes of typed text at once", at: start)
    }
    typedTextLeft -= Int(byteCount)
    return Int(byteCount)
  }

  /// For bytes handed out that the snapshot does not spell: what names and texts share with those before them.
  mutating func spendExpansion(_ byteCount: Int, at start: Int) throws(WireError) {
    expansionLeft -= byteCount
    if expansionLeft < 0 {
      throw error(.tooLarge, "Keys and texts unfold to more than \(limits.snapshotByteCountMax) bytes", at: start)
    }
  }
}

extension String {
  /// Nil if `bytes` are not UTF-8. The standard library's validation goes through unspecialised
  /// code, at five times the cost; most texts need none.
  fileprivate init?(wellFormed bytes: UnsafeRawBufferPointer) {
    if bytes.isASCII {
      self = String(decoding: bytes, as: UTF8.self)
    } else {
      self.init(validating: bytes, as: UTF8.self)
    }
  }

  /// Nil if `bytes` are not UTF-8.
  init?(wellFormed bytes: [UInt8]) {
    guard let string = bytes.withUnsafeBytes({ String(wellFormed: $0) }) else { return nil }
    self = string
  }
}

extension UnsafeRawBufferPointer {
  /// How many Unicode scalars the bytes spell; nil if they are not UTF-8.
  var scalarCount: Int? {
    if isASCII { return count }
    guard String(validating: self, as: UTF8.self) != nil else { return nil }
    return reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
  }

  /// Eight bytes at a time; the last ones overlap those before them.
  @inline(__always)
  var isASCII: Bool {
    func word(_ offset: Int) -> UInt64 { loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
    func half(_ offset: Int) -> UInt64 { UInt64(loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
    var bits: UInt64 = 0
    switch count {
    case 8...:
      var offset = 0
      while offset + 8 < count {
        bits |= word(offset)
        offset += 8
      }
      bits |= word(count - 8)
    case 4...: bits = half(0) | half(count - 4)
    case 1...: bits = UInt64(self[0] | self[count / 2] | self[count - 1])
    default: break
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }
}
