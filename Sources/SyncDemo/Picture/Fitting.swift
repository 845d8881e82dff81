import Foundation

extension String {
  /// The beginning that has space in so many columns, with a mark where something is left out.
  func fitted(to width: Int) -> String {
    guard count > width else { return self }
    return width < 1 ? "" : String(prefix(width - 1)) + "…"
  }

  /// With blanks at the end.
  func filled(to width: Int) -> String { self + String(repeating: " ", count: Swift.max(0, width - count)) }

  /// With blanks in front.
  func aligned(rightIn width: Int) -> String { String(repeating: " ", count: Swift.max(0, width - count)) + self }

  /// This at the left and `other` at the right of so many columns; `other` stays whole.
  func aligned(right other: String, columns: Int) -> String {
    let left = fitted(to: Swift.max(0, columns - other.count - 1))
    return left.filled(to: columns - other.count) + other
  }
}

extension BinaryInteger {
  /// In groups of three digits.
  var grouped: String { Int(self).formatted(.number.locale(Locale(identifier: "en_US")).grouping(.automatic)) }
}
