import StarlingCore
import StarlingGuard

/// What a model knows of the elements that one of its arrays shows: what they are called, how they lie among those of
/// the document, and which of them got another value by a merge since.
///
/// Merges are noted here, so that a delivery reads what came, goes or differs, and nothing of the rest (`ListChanges`).
/// An array that shows its default knows no names.
struct ShownElements: Sendable {
  private(set) var names = ElementNames()
  /// Nil where it is not known, so that the array must be read whole.
  private(set) var alignment: Alignment?
  private(set) var altered: Set<Dot> = []
  /// Another one whenever the names or the content of the cell have changed.
  private(set) var version = 0

  /// Every edit of an alignment looks at all its pieces: with more of them it is faster to read the whole.
  private static let pieceCountMax = 512

  // MARK: Merges that are not visible yet

  mutating func note(_ edits: [SequenceEdit]) {
    for edit in edits {
      alignment?.note(edit)
      if let count = alignment?.pieces.count, count > Self.pieceCountMax { return startAgain() }
    }
  }

  mutating func note(altered element: Dot) {
    if alignment != nil { altered.insert(element) }
  }

  /// What is visible has nothing to do with what the document holds.
  mutating func startAgain() {
    alignment = nil
    altered = []
  }

  // MARK: What is shown

  /// Whether the array shows what the document holds, which counts so many elements.
  func isSettled(among count: Int) -> Bool {
    names.count == count && (alignment?.isSettled ?? (count == 0))
  }

  /// The array was written in a part.
  ///
  /// - Parameters:
  ///   - alignment: of what it shows then, if that is known.
  ///   - count: of the document's elements.
  mutating func replace(_ range: Range<Int>, with dots: [Dot], _ alignment: Alignment?, among count: Int) {
    names.replaceSubrange(range, with: dots)
    align(alignment, among: count)
  }

  /// The array was written whole.
  mutating func show(_ names: ElementNames, _ alignment: Alignment?, among count: Int) {
    self.names = names
    align(alignment, among: count)
  }

  private mutating func align(_ alignment: Alignment?, among count: Int) {
    version += 1
    if let alignment, alignment.visibleCount == names.count, alignment.documentCount == count {
      self.alignment = alignment
    } else {
      startAgain()
    }
  }

  mutating func show(_ showing: ListShowing) {
    version += 1
    altered = []
    switch showing {
    case .whole(let names, let alignment):
      self.names = names
      self.alignment = alignment
    case .changes(let changes, let unread): catchUp(changes, without: unread)
    }
  }

  private mutating func catchUp(_ changes: ListChanges, without unread: Set<Key>) {
    var caughtUp = Alignment(both: 0)
    var (place, arrival) = (0, 0)
    for piece in changes.alignment.pieces {
      switch piece.standing {
      case .both:
        place += piece.count
        caughtUp.append(.both, piece.count)
      case .gone: names.replaceSubrange(place..<place + piece.count, with: [])
      case .new:
        var dots: [Dot] = []
        for member in changes.arrivals[arrival..<arrival + piece.count] {
          if case .element(let dot) = member.key, !unread.contains(member.key) { dots.append(dot) }
          caughtUp.append(unread.contains(member.key) ? .new : .both, 1)
        }
        names.replaceSubrange(place..<place, with: dots)
        arrival += piece.count
        place += dots.count
      }
    }
    alignment = caughtUp
  }
}

/// The elements that a model's arrays show, by their keys. They change under the document's lock, together with the
/// cells that show the elements.
final class ShownLists: Sendable {
  private let lists = Guarded<[Key: ShownElements]>([:])

  func version(of key: Key) -> Int { lists.withLock { $0[key]?.version ?? 0 } }

  /// What of the list is not visible yet; nil where it must be read whole.
  func changes(_ key: Key, of list: ObjectID, in document: borrowing Document) -> ListChanges? {
    // Not while the lock is held: a few names are copied out, and the rest is the document's.
    guard let shown = lists.withLock({ $0[key] }) else { return nil }
    return ListChanges(shown, of: list, in: document)
  }

  /// Takes them out, so that they are altered where they lie; they are put back before the document's lock is released.
  func take(_ key: Key) -> ShownElements {
    var taken = ShownElements()
    lists.withLock { swap(&$0[key, default: ShownElements()], &taken) }
    return taken
  }

  func putBack(_ elements: ShownElements, _ key: Key) {
    lists.withLock { $0[key] = elements }
  }

  func show(_ showing: ListShowing, _ key: Key) {
    lists.withLock { $0[key, default: ShownElements()].show(showing) }
  }

  func show(_ names: ElementNames, _ alignment: Alignment?, _ key: Key, among count: Int) {
    lists.withLock { $0[key, default: ShownElements()].show(names, alignment, among: count) }
  }

  func note(_ edits: [SequenceEdit], _ key: Key) {
    lists.withLock { $0[key]?.note(edits) }
  }

  func note(altered element: Dot, _ key: Key) {
    lists.withLock { $0[key]?.note(altered: element) }
  }

  func startAgain(_ key: Key) {
    lists.withLock { $0[key]?.startAgain() }
  }
}
