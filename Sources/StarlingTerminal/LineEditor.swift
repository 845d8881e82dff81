/// A line being edited: its text, the cursor in it, and what of it is in the window.
///
/// ```
///   text     The quick brown fox jumps|over        | cursor, between two characters
///   window             ├wn fox jumps|┤             moved only when the cursor leaves it
/// ```
///
/// Characters are what people take for one; deleting one never leaves half of it.
package struct LineEditor: Hashable, Sendable {
  package private(set) var text: String
  /// Bytes of the text before the cursor, which stands between two characters.
  private var cursorOffset: Int
  /// Bytes of the text before the window.
  private var windowOffset = 0
  /// Lines before those that are seen, where there are several.
  var firstRow = 0

  /// The cursor stands at the end.
  package init(_ text: String = "") {
    self.text = text
    cursorOffset = text.utf8.count
  }

  /// How many characters stand before the cursor.
  ///
  /// - Complexity: O(text)
  package var cursor: Int { text.distance(from: text.startIndex, to: cursorIndex) }

  private var cursorIndex: String.Index { index(at: cursorOffset) }

  /// The nearest place between two characters at or before some bytes.
  private func index(at offset: Int) -> String.Index {
    let index = text.utf8.index(text.startIndex, offsetBy: min(max(offset, 0), text.utf8.count))
    return index == text.endIndex ? index : text.rangeOfCharacter(around: index).lowerBound
  }

  private mutating func setCursor(_ index: String.Index) {
    cursorOffset = text.utf8.distance(from: text.startIndex, to: index)
  }

  // MARK: Editing

  /// Puts text at the cursor. What ends a line becomes a blank; what else controls something is left out.
  ///
  /// - Parameter keepsLines: Leaves the ends of lines in.
  package mutating func insert(_ addition: String, keepingLines keepsLines: Bool = false) {
    let line = addition.compactMap { character -> Character? in
      if character.isNewline { return keepsLines ? "\n" : " " }
      if character == "\t" { return " " }
      return character.unicodeScalars.contains { $0.properties.generalCategory == .control } ? nil : character
    }
    guard !line.isEmpty else { return }
    let byteCount = text.utf8.count
    text.insert(contentsOf: line, at: cursorIndex)
    let end = text.utf8.index(text.startIndex, offsetBy: cursorOffset + text.utf8.count - byteCount)
    // What was added may have become one character with what follows, and the cursor stands behind that.
    let around = end == text.endIndex ? end..<end : text.rangeOfCharacter(around: end)
    setCursor(around.lowerBound == end ? end : around.upperBound)
  }

  package mutating func deleteBackward() { delete(to: indexBefore(cursorIndex)) }
  package mutating func deleteForward() { delete(to: indexAfter(cursorIndex)) }
  package mutating func deleteWordBackward() { delete(to: wordStart(before: cursorIndex)) }
  package mutating func deleteWordForward() { delete(to: wordEnd(after: cursorIndex)) }
  package mutating func deleteToStart() { delete(to: text.startIndex) }
  package mutating func deleteToEnd() { delete(to: text.endIndex) }

  private mutating func delete(to other: String.Index) {
    let range = min(cursorIndex, other)..<max(cursorIndex, other)
    let offset = text.utf8.distance(from: text.startIndex, to: range.lowerBound)
    text.removeSubrange(range)
    cursorOffset = offset
    // The characters at both sides may be one now.
    setCursor(cursorIndex)
  }

  // MARK: Moving

  package mutating func moveLeft() { setCursor(indexBefore(cursorIndex)) }
  package mutating func moveRight() { setCursor(indexAfter(cursorIndex)) }
  package mutating func moveWordLeft() { setCursor(wordStart(before: cursorIndex)) }
  package mutating func moveWordRight() { setCursor(wordEnd(after: cursorIndex)) }
  package mutating func moveToStart() { setCursor(text.startIndex) }
  package mutating func moveToEnd() { setCursor(text.endIndex) }

  private func indexBefore(_ index: String.Index) -> String.Index {
    index == text.startIndex ? index : text.index(before: index)
  }

  private func indexAfter(_ index: String.Index) -> String.Index {
    index == text.endIndex ? index : text.index(after: index)
  }

  private func wordStart(before index: String.Index) -> String.Index {
    var index = index
    while index > text.startIndex, !text[text.index(before: index)].isInWord { index = text.index(before: index) }
    while index > text.startIndex, text[text.index(before: index)].isInWord { index = text.index(before: index) }
    return index
  }

  private func wordEnd(after index: String.Index) -> String.Index {
    var index = index
    while index < text.endIndex, !text[index].isInWord { index = text.index(after: index) }
    while index < text.endIndex, text[index].isInWord { index = text.index(after: index) }
    return index
  }

  mutating func moveTo(_ index: String.Index) { setCursor(index) }

  // MARK: Others' edits

  /// Takes the text as somebody else left it, and keeps the cursor where it was in what the two texts have in common:
  ///
  /// ```
  ///   all before it is as it was     Hello,| world ─► Hello,| dear world       it stays
  ///   all behind it is as it was     Hello, wor|ld ─► Hello, dear wor|ld       it is as far from the end
  ///   neither                        Hello, wor|ld ─► Good eveni|ng            it is as far from the start, if the
  ///                                                                            replacement goes so far
  /// ```
  ///
  /// - Complexity: O(text)
  package mutating func replaceText(with new: String) {
    guard !new.utf8.elementsEqual(text.utf8) else { return }
    cursorOffset = Self.moved(cursorOffset, from: text, to: new)
    windowOffset = Self.moved(windowOffset, from: text, to: new)
    text = new
    setCursor(cursorIndex)
  }

  private static func moved(_ offset: Int, from old: String, to new: String) -> Int {
    let prefix = zip(old.utf8, new.utf8).prefix { $0 == $1 }.count
    if offset <= prefix { return offset }
    let behind = old.utf8.count - offset
    let suffix = zip(old.utf8.reversed(), new.utf8.reversed()).prefix { $0 == $1 }.count
    if behind <= suffix { return new.utf8.count - behind }
    return min(offset, max(prefix, new.utf8.count - suffix))
  }

  // MARK: Showing

  /// What of the line is seen in so many columns, and in which of them the cursor stands.
  ///
  /// The window moves no further than it must to hold the cursor, which takes a column of its own at the end.
  ///
  /// - Parameter secure: Shows a dot for each character instead.
  /// - Complexity: O(columns), if the cursor has moved a few characters; O(text) at worst
  package mutating func window(columns: Int, secure isSecure: Bool = false) -> (glyphs: [Glyph], cursorColumn: Int) {
    guard columns > 0 else { return ([], 0) }
    let cursor = cursorIndex
    var start = min(index(at: windowOffset), cursor)
    if !fits(start..<cursor, in: columns, isSecure) {
      start = cursor
      while start > text.startIndex, fits(text.index(before: start)..<cursor, in: columns, isSecure) {
        start = text.index(before: start)
      }
    }
    // Nothing is hidden on the left while there is space for it on the right.
    while start > text.startIndex, fits(text.index(before: start)..<text.endIndex, in: columns, isSecure) {
      start = text.index(before: start)
    }
    windowOffset = text.utf8.distance(from: text.startIndex, to: start)
    var shown: [Glyph] = []
    var width = 0
    var cursorColumn = 0
    for index in text[start...].indices {
      if index == cursor { cursorColumn = width }
      guard let glyph = glyph(at: index, isSecure) else { continue }
      guard width + glyph.columns <= columns else { break }
      shown.append(glyph)
      width += glyph.columns
    }
    return (shown, cursor == text.endIndex ? width : cursorColumn)
  }

  /// Puts the cursor before what is seen in a column of the window, or at the end.
  package mutating func moveTo(column: Int, secure isSecure: Bool = false) {
    var width = 0
    for index in text[index(at: windowOffset)...].indices {
      width += glyph(at: index, isSecure)?.columns ?? 0
      if width > column { return setCursor(index) }
    }
    moveToEnd()
  }

  private func glyph(at index: String.Index, _ isSecure: Bool) -> Glyph? {
    isSecure ? Glyph("•") : Glyph(text[index])
  }

  /// Whether a range can be seen with the cursor behind it.
  private func fits(_ range: Range<String.Index>, in columns: Int, _ isSecure: Bool) -> Bool {
    var width = 1
    var index = range.lowerBound
    while index < range.upperBound, width <= columns {
      width += glyph(at: index, isSecure)?.columns ?? 0
      index = text.index(after: index)
    }
    return width <= columns
  }
}

extension Character {
  fileprivate var isInWord: Bool { isLetter || isNumber || self == "_" }
}

extension String {
  /// The character that holds an index, or begins there.
  fileprivate func rangeOfCharacter(around index: Index) -> Range<Index> {
    let start = self.index(before: self.index(after: index))
    return start..<self.index(after: start)
  }
}
