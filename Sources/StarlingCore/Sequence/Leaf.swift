typealias LeafHandle = Handle<Leaf>
typealias BranchHandle = Handle<Branch>

/// Up to 32 spans of a strand, with the text of the live ones.
///
/// ```
/// spans   | 0: live, 5 bytes | 1: dead | 2: live, 3 bytes | …
/// text    |  h  e  l  l  o   |           !  !  !          | …
/// ```
struct Leaf: Sendable {
  var spans: ContiguousArray<Span> = []
  /// UTF-8 of the live spans, one after the other.
  var text: ContiguousArray<UInt8> = []
  var parent = BranchHandle.none
  var next = LeafHandle.none
  var previous = LeafHandle.none

  static var spanCountMax: Int { 32 }
  /// More than this and the leaf is split, so that an edit never moves more.
  static var textCountMax: Int { 4_096 }

  var sums: Sums {
    var sums = Sums()
    for span in spans { sums.add(span) }
    return sums
  }

  /// How many live items, and how many of their bytes, stand before the span at `index`.
  @inline(__always)
  func measure(before index: Int) -> (live: Int, utf8: Int) {
    var (live, utf8) = (0, 0)
    spans.withUnsafeBufferPointer { spans in
      for span in spans[..<index] {
        live &+= span.liveLength
        utf8 &+= Int(span.utf8Count)
      }
    }
    return (live, utf8)
  }

  /// Makes two spans of one; the second begins with the item at `offset`, 0 < offset < length.
  mutating func split(_ index: Int, at offset: Int, utf8Before: Int) {
    var head = spans[index]
    var tail = head
    head.length = offset
    tail.counter &+= UInt64(offset)
    tail.length -= offset
    tail.depth += offset
    tail.gap = tail.depth - 1
    tail.side = .right
    if !head.isASCII, head.utf8Count > 0 {
      let head8 = utf8Count(ofFirst: offset, in: index, utf8Before: utf8Before)
      head.utf8Count = UInt32(head8)
      head.utf16Count = UInt32(offset + text[utf8Before..<utf8Before + head8].count { $0 >= 0xF0 })
    } else if head.utf8Count > 0 {
      (head.utf8Count, head.utf16Count) = (UInt32(offset), UInt32(offset))
    }
    tail.utf8Count -= head.utf8Count
    tail.utf16Count -= head.utf16Count
    spans[index] = head
    spans.insert(tail, at: index + 1)
  }

  /// How many bytes the first `count` items of a live span take, if its text begins at `utf8Before`.
  @inline(__always)
  func utf8Count(ofFirst count: Int, in index: Int, utf8Before: Int) -> Int {
    let span = spans[index]
    if span.isASCII || span.utf8Count == 0 { return span.utf8Count == 0 ? 0 : count }
    if count == span.length { return Int(span.utf8Count) }
    var (place, left) = (utf8Before, count)
    // A scalar begins wherever a byte does not continue one.
    while place < text.count {
      if text[place] & 0xC0 != 0x80 {
        if left == 0 { break }
        left -= 1
      }
      place += 1
    }
    return place - utf8Before
  }

  /// Joins the span at `index` with the next one, if they are one run.
  @discardableResult
  mutating func join(_ index: Int) -> Bool {
    guard index >= 0, index + 1 < spans.count, spans[index].joins(spans[index + 1]) else { return false }
    let next = spans.remove(at: index + 1)
    spans[index].length += next.length
    spans[index].utf8Count += next.utf8Count
    spans[index].utf16Count += next.utf16Count
    return true
  }
}
