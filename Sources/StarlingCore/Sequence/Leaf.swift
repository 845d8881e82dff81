typealias LeafHandle = Handle<Leaf>
typealias BranchHandle = Handle<Branch>

/// Up to 32 spans of a sequence, with the text of the live ones.
///
/// ```
/// spans   | 0: live, 5 bytes | 1: dead | 2: live, 3 bytes | …
/// text    |  h  e  l  l  o   |           !  !  !          | …
/// ```
struct Leaf: Sendable {
  var spans: ContiguousArray<Span> = []
  /// UTF-8 of the live spans, one after the other.
  var text: ContiguousArray<UInt8> = []
  var links = Links()
  /// One more than its number in the store where its spans and its text lie; 0 if they are here.
  var stored: UInt32 = 0

  /// Where it stands among the others.
  struct Links: Sendable {
    var parent = BranchHandle.none
    /// Which child of its parent it was when somebody looked last.
    var slot: UInt32 = 0
    var next = LeafHandle.none
    var previous = LeafHandle.none
  }

  static var spanCountMax: Int { 32 }
  /// More than this and the leaf is split, so that an edit never moves more.
  static var textCountMax: Int { 4_096 }

  var sums: Sums { spans.withUnsafeBufferPointer { Sums($0) } }

  /// How many live items, and how many of their bytes, stand before the span at `index`.
  @inline(__always)
  func measure(before index: Int) -> (live: Int, utf8: Int) {
    spans.withUnsafeBufferPointer { Self.measure($0[..<index]) }
  }

  @inline(__always)
  static func measure(_ spans: Slice<UnsafeBufferPointer<Span>>) -> (live: Int, utf8: Int) {
    var (live, utf8) = (0, 0)
    for span in spans {
      live &+= span.liveLength
      utf8 &+= Int(span.utf8Count)
    }
    return (live, utf8)
  }

  // MARK: Changing

  /// Makes two spans of one; the second begins with the item at `offset`, 0 < offset < length.
  mutating func split(_ index: Int, at offset: Int, utf8Before: Int) {
    let (head, tail) = halves(of: index, at: offset, utf8Before: utf8Before)
    spans[index] = head
    spans.insert(tail, at: index + 1)
  }

  /// Puts a span, with its text, before the item at `offset` of the span at `index`.
  ///
  /// - Returns: How many live items and bytes of that span stand before it.
  mutating func insert(
    _ span: Span, _ bytes: UnsafeBufferPointer<UInt8>, at index: Int, offset: Int, utf8Before: Int
  ) -> (live: Int, utf8: Int) {
    guard offset > 0 else {
      spans.insert(span, at: index)
      insert(bytes, at: utf8Before)
      return (0, 0)
    }
    let (head, tail) = halves(of: index, at: offset, utf8Before: utf8Before)
    spans[index] = head
    spans.insert(contentsOf: CollectionOfTwo(span, tail), at: index + 1)
    insert(bytes, at: utf8Before + Int(head.utf8Count))
    return (head.liveLength, Int(head.utf8Count))
  }

  /// Lets the span at `index` go on with `next`, whose text belongs at `utf8End`.
  @inline(__always)
  mutating func extend(_ index: Int, with next: Span, _ bytes: UnsafeBufferPointer<UInt8>, utf8End: Int) {
    spans[index].append(next)
    insert(bytes, at: utf8End)
  }

  @inline(__always)
  private mutating func insert(_ bytes: UnsafeBufferPointer<UInt8>, at place: Int) {
    if bytes.isEmpty { return }
    if place == text.count { text.append(contentsOf: bytes) } else { text.insert(contentsOf: bytes, at: place) }
  }

  /// How many spans `turn` adds, 2 at most.
  @inline(__always)
  func spanCount(addedByTurning offset: Int, _ count: Int, of index: Int) -> Int {
    let span = spans[index]
    var part = span.part(offset, count)
    part.isLive.toggle()
    if offset > 0 {
      if offset + count < span.length { return 2 }
      return index + 1 < spans.count && part.joins(spans[index + 1]) ? 0 : 1
    }
    if offset + count == span.length { return 0 }
    return index > 0 && spans[index - 1].joins(part) ? 0 : 1
  }

