public import Foundation
public import StarlingCore

/// The attributes that the marks of a `ReplicatedText` have in an `AttributedString`. The mark `link` is
/// Foundation's attribute; marks by other names stand in `marks`.
///
/// ```
///   mark          value      attribute
///   bold …        true       bold, italic, underline, strikethrough, code
///   link          a URL      link
///   any other     any        marks[name]
/// ```
public struct StarlingTextAttributes: AttributeScope {
  /// The mark `bold`.
  public let bold: Bold
  /// The mark `italic`.
  public let italic: Italic
  /// The mark `underline`.
  public let underline: Underline
  /// The mark `strikethrough`.
  public let strikethrough: Strikethrough
  /// The mark `code`.
  public let code: Code
  /// All other marks, by name.
  public let marks: Marks
  /// Foundation's attributes; its `link` stands for the mark `link`.
  public let foundation: AttributeScopes.FoundationAttributes

  /// True where the text has the mark `bold`.
  public enum Bold: AttributedStringKey {
    /// Whether the mark is set.
    public typealias Value = Bool
    /// The mark's name.
    public static let name = "bold"
  }

  /// True where the text has the mark `italic`.
  public enum Italic: AttributedStringKey {
    /// Whether the mark is set.
    public typealias Value = Bool
    /// The mark's name.
    public static let name = "italic"
  }

  /// True where the text has the mark `underline`.
  public enum Underline: AttributedStringKey {
    /// Whether the mark is set.
    public typealias Value = Bool
    /// The mark's name.
    public static let name = "underline"
  }

  /// True where the text has the mark `strikethrough`.
  public enum Strikethrough: AttributedStringKey {
    /// Whether the mark is set.
    public typealias Value = Bool
    /// The mark's name.
    public static let name = "strikethrough"
  }

  /// True where the text has the mark `code`.
  public enum Code: AttributedStringKey {
    /// Whether the mark is set.
    public typealias Value = Bool
    /// The mark's name.
    public static let name = "code"
  }

  /// The marks that have no attribute of their own, by name.
  public enum Marks: AttributedStringKey {
    /// The values of the marks, by name.
    public typealias Value = [String: StarlingCore.Value]
    /// The attribute's name.
    public static let name = "starling.marks"
  }
}

extension AttributeScopes {
  /// The attributes of a `ReplicatedText`'s marks.
  public var starling: StarlingTextAttributes.Type { StarlingTextAttributes.self }
}

extension AttributeDynamicLookup {
  /// Finds the attributes of `StarlingTextAttributes` by name: `text.bold`.
  public subscript<Key: AttributedStringKey>(
    dynamicMember path: KeyPath<StarlingTextAttributes, Key>
  ) -> Key { self[Key.self] }
}

extension ReplicatedText {
  /// A text with the attributes of `StarlingTextAttributes`; others are left out.
  public convenience init(_ attributed: AttributedString) {
    self.init(String(attributed.characters))
    var end = 0
    for run in attributed.runs {
      let start = end
      end += attributed.unicodeScalars[run.range].count
      func mark(_ name: String, _ isSet: Bool?) { if isSet == true { self.mark(start..<end, name, true) } }
      mark(StarlingTextAttributes.Bold.name, run[StarlingTextAttributes.Bold.self])
      mark(StarlingTextAttributes.Italic.name, run[StarlingTextAttributes.Italic.self])
      mark(StarlingTextAttributes.Underline.name, run[StarlingTextAttributes.Underline.self])
      mark(StarlingTextAttributes.Strikethrough.name, run[StarlingTextAttributes.Strikethrough.self])
      mark(StarlingTextAttributes.Code.name, run[StarlingTextAttributes.Code.self])
      if let link = run.link { self.mark(start..<end, "link", link, expanding: .none) }
      for (name, value) in run[StarlingTextAttributes.Marks.self] ?? [:] { self.mark(start..<end, name, value: value) }
    }
  }

  /// The text with its marks as attributes.
  ///
  /// - Complexity: O(*n*)
  public var attributedString: AttributedString {
    runs.reduce(into: AttributedString()) { whole, run in
      var part = AttributedString(run.text)
      var others: [String: Value] = [:]
      for (name, value) in run.marks {
        switch (name, value) {
        case (StarlingTextAttributes.Bold.name, .bool(let isSet)): part[StarlingTextAttributes.Bold.self] = isSet
        case (StarlingTextAttributes.Italic.name, .bool(let isSet)): part[StarlingTextAttributes.Italic.self] = isSet
        case (StarlingTextAttributes.Underline.name, .bool(let isSet)):
          part[StarlingTextAttributes.Underline.self] = isSet
        case (StarlingTextAttributes.Strikethrough.name, .bool(let isSet)):
          part[StarlingTextAttributes.Strikethrough.self] = isSet
        case (StarlingTextAttributes.Code.name, .bool(let isSet)): part[StarlingTextAttributes.Code.self] = isSet
        case ("link", _) where URL(replicated: value) != nil: part.link = URL(replicated: value)
        default: others[name] = value
        }
      }
      if !others.isEmpty { part[StarlingTextAttributes.Marks.self] = others }
      whole += part
    }
  }

  private func mark(_ range: Range<Int>, _ name: String, value: Value) {
    storage.write([
      .mark(LooseMark(range: range, name: .name(name), value: value, expandsLeft: false, expandsRight: true))
    ])
  }
}
