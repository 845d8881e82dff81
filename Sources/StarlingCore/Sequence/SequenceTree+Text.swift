// Reading a text, and going between indices, UTF-8 offsets and UTF-16 offsets.
extension SequenceTree {
  /// The text of a visible range.
  func text(in range: Range<Int>) -> String {
    let (start, end) = (utf8Offset(of: range.lowerBound), utf8Offset(of: range.upperBound))
    return String(unsafeUninitializedCapacity: end - start) { buffer in
      var count = 0
      forEachPiece(in: start..<end) { piece in
        _ = UnsafeMutableBufferPointer(rebasing: buffer[count...]).initialize(from: piece)
        count += piece.count
      }
      return count
    }
  }

  /// Calls `body` with the pieces of a range of the UTF-8, in order.
  func forEachPiece(in range: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    guard !range.isEmpty else { return }
    var offset = range.lowerBound
    var leaf = leaf(holding: &offset) { Int($0.utf8) }
    var left = range.count
    while left > 0 {
      leaves.withText(of: leaf) { text in
        let end = min(text.count, offset + left)
        body(UnsafeBufferPointer(rebasing: text[offset..<end]))
        left -= end - offset
      }
      (leaf, offset) = (leaves[links: leaf].next, 0)
    }
  }

  /// Where the item at `index` begins in the UTF-8 of the text; `count` gives its end.
  func utf8Offset(of index: Int) -> Int {
    offset(of: index, total: utf8Count, inSums: { Int($0.utf8) }, inSpan: { Int($0.utf8Count) }) { bytes, count in
      Self.utf8Count(ofFirst: count, in: bytes)
    }
  }

  /// Where the item at `index` begins in the UTF-16 of the text; `count` gives its end.
  func utf16Offset(of index: Int) -> Int {
    offset(of: index, total: utf16Count, inSums: { Int($0.utf16) }, inSpan: { Int($0.utf16Count) }) { bytes, count in
      count + bytes[..<Self.utf8Count(ofFirst: count, in: bytes)].count { $0 >= 0xF0 }
    }
  }

  /// The index of the item that holds this place of the UTF-8.
  func index(ofUTF8 offset: Int) -> Int {
    index(of: offset, total: utf8Count, inSums: { Int($0.utf8) }, inSpan: { Int($0.utf8Count) }) { bytes, rest in
      bytes[...rest].count { $0 & 0xC0 != 0x80 } - 1
    }
  }

  /// The index of the item that holds this place of the UTF-16.
  func index(ofUTF16 offset: Int) -> Int {
    index(of: offset, total: utf16Count, inSums: { Int($0.utf16) }, inSpan: { Int($0.utf16Count) }) { bytes, rest in
      var (units, scalars) = (0, 0)
      for byte in bytes where byte & 0xC0 != 0x80 {
        units += byte >= 0xF0 ? 2 : 1
        if units > rest { break }
        scalars += 1
      }
      return scalars
    }
  }

  static func utf8Count(ofFirst count: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    bytes.passing(count).end
  }

  @inline(__always)
  private func offset(
    of index: Int, total: Int, inSums: (Sums) -> Int, inSpan: (Span) -> Int,
    inText: (UnsafeBufferPointer<UInt8>, Int) -> Int
  ) -> Int {
    precondition(index >= 0 && index <= count, "\(index) is not within 0...\(count).")
    guard index < count else { return total }
    let position = position(at: index)
    var sum = sum(before: position.leaf, measure: inSums)
    leaves.withSpans(of: position.leaf) { spans in for span in spans[..<position.span] { sum += inSpan(span) } }
    if position.offset == 0 { return sum }
    if span(position).isASCII { return sum + position.offset }
    return sum + withText(of: position.boundary) { inText($0, position.offset) }
  }

  @inline(__always)
  private func index(
    of offset: Int, total: Int, inSums: (Sums) -> Int, inSpan: (Span) -> Int,
    inText: (UnsafeBufferPointer<UInt8>, Int) -> Int
  ) -> Int {
    precondition(offset >= 0 && offset <= total, "\(offset) is not within 0...\(total).")
    guard offset < total else { return count }
    var rest = offset
    let leaf = leaf(holding: &rest, measure: inSums)
    var index = start(of: leaf)
    return leaves.withSpans(of: leaf) { spans in
      for (place, span) in spans.enumerated() {
        let size = inSpan(span)
        if rest < size {
          return index + (span.isASCII ? rest : withText(of: Boundary(leaf: leaf, span: place)) { inText($0, rest) })
        }
        rest -= size
        index += span.liveLength
      }
      preconditionFailure("A leaf holds less than its sums say.")
    }
  }

  func withText<Result>(of boundary: Boundary, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    let utf8Before = leaves.measure(boundary.leaf, before: boundary.span).utf8
    let range = utf8Before..<utf8Before + Int(self[boundary].utf8Count)
    return leaves.withText(of: boundary.leaf) { body(UnsafeBufferPointer(rebasing: $0[range])) }
  }
}
