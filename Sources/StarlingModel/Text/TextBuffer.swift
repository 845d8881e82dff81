/// A text that is edited at offsets: chunks of about a kilobyte of UTF-8, each with its counts.
///
/// ```
///   [ "Once upon a t…" 1018 scalars ][ "…ime" 988 scalars ][ … ]
///                                       ▲ the latest edit: the next one is looked for from here
/// ```
///
/// - Complexity: an edit is O(chunks between it and the one before + length of what changes).
struct TextBuffer {
  private struct Chunk {
    private(set) var utf8: ContiguousArray<UInt8>
    private(set) var counts: Counts

    init(_ utf8: UnsafeBufferPointer<UInt8>) {
      self.utf8 = ContiguousArray(utf8)
      counts = Counts(utf8)
    }

    /// How many Unicode scalars.
    var count: Int { counts.scalars }

    /// The place of a scalar in the bytes.
    func place(of index: Int) -> Int {
      // Each scalar is a byte.
      if counts.scalars == utf8.count { return index }
      var (place, left) = (0, index)
      while place < utf8.count, left > 0 || utf8[place].continuesScalar {
        if !utf8[place].continuesScalar { left -= 1 }
        place += 1
      }
      return place
    }

    func counts(_ range: Range<Int>) -> Counts {
      utf8.withUnsafeBufferPointer { Counts(UnsafeBufferPointer(rebasing: $0[range])) }
    }

    /// - Parameter range: counts bytes.
    mutating func replace(_ range: Range<Int>, with text: UnsafeBufferPointer<UInt8>, _ added: Counts, _ gone: Counts) {
      if range.lowerBound == utf8.count {
        utf8.append(contentsOf: text)
      } else {
        utf8.replaceSubrange(range, with: text)
      }
      counts.scalars += added.scalars - gone.scalars
      counts.utf16 += added.utf16 - gone.utf16
    }
  }

  private struct Counts {
    var scalars = 0
    var utf16 = 0

    init(_ utf8: UnsafeBufferPointer<UInt8>) {
      // Most texts are ASCII, and to see that takes a sixteenth of counting.
      guard utf8.reduce(0, |) >= 0x80 else {
        (scalars, utf16) = (utf8.count, utf8.count)
        return
      }
      for byte in utf8 {
        scalars &+= byte.continuesScalar ? 0 : 1
        utf16 &+= byte.continuesScalar ? 0 : byte >= 0xF0 ? 2 : 1
      }
    }
  }

  private static let chunkByteCount = 1024

  private var chunks: [Chunk] = []
  /// A chunk, and how many scalars stand before it.
  private var latest = (chunk: 0, before: 0)
  /// How many Unicode scalars.
  private(set) var count = 0
  private(set) var utf8Count = 0
  private(set) var utf16Count = 0

  init(_ text: String = "") {
    replace(0..<0, with: text)
  }

  /// - Complexity: O(*n*)
  var string: String { text(0..<count) }

