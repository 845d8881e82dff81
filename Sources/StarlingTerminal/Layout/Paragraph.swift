/// A glyph in its style.
package struct StyledGlyph: Hashable, Sendable {
  package let glyph: Glyph
  package var style: CellStyle

  package init(_ glyph: Glyph, _ style: CellStyle) {
    self.glyph = glyph
    self.style = style
  }
}

/// Text that is broken into lines where there is space for no more.
///
/// ```
///   the quick brown fox          10 columns      the quick            2 lines at most    the quick
///                                                brown fox                               brown fox
///   漢字漢字漢字                                  漢字漢字漢
///                                                字
/// ```
///
/// Lines break after blanks and hyphens and around wide characters; a word that is longer than a line breaks where the
/// line ends. What a limit cuts off is shown by an ellipsis.
package struct Paragraph: Hashable, Sendable {
  /// Lines as the text itself breaks them.
  private var hardLines: [[StyledGlyph]] = [[]]
  package var lineCountMax: Int?
  package var alignment = BlockAlignment.leading

  package init(_ text: String = "", _ style: CellStyle = .plain, lineCountMax: Int? = nil) {
    self.lineCountMax = lineCountMax
    append(text, style)
  }

  /// Adds text at the end.
  package mutating func append(_ text: String, _ style: CellStyle) {
    for (place, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      if place > 0 { hardLines.append([]) }
      hardLines[hardLines.count - 1] += line.glyphs.map { StyledGlyph($0, style) }
    }
  }

  /// The columns that it takes if nothing breaks it.
  package var columns: Int { hardLines.map(\.columns).max() ?? 0 }

  /// - Parameter columns: How many there are; nil: as many as it likes.
  /// - Complexity: O(glyphs)
  package func lines(in columns: Int?) -> [ArraySlice<StyledGlyph>] {
    let columns = max(1, columns ?? .max)
    let lines = hardLines.flatMap { hardLine in hardLine.broken(into: columns).map { (hardLine, $0) } }
    let limit = max(1, lineCountMax ?? .max)
    guard lines.count > limit else { return lines.map(\.1) }
    let (hardLine, last) = lines[limit - 1]
    return lines.prefix(limit - 1).map(\.1) + [hardLine[last.startIndex...].cut(to: columns)]
  }
}

extension Sequence<StyledGlyph> {
  fileprivate var columns: Int { reduce(0) { $0 + $1.glyph.columns } }
}

extension StyledGlyph {
  fileprivate var isBlank: Bool { glyph.character == " " }
  fileprivate var endsWord: Bool { isBlank || glyph.character == "-" }
}

extension [StyledGlyph] {
  fileprivate func broken(into columns: Int) -> [ArraySlice<StyledGlyph>] {
    var lines: [ArraySlice<StyledGlyph>] = []
    var start = startIndex
    /// Where the line may end, after `start`.
    var opening: Int?
    var width = 0
    var place = startIndex
    while place < endIndex {
      let glyph = self[place].glyph
      if place > start, self[place - 1].endsWord || glyph.columns == 2 || self[place - 1].glyph.columns == 2 {
        opening = place
      }
      // A blank at the end needs no space.
      guard width + glyph.columns > columns, !self[place].isBlank, place > start else {
        width += glyph.columns
        place += 1
        continue
      }
      let end = opening ?? place
      lines.append(self[start..<end].withoutBlanksAtEnd)
      start = end
      opening = nil
      width = self[start..<place].columns
    }
    let last = self[start...]
    lines.append(last.columns > columns ? last.withoutBlanksAtEnd : last)
    return lines
  }
}

extension ArraySlice<StyledGlyph> {
  fileprivate var withoutBlanksAtEnd: ArraySlice<StyledGlyph> {
    var copy = self
    while copy.last?.isBlank == true { copy.removeLast() }
    return copy
  }

  /// What fits with an ellipsis behind it.
  fileprivate func cut(to columns: Int) -> ArraySlice<StyledGlyph> {
    var width = 1
    let kept = prefix { styled in
      width += styled.glyph.columns
      return width <= columns
    }.withoutBlanksAtEnd
    return kept + [StyledGlyph(Glyph("…")!, kept.last?.style ?? first?.style ?? .plain)]
  }
}
