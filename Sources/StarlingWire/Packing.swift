// A text that says once what it repeats (Protocol/wire-format.md, "Packed texts"): who typed for hours
// used the same words again and again.
//
// ```
// step:   nibbles  [more literals]  literals  [more length]  distance
//         L M      where L = 15               where M = 15
//
// "the house, the mouse"  =  11 literals "the house, ", 4 bytes from 11 before, 5 literals "mouse"
// ```
//
// A step of three bytes copies 146 at most, so a reader that has n bytes before it sets aside less than 50 n.

enum Packing {
  static let lengthMin = 4
  static let nibbleMax = 15
  /// What follows a full nibble is one byte below 128.
  static let lengthMax = lengthMin + nibbleMax + 127
  /// How many times its bytes a step comes to, at most.
  static let expansionMax = (lengthMax + 2) / 3
  /// Shorter texts stay as they are.
  static let byteCountMin = 64
}

extension ByteSink where Self: ~Copyable {
  /// A byte count and whether the text is packed, then the text in the shorter of both ways.
  mutating func append(packable text: [UInt8]) {
    if text.count >= Packing.byteCountMin {
      let packed = Packing.pack(text)
      if packed.count < text.count {
        append(varint: 2 * text.count + 1)
        append(contentsOf: packed)
        return
      }
    }
    append(varint: 2 * text.count)
    append(contentsOf: text)
  }
}

extension Packing {
  /// How many earlier places are tried for a match.
  private static let tryCountMax = 16
  private static let hashBitCount: UInt32 = 15

  /// - Complexity: O(*n*)
  static func pack(_ text: [UInt8]) -> [UInt8] {
    var packed: [UInt8] = []
    packed.reserveCapacity(text.count / 2)
    // The last place of each hash of four bytes, and of each place the one before of the same hash; -1 for none.
    var latest = [Int32](repeating: -1, count: 1 << Int(hashBitCount))
    var earlier = [Int32](repeating: -1, count: text.count)
    var literalStart = 0
    var place = 0
    while place + lengthMin <= text.count {
      let match = longestMatch(at: place, in: text, from: latest[hash(at: place, in: text)], earlier)
      let next = place + (match?.length ?? 1)
      if let match {
        append(text[literalStart..<place], match, to: &packed)
        literalStart = next
      }
      while place < next, place + lengthMin <= text.count {
        let bucket = hash(at: place, in: text)
        earlier[place] = latest[bucket]
        latest[bucket] = Int32(place)
        place += 1
      }
      place = next
    }
    if literalStart < text.count { append(text[literalStart...], nil, to: &packed) }
    return packed
  }

  private static func hash(at place: Int, in text: [UInt8]) -> Int {
    let word =
      UInt32(text[place]) | UInt32(text[place + 1]) << 8 | UInt32(text[place + 2]) << 16 | UInt32(text[place + 3]) << 24
    return Int((word &* 0x9E37_79B1) >> (32 - hashBitCount))
  }

  private static func longestMatch(
    at place: Int, in text: [UInt8], from first: Int32, _ earlier: [Int32]
  ) -> (length: Int, distance: Int)? {
    var best = (length: lengthMin - 1, distance: 0)
    var candidate = Int(first)
    let most = min(lengthMax, text.count - place)
    var tries = 0
    while candidate >= 0, tries < tryCountMax, best.length < most {
      var length = 0
      while length < most, text[candidate + length] == text[place + length] { length += 1 }
      if length > best.length { best = (length, place - candidate) }
      candidate = Int(earlier[candidate])
      tries += 1
    }
    return best.distance > 0 ? best : nil
  }

  private static func append(
    _ literals: ArraySlice<UInt8>, _ match: (length: Int, distance: Int)?, to packed: inout [UInt8]
  ) {
    let length = match.map { $0.length - lengthMin } ?? 0
    packed.append(UInt8(min(literals.count, nibbleMax) << 4 | min(length, nibbleMax)))
    if literals.count >= nibbleMax { packed.append(varint: literals.count - nibbleMax) }
    packed.append(contentsOf: literals)
    guard let match else { return }
    if length >= nibbleMax { packed.append(UInt8(length - nibbleMax)) }
    packed.append(varint: match.distance)
  }
}

