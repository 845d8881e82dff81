import StarlingCore
import StarlingEngine
import StarlingGraph

/// A text that several people write at once: what each inserts, removes and formats merges scalar by scalar.
///
/// ```swift
/// var blurb = ReplicatedText()
/// book.blurb.append("Once upon a time")
/// book.blurb.insert(" there", at: 9)
/// book.blurb.mark(0..<4, "bold", true)
/// TextField("Blurb", text: $book.blurb.string)
/// ```
///
/// It is a handle that stays with its property: reading the property depends on nothing, and assigning another
/// text makes this one read as that one.
///
/// Offsets count Unicode scalars, the unit in which texts merge: a character of several (a flag, an accent put
/// on) is several offsets long, and what lies within one can be edited. `characterOffset`, `utf8Offset` and
/// `utf16Offset` lead to what other interfaces count and back. Offsets beyond the text stand for its end.
///
/// What `ReplicatedText("…")` begins with is a default like any other: it is shown and not sent until somebody
/// writes the text. Two replicas that both begin from a default that is not empty each send it.
public final class ReplicatedText: ReplicatedHandle, CollectionHandle, Sendable {
  let storage: TextStorage

  init(storage: TextStorage) { self.storage = storage }

  /// An empty text.
  public init() { storage = TextStorage() }

  /// A text with a default. It is shown and not sent until somebody writes the text.
  public init(_ text: String) {
    storage = TextStorage()
    storage.write(CollectionOfOne(.replace(0..<0, text)))
  }

  /// The whole text. Writing it edits what differs, so what others write at the same time stays.
  ///
  /// - Complexity: O(*n*)
  public var string: String {
    get { storage.string }
    set { become(newValue) }
  }

  /// How many Unicode scalars the text has; depends on the number alone.
  public var count: Int { storage.count }
  /// Whether the text has no characters.
  public var isEmpty: Bool { count == 0 }

  /// A part of the text.
  ///
  /// - Complexity: O(*n* / 1024 + length of the part)
  public subscript(range: Range<Int>) -> String {
    storage.read { $0.text(range.clamped(to: 0..<$0.count)) }
  }

  // MARK: Editing

  // Each call is one change, and costs what it alters and a step for each kilobyte of the text.

  /// Inserts `text` before the scalar at `offset`.
  ///
  /// - Complexity: O(log *n*)
  public func insert(_ text: String, at offset: Int) {
    storage.write(CollectionOfOne(.replace(offset..<offset, text)))
  }

  /// Adds `text` at the end.
  ///
  /// - Complexity: O(log *n*)
  public func append(_ text: String) {
    insert(text, at: .max)
  }

  /// Removes the scalars of the range, for all members.
  public func remove(_ range: Range<Int>) {
    replace(range, with: "")
  }

  /// Removes the scalars of the range and inserts `text` in their place.
  public func replace(_ range: Range<Int>, with text: String) {
    storage.write(CollectionOfOne(.replace(range, text)))
  }

  private func become(_ text: String) {
    while true {
      let (present, version) = storage.present
      let steps = TextDifference(from: present, to: text).edits.map { TextStorage.Step.replace($0.range, $0.text) }
      if storage.write(steps, ifStill: version) { return }
    }
  }

  /// Takes over another text and its marks.
  func become(_ other: ReplicatedText) {
    let marks = untracked { other.storage.marks }
    withTransaction {
      become(other.storage.present.string)
      let former = untracked { storage.marks }.map {
        LooseMark(range: $0.range, name: $0.name, value: .null, expandsLeft: false, expandsRight: false)
      }
      let new = marks.map {
        LooseMark(range: $0.range, name: $0.name, value: $0.value, expandsLeft: false, expandsRight: true)
      }
      if former.map(\.range) != new.map(\.range) || untracked({ storage.marks }) != marks {
        storage.write((former + new).map { .mark($0) })
      }
    }
  }
}

extension ReplicatedText: ExpressibleByStringLiteral {
  public convenience init(stringLiteral text: String) {
    self.init(text)
  }
}

extension ReplicatedText: CustomStringConvertible {
  public var description: String { string }
}

// MARK: Other units