  /// Turns some items of one span from live to dead, without their text, or from dead to live.
  ///
  /// - Returns: The text that went, and where the first item is now.
  mutating func turn(
    _ offset: Int, _ count: Int, of index: Int, utf8Before: Int
  ) -> (utf8: Int, utf16: Int, utf8Head: Int, span: Int) {
    let span = spans[index]
    var part = span.part(offset, count)
    part.isLive.toggle()
    var (head, rest, tail) = (span, span, span)
    if offset > 0 { (head, rest) = halves(of: index, at: offset, utf8Before: utf8Before) }
    let utf8Head = offset > 0 ? Int(head.utf8Count) : 0
    var gone = rest
    let hasTail = offset + count < span.length
    if hasTail { (gone, tail) = halves(of: rest, at: count, utf8Before: utf8Before + utf8Head) }
    if gone.utf8Count > 0 {
      text.removeSubrange(utf8Before + utf8Head..<utf8Before + utf8Head + Int(gone.utf8Count))
    }
    var place = index
    switch (offset > 0, hasTail) {
    case (true, true):
      spans[index] = head
      spans.insert(contentsOf: CollectionOfTwo(part, tail), at: index + 1)
      place = index + 1
    case (true, false):
      spans[index] = head
      place = index + 1
      if place < spans.count, part.joins(spans[place]) {
        part.append(spans[place])
        spans[place] = part
      } else {
        spans.insert(part, at: place)
      }
    case (false, true):
      spans[index] = tail
      if index > 0, spans[index - 1].joins(part) {
        spans[index - 1].append(part)
        place = index - 1
      } else {
        spans.insert(part, at: index)
      }
    case (false, false):
      spans[index] = part
      join(index)
      if join(index - 1) { place = index - 1 }
    }
    return (Int(gone.utf8Count), Int(gone.utf16Count), utf8Head, place)
  }

  private func halves(of index: Int, at offset: Int, utf8Before: Int) -> (Span, Span) {
    halves(of: spans[index], at: offset, utf8Before: utf8Before)
  }

  /// A span whose text begins at `utf8Before` as two; the second begins with the item at `offset`.
  @inline(__always)
  private func halves(of span: Span, at offset: Int, utf8Before: Int) -> (Span, Span) {
    var (head, tail) = (span.part(0, offset), span.part(offset, span.length - offset))
    guard span.utf8Count > 0 else { return (head, tail) }
    let utf8 = utf8Count(ofFirst: offset, of: span, utf8Before: utf8Before)
    head.utf8Count = UInt32(utf8)
    head.utf16Count = UInt32(
      span.isASCII ? offset : offset + text[utf8Before..<utf8Before + utf8].count { $0 >= 0xF0 })
    tail.utf8Count = span.utf8Count - head.utf8Count
    tail.utf16Count = span.utf16Count - head.utf16Count
    return (head, tail)
  }

  /// How many bytes the first `count` items of a live span take, if its text begins at `utf8Before`.
  @inline(__always)
  private func utf8Count(ofFirst count: Int, of span: Span, utf8Before: Int) -> Int {
    if span.isASCII { return count }
    return text.withUnsafeBufferPointer { $0.passing(count, from: utf8Before).end } - utf8Before
  }

  /// Joins the span at `index` with the next one, if they are one run.
  @discardableResult
  mutating func join(_ index: Int) -> Bool {
    guard index >= 0, index + 1 < spans.count, spans[index].joins(spans[index + 1]) else { return false }
    spans[index].append(spans[index + 1])
    spans.remove(at: index + 1)
    return true
  }
}

/// Two elements that are inserted at once.
private struct CollectionOfTwo: RandomAccessCollection {
  let (first, second): (Span, Span)

  init(_ first: Span, _ second: Span) { (self.first, self.second) = (first, second) }

  var startIndex: Int { 0 }
  var endIndex: Int { 2 }
  subscript(place: Int) -> Span { place == 0 ? first : second }
}