extension Reader {
  /// A text as `append(packable:)` wrote it.
  mutating func packableBytes() throws(WireError) -> [UInt8] {
    let start = offset
    let head = try varint()
    return try packableBytes(head, byteCount: spendTypedText(head >> 1, at: start), at: start)
  }

  /// The same, of a snapshot.
  mutating func packableBytesOfSnapshot() throws(WireError) -> [UInt8] {
    let start = offset
    let head = try varint()
    guard head >> 1 <= UInt64(limits.snapshotByteCountMax) else {
      throw error(.tooLarge, "\(head >> 1) bytes where \(limits.snapshotByteCountMax) are allowed", at: start)
    }
    if head & 1 == 1 { try spendExpansion(Int(head >> 1), at: start) }
    return try packableBytes(head, byteCount: Int(head >> 1), at: start)
  }

  private mutating func packableBytes(_ head: UInt64, byteCount: Int, at start: Int) throws(WireError) -> [UInt8] {
    guard head & 1 == 1 else { return try bytes(count: checkedByteCount(head >> 1, atMost: byteCount, at: start)) }
    return try unpack(byteCount: byteCount)
  }

  private mutating func unpack(byteCount: Int) throws(WireError) -> [UInt8] {
    // A step of n bytes adds at most `expansionMax` * n; who announces more runs out of bytes before the space is full.
    let capacity = min(byteCount, Packing.expansionMax * remaining)
    var failure: WireError?
    let text = [UInt8](unsafeUninitializedCapacity: capacity) { text, count in
      do throws(WireError) {
        while count < byteCount { try unpackStep(into: text, &count, byteCount: byteCount) }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return text
  }

  /// Appends what one step says.
  ///
  /// - Parameter count: How many bytes of `text` stand already.
  private mutating func unpackStep(
    into text: UnsafeMutableBufferPointer<UInt8>, _ count: inout Int, byteCount: Int
  ) throws(WireError) {
    let start = offset
    let nibbles = Int(try byte())
    var literalCount = UInt64(nibbles >> 4)
    if literalCount == Packing.nibbleMax {
      let (sum, overflow) = try varint().addingReportingOverflow(literalCount)
      literalCount = overflow ? .max : sum
    }
    guard literalCount <= UInt64(byteCount - count) else {
      throw error(.malformed, "\(literalCount) bytes where \(byteCount - count) are left", at: start)
    }
    let literals = try rawBytes(count: Int(literalCount))
    UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(text)[count...]).copyMemory(from: literals)
    count += literals.count
    let nibble = nibbles & Packing.nibbleMax
    if count == byteCount, nibble == 0 { return }
    var length = Packing.lengthMin + nibble
    if nibble == Packing.nibbleMax {
      let more = try byte()
      guard more < 128 else { throw error(.malformed, "\(more) bytes more are copied at once", at: start) }
      length += Int(more)
    }
    let place = offset
    let distance = try varint()
    guard count > 0, 1...UInt64(count) ~= distance else {
      throw error(.malformed, "What stands \(distance) bytes before is copied of \(count)", at: place)
    }
    guard length <= byteCount - count else {
      throw error(.malformed, "\(length) bytes where \(byteCount - count) are left", at: start)
    }
    precondition(
      length <= text.count - count, "A step adds \(length) bytes where the text has space for \(text.count - count).")
    // What is copied may overlap what comes of it, but not if it is copied in pieces that do not.
    let piece = min(length, Int(distance))
    let target = text.baseAddress! + count
    for done in stride(from: 0, to: length, by: piece) {
      let left = min(piece, length - done)
      (target + done).update(from: target + done - Int(distance), count: left)
    }
    count += length
  }
}
