/// What one cell, or two beside each other, can show: a character, made harmless, and how many columns it takes.
///
/// Texts come from other replicas. No character of theirs reaches a terminal that would do more there than be seen:
///
/// ```
///   in the text                                      drawn
///   letters, signs, emoji, combined or not           as they are, up to 16 scalars
///   tab, ends of lines and paragraphs                a blank
///   control characters: U+0000 … U+001F, U+007F      their pictures, ␀ … ␡ (escape is ␛)
///   control characters: U+0080 … U+009F              �   (U+009B begins a control sequence as escape does)
///   marks of direction, and what is invisible        nothing
///   a mark with nothing to stand on                  on a blank of its own
/// ```
package struct Glyph: Hashable, Sendable {
  package let character: Character
  /// 1 or 2.
  package let columns: Int

  /// Of the longest that a family of emoji takes, with a few to spare; marks are piled up higher by nobody who wants
  /// to be read.
  package static let scalarCountMax = 16

  package static let blank = Glyph(unchecked: " ", columns: 1)

  /// Nil where nothing is to be seen.
  ///
  /// - Complexity: O(scalars)
  package init?(_ character: Character) {
    if let ascii = character.asciiValue {
      switch ascii {
      case 0x20..<0x7F: self.init(unchecked: character, columns: 1)
      case 0x09...0x0D: self = .blank
      case 0x7F: self.init(unchecked: "\u{2421}", columns: 1)
      default: self.init(unchecked: Character(Unicode.Scalar(0x2400 + UInt32(ascii))!), columns: 1)
      }
      return
    }
    var kept = String.UnicodeScalarView()
    var count = 0
    for scalar in character.unicodeScalars where count < Self.scalarCountMax {
      guard let visible = Self.visible(scalar, first: count == 0) else { continue }
      if count == 0, visible.isMark { kept.append(Self.footing) }
      kept.append(visible)
      count += 1
    }
    // What was left out may have held the rest together; then the first part stands for all.
    guard let first = String(kept).first else { return nil }
    self.init(unchecked: first, columns: Self.columns(of: first.unicodeScalars))
  }

  private init(unchecked character: Character, columns: Int) {
    self.character = character
    self.columns = columns
  }

  /// A blank that a mark may stand on.
  private static let footing: Unicode.Scalar = "\u{A0}"

  /// What stands for a scalar; nil for nothing.
  private static func visible(_ scalar: Unicode.Scalar, first isFirst: Bool) -> Unicode.Scalar? {
    if scalar.value < 0x300, scalar.value > 0x9F, scalar.value != 0xAD { return scalar }
    let properties = scalar.properties
    switch properties.generalCategory {
    case .control: return "\u{FFFD}"
    case .lineSeparator, .paragraphSeparator: return " "
    default: break
    }
    guard properties.isDefaultIgnorableCodePoint || properties.isBidiControl else { return scalar }
    return !isFirst && scalar.shapesItsPredecessor ? scalar : nil
  }

  private static func columns(of scalars: Character.UnicodeScalarView) -> Int {
    if scalars.contains("\u{FE0F}"), scalars.first!.properties.isEmoji { return 2 }
    let sum = scalars.reduce(0) { $0 + $1.columns }
    return min(max(sum, 1), 2)
  }

  /// Whether all terminals move on by `columns` after it, and join nothing that follows to it. They disagree about
  /// emoji and about characters of several scalars.
  package var isMeasuredAlikeEverywhere: Bool {
    let scalars = character.unicodeScalars
    let first = scalars.first!
    if first.value < 0x300 { return scalars.count == 1 }
    return scalars.count == 1 && !first.isJamo && !first.properties.isEmoji
      && !(0x1F1E6...0x1F1FF).contains(first.value)
  }
}

extension Sequence<Character> {
  /// What the text shows, glyph by glyph.
  ///
  /// - Complexity: O(scalars), as it is walked through
  package var glyphs: some Sequence<Glyph> { lazy.compactMap(Glyph.init) }

  /// How many columns the text takes on one line.
  ///
  /// - Complexity: O(scalars)
  package var columns: Int { glyphs.reduce(0) { $0 + $1.columns } }
}

extension Unicode.Scalar {
  fileprivate var isMark: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .spacingMark: true
    default: false
    }
  }

  /// Selectors of variants, joiners and the tags of flags: invisible themselves, they change what is before them.
  fileprivate var shapesItsPredecessor: Bool {
    switch value {
    case 0xFE00...0xFE0F, 0xE0100...0xE01EF, 0x200C, 0x200D, 0xE0020...0xE007F: true
    default: false
    }
  }

  /// A part of a Hangul syllable.
  fileprivate var isJamo: Bool {
    switch value {
    case 0x1100...0x11FF, 0xA960...0xA97F, 0xD7B0...0xD7FF: true
    default: false
    }
  }

  fileprivate var columns: Int {
    if value < 0x300 { return 1 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    if shapesItsPredecessor { return 0 }
    return WideScalars.contains(self) ? 2 : 1
  }
}
