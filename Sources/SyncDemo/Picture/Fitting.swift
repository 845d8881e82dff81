import Foundation
import StarlingTerminal

extension String {
  /// The columns that a terminal takes to draw it: two for a wide character, none for one that cannot be seen.
  var columnCount: Int { reduce(0) { $0 + (Glyph($1)?.columns ?? 0) } }

  /// The beginning that has space in so many columns, with a mark where something is left out.
  func fitted(to width: Int) -> String {
    guard columnCount > width else { return self }
    guard width >= 1 else { return "" }
    var left = width - 1
    let beginning = prefix { character in
      left -= Glyph(character)?.columns ?? 0
      return left >= 0
    }
    return beginning + "…"
  }

  /// With blanks at the end.
  func filled(to width: Int) -> String { self + String(repeating: " ", count: Swift.max(0, width - columnCount)) }

  /// This at the left and `other` at the right of so many columns; `other` stays whole.
  func aligned(right other: String, columns: Int) -> String {
    let left = fitted(to: Swift.max(0, columns - other.columnCount - 1))
    return left.filled(to: columns - other.columnCount) + other
  }
}

extension BinaryInteger {
  /// In groups of three digits.
  var grouped: String { Int(self).formatted(.number.locale(Locale(identifier: "en_US")).grouping(.automatic)) }
}
