import StarlingCore

/// How the items that are visible here lie among those of the document, which may be ahead: what other replicas
/// wrote waits to become visible between two jobs of an actor, while writes made here go into the document at once.
///
/// ```
///   visible here    a b c d e          both 2, gone 1, both 2
///   document        a b   d X X e      both 2, both 1, new 2, both 1
///
///   pieces          [both 2] [gone 1] [both 1] [new 2] [both 1]
/// ```
///
/// Guarded by whoever holds it; it changes under the document's lock, with every edit of the sequence.
struct Alignment: Hashable, Sendable {
  enum Standing: Sendable {
    /// Visible here and in the document.
    case both
    /// In the document, not visible yet.
    case new
    /// Visible still, no longer in the document.
    case gone
  }

  struct Piece: Hashable, Sendable {
    var standing: Standing
    var count: Int

    var visibleCount: Int { standing == .new ? 0 : count }
    var documentCount: Int { standing == .gone ? 0 : count }
  }

  private(set) var pieces: [Piece] = []

  /// - Parameter both: how many items are visible that are in the document.
  init(both: Int) {
    append(.both, both)
  }

  /// What is visible has nothing to do with what the document holds.
  init(visible: Int, document: Int) {
    append(.gone, visible)
    append(.new, document)
  }

  /// Whether all that the document holds is visible, and nothing else.
  var isSettled: Bool { pieces.allSatisfy { $0.standing == .both } }

  var visibleCount: Int { pieces.reduce(0) { $0 + $1.visibleCount } }
  var documentCount: Int { pieces.reduce(0) { $0 + $1.documentCount } }

  // MARK: Edits that are not visible yet

  /// Takes in an edit that was made in the document only.
  mutating func note(_ edit: SequenceEdit) {
    switch edit {
    case .insert(let index, let count):
      insert(Piece(standing: .new, count: count), at: split(atDocument: index))
    case .remove(let index, let count): removeFromDocument(index..<index + count)
    case .move(let from, let to):
      removeFromDocument(from..<from + 1)
      insert(Piece(standing: .new, count: 1), at: split(atDocument: to))
    case .mark: break
    }
  }

  private mutating func removeFromDocument(_ range: Range<Int>) {
    let first = split(atDocument: range.lowerBound)
    var end = split(atDocument: range.upperBound)
    for place in (first..<end).reversed() {
      switch pieces[place].standing {
      case .both: pieces[place].standing = .gone
      case .new:
        pieces.remove(at: place)
        end -= 1
      case .gone: break
      }
    }
    join()
  }

  // MARK: Edits made here

  /// Puts items in, here and in the document.
  ///
  /// - Parameter isNextToFollowing: whether they stand right before the next visible item where others, not visible
  ///   yet, stand between it and the one before; if not, right behind that one.
  /// - Returns: Where in the document.
  mutating func insert(_ count: Int, at index: Int, isNextToFollowing: Bool = false) -> Int {
    var place = split(atVisible: index)
    while isNextToFollowing, place < pieces.count, pieces[place].standing == .new { place += 1 }
    let documentIndex = pieces[..<place].reduce(0) { $0 + $1.documentCount }
    insert(Piece(standing: .both, count: count), at: place)
    return documentIndex
  }

  /// Puts `count` items in place of a range, here and in the document, where nothing waits to become visible.
  mutating func replaceSettled(_ range: Range<Int>, with count: Int) {
    if pieces.isEmpty { return append(.both, count) }
    pieces[0].count += count - range.count
    if pieces[0].count == 0 { pieces = [] }
  }

  /// Takes items out, here and in the document.
  ///
  /// - Returns: Where they stand in the document, the last first.
  mutating func remove(_ range: Range<Int>) -> [Range<Int>] {
    let ranges = documentRanges(of: range)
    let first = split(atVisible: range.lowerBound)
    let end = split(atVisible: range.upperBound)
    for place in (first..<end).reversed() where pieces[place].standing != .new { pieces.remove(at: place) }
    join()
    return ranges.reversed()
  }