  func text(_ range: Range<Int>) -> String {
    var bytes: [UInt8] = []
    var before = 0
    for chunk in chunks {
      let part = range.clamped(to: before..<before + chunk.count)
      if part.count == chunk.count {
        bytes += chunk.utf8
      } else if !part.isEmpty {
        bytes += chunk.utf8[chunk.place(of: part.lowerBound - before)..<chunk.place(of: part.upperBound - before)]
      }
      before += chunk.count
      if before >= range.upperBound { break }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// - Returns: how many scalars the text has.
  @discardableResult
  mutating func replace(_ range: Range<Int>, with text: String) -> Int {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "\(range) is not within 0..<\(count).")
    var text = text
    return text.withUTF8 { text in
      let added = Counts(text)
      seek(range.lowerBound)
      if !replaceWithinChunk(range, with: text, added) { replaceChunks(range, with: text) }
      return added.scalars
    }
  }

  /// Goes to the first chunk that ends at `index` or behind it.
  private mutating func seek(_ index: Int) {
    var (chunk, before) = latest
    // From the front or the back where that is nearer.
    if index < before - index {
      (chunk, before) = (0, 0)
    } else if count - index < index - before {
      (chunk, before) = (chunks.count, count)
    }
    chunks.withUnsafeBufferPointer { chunks in
      while chunk > 0, before >= index {
        chunk -= 1
        before -= chunks[chunk].count
      }
      while chunk < chunks.count, before + chunks[chunk].count < index {
        before += chunks[chunk].count
        chunk += 1
      }
    }
    latest = (chunk, before)
  }

  /// Where one chunk has all of the range and space for the text, it alone is altered.
  private mutating func replaceWithinChunk(
    _ range: Range<Int>, with text: UnsafeBufferPointer<UInt8>, _ added: Counts
  ) -> Bool {
    let (place, before) = latest
    guard place < chunks.count, range.upperBound <= before + chunks[place].count,
      chunks[place].utf8.count + text.count <= 2 * Self.chunkByteCount
    else { return false }
    let start = chunks[place].place(of: range.lowerBound - before)
    let end = range.isEmpty ? start : chunks[place].place(of: range.upperBound - before)
    let gone = chunks[place].counts(start..<end)
    chunks[place].replace(start..<end, with: text, added, gone)
    count += added.scalars - gone.scalars
    utf8Count += text.count - (end - start)
    utf16Count += added.utf16 - gone.utf16
    if chunks[place].count == 0 { chunks.remove(at: place) }
    return true
  }

  private mutating func replaceChunks(_ range: Range<Int>, with text: UnsafeBufferPointer<UInt8>) {
    let (first, before) = latest
    var (end, behind) = (first, before)
    while end < chunks.count, behind < range.upperBound || end == first {
      behind += chunks[end].count
      end += 1
    }
    var new: [Chunk] = []
    if first < end {
      let last = chunks[end - 1]
      let bytes =
        chunks[first].utf8[..<chunks[first].place(of: range.lowerBound - before)] + text
        + last.utf8[last.place(of: range.upperBound - (behind - last.count))...]
      new = bytes.withUnsafeBufferPointer { Self.chunks(of: $0) }
    } else {
      new = Self.chunks(of: text)
    }
    for chunk in chunks[first..<end] { account(for: chunk, -1) }
    for chunk in new { account(for: chunk, 1) }
    chunks.replaceSubrange(first..<end, with: new)
  }

  private mutating func account(for chunk: Chunk, _ sign: Int) {
    count += sign * chunk.count
    utf8Count += sign * chunk.utf8.count
    utf16Count += sign * chunk.counts.utf16
  }

  private static func chunks(of bytes: UnsafeBufferPointer<UInt8>) -> [Chunk] {
    guard bytes.count > 2 * chunkByteCount else { return bytes.isEmpty ? [] : [Chunk(bytes)] }
    var chunks: [Chunk] = []
    var start = 0
    while start < bytes.count {
      var end = min(start + chunkByteCount, bytes.count)
      while end < bytes.count, bytes[end].continuesScalar { end += 1 }
      chunks.append(Chunk(UnsafeBufferPointer(rebasing: bytes[start..<end])))
      start = end
    }
    return chunks
  }

  // MARK: Offsets

  /// Where the scalar at `index` begins in the text's UTF-8; the count gives its end.
  func utf8Offset(of index: Int) -> Int {
    var (left, offset) = (index, 0)
    for chunk in chunks {
      if left < chunk.count { return offset + chunk.place(of: left) }
      left -= chunk.count
      offset += chunk.utf8.count
    }
    return offset
  }

  func utf16Offset(of index: Int) -> Int {
    var (left, offset) = (index, 0)
    for chunk in chunks {
      if left < chunk.count { return offset + chunk.counts(0..<chunk.place(of: left)).utf16 }
      left -= chunk.count
      offset += chunk.counts.utf16
    }
    return offset
  }

  /// The scalar that holds this byte of the text's UTF-8; the count for the end.
  func index(ofUTF8 offset: Int) -> Int {
    var (left, index) = (offset, 0)
    for chunk in chunks {
      if left < chunk.utf8.count {
        return index + chunk.counts(0..<left + 1).scalars - 1
      }
      left -= chunk.utf8.count
      index += chunk.count
    }
    return index
  }

  /// The scalar that holds this code unit of the text's UTF-16; the count for the end.
  func index(ofUTF16 offset: Int) -> Int {
    var (left, index) = (offset, 0)
    for chunk in chunks {
      if left < chunk.counts.utf16 {
        for byte in chunk.utf8 where !byte.continuesScalar {
          left -= byte >= 0xF0 ? 2 : 1
          if left < 0 { return index }
          index += 1
        }
      }
      left -= chunk.counts.utf16
      index += chunk.count
    }
    return index
  }
}

extension UInt8 {
  /// Whether the byte stands within a scalar's UTF-8, behind its first.
  fileprivate var continuesScalar: Bool { self & 0xC0 == 0x80 }
}
