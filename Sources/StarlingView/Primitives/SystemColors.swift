/// A colour of Apple's phones, by its name. Backgrounds are no colour here, and fills are faint.
public struct UIColor: Hashable, Sendable {
  let color: Color

  nonisolated private init(_ color: Color) {
    self.color = color
  }

  /// What a screen is drawn on.
  nonisolated public static let systemBackground = UIColor(.clear)
  /// What a group is drawn on.
  nonisolated public static let secondarySystemBackground = UIColor(.clear)
  /// What a group in a group is drawn on.
  nonisolated public static let tertiarySystemBackground = UIColor(.clear)
  /// What a list of groups is drawn on.
  nonisolated public static let systemGroupedBackground = UIColor(.clear)
  /// What a group of a list is drawn on.
  nonisolated public static let secondarySystemGroupedBackground = UIColor(.clear)
  /// What a small thing is filled with.
  nonisolated public static let systemFill = UIColor(.secondary)
  /// What a thing is filled with.
  nonisolated public static let secondarySystemFill = UIColor(.secondary)
  /// What a large thing is filled with.
  nonisolated public static let tertiarySystemFill = UIColor(.secondary)
  /// What is read first.
  nonisolated public static let label = UIColor(.primary)
  /// What is read second.
  nonisolated public static let secondaryLabel = UIColor(.secondary)
  /// What is read third.
  nonisolated public static let tertiaryLabel = UIColor(.tertiary)
  /// Lines.
  nonisolated public static let separator = UIColor(.secondary)
  /// Red.
  nonisolated public static let systemRed = UIColor(.red)
  /// Orange.
  nonisolated public static let systemOrange = UIColor(.orange)
  /// Yellow.
  nonisolated public static let systemYellow = UIColor(.yellow)
  /// Green.
  nonisolated public static let systemGreen = UIColor(.green)
  /// Teal.
  nonisolated public static let systemTeal = UIColor(.teal)
  /// Blue.
  nonisolated public static let systemBlue = UIColor(.blue)
  /// Indigo.
  nonisolated public static let systemIndigo = UIColor(.indigo)
  /// Purple.
  nonisolated public static let systemPurple = UIColor(.purple)
  /// Pink.
  nonisolated public static let systemPink = UIColor(.pink)
  /// Grey.
  nonisolated public static let systemGray = UIColor(.gray)
  /// A lighter grey.
  nonisolated public static let systemGray2 = UIColor(.gray)
  /// A lighter grey.
  nonisolated public static let systemGray3 = UIColor(.gray)
  /// A lighter grey.
  nonisolated public static let systemGray4 = UIColor(.gray)
  /// A lighter grey.
  nonisolated public static let systemGray5 = UIColor(.gray)
  /// The lightest grey.
  nonisolated public static let systemGray6 = UIColor(.gray)
}

extension Color {
  /// The colour of Apple's phones.
  nonisolated public init(_ color: UIColor) {
    self = color.color
  }

  /// The colour of Apple's phones.
  nonisolated public init(uiColor color: UIColor) {
    self = color.color
  }

  /// How bright the steps of a gradient are; all alike here.
  nonisolated public func mix(with other: Color, by fraction: Double) -> Color { fraction < 0.5 ? self : other }
}
