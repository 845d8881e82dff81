/// A text that is edited at offsets: chunks of about a kilobyte of UTF-8, each with its counts.
///
/// ```
///   [ "Once upon a t…" 1018 scalars ][ "…ime" 988 scalars ][ … ]
/// ```
///
/// - Complexity: an edit is O(chunks + length of what changes).
struct TextBuffer {
  private struct Chunk {
    var utf8: ArraySlice<UInt8>
    /// How many Unicode scalars.
    var count = 0
    var utf16Count = 0

    init(_ utf8: ArraySlice<UInt8>) {
      self.utf8 = utf8
      for byte in utf8 {
        if byte.continuesScalar { continue }
        count += 1
        utf16Count += byte >= 0xF0 ? 2 : 1
      }
    }

    /// The place of a scalar in the bytes.
    func place(of index: Int) -> Int {
      var (place, left) = (utf8.startIndex, index)
      while place < utf8.endIndex, left > 0 || utf8[place].continuesScalar {
        if !utf8[place].continuesScalar { left -= 1 }
        place += 1
      }
      return place
    }
  }

  private static let chunkByteCount = 1024

  private var chunks: [Chunk] = []
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

  mutating func replace(_ range: Range<Int>, with text: String) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "\(range) is not within 0..<\(count).")
    var (first, before) = (0, 0)
    while first < chunks.count, before + chunks[first].count < range.lowerBound {
      before += chunks[first].count
      first += 1
    }
    var (end, behind) = (first, before)
    while end < chunks.count, behind < range.upperBound || end == first {
      behind += chunks[end].count
      end += 1
    }
    var bytes: [UInt8] = []
    if first < end {
      bytes += chunks[first].utf8[..<chunks[first].place(of: range.lowerBound - before)]
    }
    bytes += text.utf8
    if first < end {
      let last = chunks[end - 1]
      bytes += last.utf8[last.place(of: range.upperBound - (behind - last.count))...]
    }
    let new = Self.chunks(of: bytes)
    for chunk in chunks[first..<end] { account(for: chunk, -1) }
    for chunk in new { account(for: chunk, 1) }
    chunks.replaceSubrange(first..<end, with: new)
  }

  private mutating func account(for chunk: Chunk, _ sign: Int) {
    count += sign * chunk.count
    utf8Count += sign * chunk.utf8.count
    utf16Count += sign * chunk.utf16Count
  }

  private static func chunks(of bytes: [UInt8]) -> [Chunk] {
    guard bytes.count > 2 * chunkByteCount else { return bytes.isEmpty ? [] : [Chunk(bytes[...])] }
    var chunks: [Chunk] = []
    var start = 0
    while start < bytes.count {
      var end = min(start + chunkByteCount, bytes.count)
      while end < bytes.count, bytes[end].continuesScalar { end += 1 }
      chunks.append(Chunk(ArraySlice(Array(bytes[start..<end]))))
      start = end
    }
    return chunks
  }

  // MARK: Offsets

  /// Where the scalar at `index` begins in the text's UTF-8; the count gives its end.
  func utf8Offset(of index: Int) -> Int {
    var (left, offset) = (index, 0)
    for chunk in chunks {
      if left < chunk.count { return offset + chunk.place(of: left) - chunk.utf8.startIndex }
      left -= chunk.count
      offset += chunk.utf8.count
    }
    return offset
  }

  func utf16Offset(of index: Int) -> Int {
    var (left, offset) = (index, 0)
    for chunk in chunks {
      if left < chunk.count { return offset + Chunk(chunk.utf8[..<chunk.place(of: left)]).utf16Count }
      left -= chunk.count
      offset += chunk.utf16Count
    }
    return offset
  }

  /// The scalar that holds this byte of the text's UTF-8; the count for the end.
  func index(ofUTF8 offset: Int) -> Int {
    var (left, index) = (offset, 0)
    for chunk in chunks {
      if left < chunk.utf8.count {
        return index + Chunk(chunk.utf8.prefix(left + 1)).count - 1
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
      if left < chunk.utf16Count {
        for byte in chunk.utf8 where !byte.continuesScalar {
          left -= byte >= 0xF0 ? 2 : 1
          if left < 0 { return index }
          index += 1
        }
      }
      left -= chunk.utf16Count
      index += chunk.count
    }
    return index
  }
}

extension UInt8 {
  /// Whether the byte stands within a scalar's UTF-8, behind its first.
  fileprivate var continuesScalar: Bool { self & 0xC0 == 0x80 }
}