  /// Puts items in at a place that is given both as it is visible and in the document.
  ///
  /// - Returns: False where there is no such place: what is gone and what is new stand the other way round.
  mutating func insert(_ count: Int, atVisible index: Int, document documentIndex: Int) -> Bool {
    var (visible, document) = (0, 0)
    for place in 0...pieces.count {
      let offset = index - visible
      if offset == 0, documentIndex == document {
        insert(Piece(standing: .both, count: count), at: place)
        return true
      }
      guard place < pieces.count else { break }
      let piece = pieces[place]
      if piece.standing == .both, offset > 0, offset < piece.count, documentIndex - document == offset {
        pieces[place].count += count
        return true
      }
      visible += piece.visibleCount
      document += piece.documentCount
    }
    return false
  }

  /// Puts in, here alone, an item that is no longer in the document.
  mutating func insertGone(at index: Int) {
    insert(Piece(standing: .gone, count: 1), at: split(atVisible: index))
  }

  /// Takes an item out here and in the document, where it stands at `standing`, if it does.
  mutating func remove(at index: Int, standing: Int?) {
    let wasInBoth = !remove(index..<index + 1).isEmpty
    if let standing, !wasInBoth { note(.remove(at: standing, count: 1)) }
  }

  /// Takes an item out here alone.
  mutating func takeOut(at index: Int, standing: Int?) {
    let wasInBoth = !remove(index..<index + 1).isEmpty
    if let standing, wasInBoth { note(.insert(at: standing, count: 1)) }
  }

  /// Where visible items stand in the document, ascending; those that do not are left out.
  func documentRanges(of range: Range<Int>) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var (visible, document) = (0, 0)
    for piece in pieces {
      let part = range.clamped(to: visible..<visible + piece.visibleCount)
      if piece.standing == .both, !part.isEmpty {
        let start = document + part.lowerBound - visible
        if let last = found.last, last.upperBound == start {
          found[found.count - 1] = last.lowerBound..<start + part.count
        } else {
          found.append(start..<start + part.count)
        }
      }
      visible += piece.visibleCount
      document += piece.documentCount
    }
    return found
  }

  /// The part of a range of the document that is visible, as it is here.
  func visibleRange(of range: Range<Int>) -> Range<Int> {
    visibleIndex(of: range.lowerBound)..<visibleIndex(of: range.upperBound)
  }

  /// How many visible items stand before an index of the document.
  func visibleIndex(of index: Int) -> Int {
    var (visible, document) = (0, 0)
    for piece in pieces {
      if document + piece.documentCount > index {
        return visible + (piece.standing == .both ? index - document : 0)
      }
      visible += piece.visibleCount
      document += piece.documentCount
    }
    return visible
  }

  /// Where in the document an item goes that is put before the visible one at `index`.
  func documentIndex(of index: Int) -> Int {
    var copy = self
    return copy.insert(1, at: index)
  }

  // MARK: Pieces

  /// Goes on with items behind all others.
  mutating func append(_ standing: Standing, _ count: Int) {
    if count > 0 { pieces.append(Piece(standing: standing, count: count)) }
    join()
  }

  private mutating func insert(_ piece: Piece, at place: Int) {
    pieces.insert(piece, at: place)
    join()
  }

  /// The first place that has so many visible items before it.
  private mutating func split(atVisible index: Int) -> Int { split(index) { $0.visibleCount } }
  private mutating func split(atDocument index: Int) -> Int { split(index) { $0.documentCount } }

  private mutating func split(_ index: Int, by length: (Piece) -> Int) -> Int {
    var before = 0
    for place in pieces.indices {
      if before == index { return place }
      let end = before + length(pieces[place])
      if end > index {
        pieces.insert(Piece(standing: pieces[place].standing, count: end - index), at: place + 1)
        pieces[place].count = index - before
        return place + 1
      }
      before = end
    }
    precondition(before == index, "\(index) is not within 0...\(before).")
    return pieces.count
  }

  private mutating func join() {
    var joined: [Piece] = []
    for piece in pieces where piece.count > 0 {
      if joined.last?.standing == piece.standing {
        joined[joined.count - 1].count += piece.count
      } else {
        joined.append(piece)
      }
    }
    pieces = joined
  }
}
