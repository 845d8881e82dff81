public import Foundation

extension View {
  /// Draws what is inside in a colour, where it names none. The second colour has no effect.
  public func foregroundStyle(_ primary: some ShapeStyle, _ secondary: some ShapeStyle) -> some View {
    foregroundStyle(primary)
  }

  /// Draws what is inside in a colour, where it names none. The other colours have no effect.
  public func foregroundStyle(
    _ primary: some ShapeStyle, _ secondary: some ShapeStyle, _ tertiary: some ShapeStyle
  ) -> some View {
    foregroundStyle(primary)
  }

  /// Lets the view have the focus, for some kinds of use; here for all.
  public func focusable(_ isFocusable: Bool = true, interactions: FocusInteractions) -> some View {
    focusable(isFocusable)
  }

  /// Accepted and without effect: characters are as large as the terminal has them.
  public func dynamicTypeSize(_ range: some RangeExpression<DynamicTypeSize>) -> some View {
    accepted("dynamicTypeSize")
  }

  /// Leaves space at some sides of the view: 16 points.
  public func scenePadding(_ edges: Edge.Set = .all) -> some View { padding(edges) }

  /// How many lines a text inside may have at most.
  public func lineLimit(_ range: ClosedRange<Int>) -> some View { lineLimit(range.upperBound as Int?) }
  /// How many lines a text inside may have at most.
  public func lineLimit(_ range: PartialRangeThrough<Int>) -> some View { lineLimit(range.upperBound as Int?) }
  /// How many lines a text inside has at least has no effect.
  public func lineLimit(_ range: PartialRangeFrom<Int>) -> some View { self }
  /// How many lines a text inside may have. That it keeps space for them has no effect.
  public func lineLimit(_ limit: Int, reservesSpace: Bool) -> some View { lineLimit(limit as Int?) }

  /// Draws texts inside in a design of letters: here in cells.
  public func fontDesign(_ design: Font.Design?) -> some View { accepted("fontDesign") }
  /// Accepted and without effect: letters are as wide as a cell.
  public func fontWidth(_ width: CGFloat?) -> some View { accepted("fontWidth") }
  /// Accepted and without effect: texts are written as they are.
  public func textCase(_ textCase: Text.Case?) -> some View { accepted("textCase") }

  /// What a person hears of the view after its name.
  public func accessibilityHint(_ hint: LocalizedStringKey) -> some View { accepted("accessibilityHint") }
  /// What a person hears of the view after its name.
  @_disfavoredOverload public func accessibilityHint(_ hint: some StringProtocol) -> some View {
    accepted("accessibilityHint")
  }
  /// What a person hears of the view's value.
  public func accessibilityValue(_ value: LocalizedStringKey) -> some View { accepted("accessibilityValue") }
  /// What a person hears of the view's value.
  @_disfavoredOverload public func accessibilityValue(_ value: some StringProtocol) -> some View {
    accepted("accessibilityValue")
  }
  /// What a person hears of the view's value.
  public func accessibilityValue(_ value: Text) -> some View { accepted("accessibilityValue") }
  /// What kind of thing the view is.
  public func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View { accepted("accessibilityAddTraits") }
  /// What kind of thing the view is not.
  public func accessibilityRemoveTraits(_ traits: AccessibilityTraits) -> some View {
    accepted("accessibilityRemoveTraits")
  }
  /// How the parts of the view are heard.
  public func accessibilityElement(children: AccessibilityChildBehavior = .ignore) -> some View {
    accepted("accessibilityElement")
  }
  /// What a person may also do with the view.
  public func accessibilityAction(named name: Text, _ handler: @escaping () -> Void) -> some View {
    accepted("accessibilityAction")
  }
  /// What a person may also do with the view.
  public func accessibilityAction(named name: LocalizedStringKey, _ handler: @escaping () -> Void) -> some View {
    accepted("accessibilityAction")
  }
  /// What a person hears of the view, for older programs.
  public func accessibility(label: Text) -> some View { accessibilityLabel(label) }
  /// Names the view for tests, for older programs.
  public func accessibility(identifier: String) -> some View { accepted("accessibility") }

  /// Accepted and without effect: nothing opens the program by an address.
  public func onOpenURL(perform action: @escaping (URL) -> Void) -> some View { accepted("onOpenURL") }
}

/// For what a view has the focus.
public struct FocusInteractions: OptionSet, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// To be pressed.
  public static let activate = FocusInteractions(rawValue: 1)
  /// To be edited.
  public static let edit = FocusInteractions(rawValue: 2)
  /// As the system chooses.
  public static let automatic: FocusInteractions = [.activate, .edit]
}

/// What kind of thing a view is.
public struct AccessibilityTraits: OptionSet, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// A button.
  public static let isButton = AccessibilityTraits(rawValue: 1)
  /// A heading.
  public static let isHeader = AccessibilityTraits(rawValue: 2)
  /// It is selected.
  public static let isSelected = AccessibilityTraits(rawValue: 4)
  /// A link.
  public static let isLink = AccessibilityTraits(rawValue: 8)
  /// A picture.
  public static let isImage = AccessibilityTraits(rawValue: 16)
  /// It covers all else.
  public static let isModal = AccessibilityTraits(rawValue: 32)
  /// A text.
  public static let isStaticText = AccessibilityTraits(rawValue: 64)
  /// It changes often.
  public static let updatesFrequently = AccessibilityTraits(rawValue: 128)
  /// It plays something.
  public static let startsMediaSession = AccessibilityTraits(rawValue: 256)
}

/// How the parts of a view are heard.
public struct AccessibilityChildBehavior: Hashable, Sendable {
  private let name: String
  /// Not at all.
  nonisolated public static let ignore = AccessibilityChildBehavior(name: "ignore")
  /// One by one.
  nonisolated public static let contain = AccessibilityChildBehavior(name: "contain")
  /// As one.
  nonisolated public static let combine = AccessibilityChildBehavior(name: "combine")
}

extension Text {
  /// In which letters a text is written.
  public enum Case: Hashable, Sendable {
    /// In capitals, or small letters.
    case uppercase, lowercase
  }
}