extension ReplicatedText {
  /// Where the scalar at `offset` begins in the text's UTF-8.
  ///
  /// - Complexity: O(*n* / 1024), as of the three that follow.
  public func utf8Offset(of offset: Int) -> Int { storage.read { $0.utf8Offset(of: max(0, offset)) } }

  /// The scalar that holds this byte of the text's UTF-8.
  public func offset(ofUTF8 offset: Int) -> Int { storage.read { $0.index(ofUTF8: max(0, offset)) } }

  /// Where the scalar at `offset` begins in the text's UTF-16, as `NSRange` and JavaScript count.
  public func utf16Offset(of offset: Int) -> Int { storage.read { $0.utf16Offset(of: max(0, offset)) } }

  /// The scalar that holds this code unit of the text's UTF-16.
  public func offset(ofUTF16 offset: Int) -> Int { storage.read { $0.index(ofUTF16: max(0, offset)) } }

  /// The character that the scalar at `offset` belongs to.
  ///
  /// - Complexity: O(*n*): where a character ends depends on what stands before it.
  public func characterOffset(of offset: Int) -> Int {
    let string = storage.string
    let scalars = string.unicodeScalars
    let index = scalars.index(scalars.startIndex, offsetBy: max(0, offset), limitedBy: scalars.endIndex)
    guard let index, index < string.endIndex else { return string.count }
    var (place, count) = (string.startIndex, 0)
    while string.index(after: place) <= index {
      place = string.index(after: place)
      count += 1
    }
    return count
  }

  /// The scalar that begins this character.
  ///
  /// - Complexity: O(*n*)
  public func offset(ofCharacter offset: Int) -> Int {
    let string = storage.string
    let index = string.index(string.startIndex, offsetBy: max(0, offset), limitedBy: string.endIndex)
    return string.unicodeScalars.distance(from: string.startIndex, to: index ?? string.endIndex)
  }
}

// MARK: Cursors

/// A place in a text that survives edits, of its own replica and of others.
public struct TextCursor: Hashable, Sendable {
  enum Place: Hashable, Sendable {
    case edge(Edge)
    /// In a text that was in no document: it stays where it is.
    case offset(Int)
  }

  let place: Place
}

/// Which neighbour a cursor stays with when something is inserted right where it is.
public enum TextLeaning: Hashable, Sendable {
  /// The one before: what is inserted there comes behind the cursor.
  case backward
  /// The one behind: what is inserted there comes before the cursor, as where somebody types.
  case forward
}

extension ReplicatedText {
  /// - Complexity: O(log *n*)
  public func cursor(at offset: Int, leaning: TextLeaning = .forward) -> TextCursor {
    let offset = min(max(0, offset), untracked { count })
    let edge = storage.edge(at: offset, leaning == .forward ? .left : .right)
    return TextCursor(place: edge.map { .edge($0) } ?? .offset(offset))
  }

  /// Where the cursor is now; nil if what it stood by was removed so long ago that nobody remembers where that was.
  ///
  /// - Complexity: O(log *n*)
  public func offset(of cursor: TextCursor) -> Int? {
    switch cursor.place {
    case .edge(let edge): storage.index(of: edge)
    case .offset(let offset): min(offset, count)
    }
  }
}

// MARK: Following

extension ReplicatedText {
  /// Calls `body` with every change to the text from now on, in order, when it has become visible: what an editor
  /// applies to what it shows instead of reading the whole text. Changes made here come on the thread that makes
  /// them, others where they are delivered.
  ///
  /// - Returns: Follows until it is cancelled or released.
  public func onEdit(_ body: @escaping @Sendable (TextEdits) -> Void) -> TextFollowing {
    TextFollowing(storage.feed, body)
  }

  /// Every change to the text from now on, in order.
  public var edits: AsyncStream<TextEdits> {
    AsyncStream { continuation in
      let following = onEdit { continuation.yield($0) }
      continuation.onTermination = { _ in following.cancel() }
    }
  }
}

/// Somebody who hears of a text's changes.
public final class TextFollowing: Sendable {
  private let feed: TextFeed
  private let listener: Int

  init(_ feed: TextFeed, _ body: @escaping @Sendable (TextEdits) -> Void) {
    self.feed = feed
    listener = feed.add(body)
  }

  deinit {
    cancel()
  }

  /// Ends it: no edit is reported after this returns.
  public func cancel() {
    feed.remove(listener)
  }
}
