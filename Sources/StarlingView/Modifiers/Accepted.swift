public import Foundation

// What programs say of how they look on Apple's screens. It is accepted, and changes nothing where lines are read or
// cells are drawn.

/// How a button looks on Apple's screens.
public protocol ButtonStyle {}
/// A button without a border.
public struct PlainButtonStyle: ButtonStyle { public init() {} }
/// A button with a border.
public struct BorderedButtonStyle: ButtonStyle { public init() {} }
/// A button with a border that stands out.
public struct BorderedProminentButtonStyle: ButtonStyle { public init() {} }
/// A button without a border, in the colour of what can be used.
public struct BorderlessButtonStyle: ButtonStyle { public init() {} }

extension ButtonStyle where Self == PlainButtonStyle {
  /// Without a border.
  public static var plain: PlainButtonStyle { PlainButtonStyle() }
}

extension ButtonStyle where Self == BorderedButtonStyle {
  /// With a border.
  public static var bordered: BorderedButtonStyle { BorderedButtonStyle() }
}

extension ButtonStyle where Self == BorderedProminentButtonStyle {
  /// With a border that stands out.
  public static var borderedProminent: BorderedProminentButtonStyle { BorderedProminentButtonStyle() }
}

extension ButtonStyle where Self == BorderlessButtonStyle {
  /// Without a border, in the colour of what can be used.
  public static var borderless: BorderlessButtonStyle { BorderlessButtonStyle() }
}

/// How a text field looks on Apple's screens.
public struct TextFieldStyle: Hashable, Sendable {
  private let name: String
  /// As Apple's systems choose.
  public static let automatic = TextFieldStyle(name: "automatic")
  /// Without decoration.
  public static let plain = TextFieldStyle(name: "plain")
  /// With a rounded border.
  public static let roundedBorder = TextFieldStyle(name: "roundedBorder")
}

/// How a picker looks on Apple's screens.
public struct PickerStyle: Hashable, Sendable {
  private let name: String
  /// As Apple's systems choose.
  public static let automatic = PickerStyle(name: "automatic")
  /// All options in the list that the picker stands in.
  public static let inline = PickerStyle(name: "inline")
  /// A menu of the options.
  public static let menu = PickerStyle(name: "menu")
  /// The options side by side.
  public static let segmented = PickerStyle(name: "segmented")
  /// A wheel of the options.
  public static let wheel = PickerStyle(name: "wheel")
  /// A screen of the options.
  public static let navigationLink = PickerStyle(name: "navigationLink")
}

/// How a toggle looks on Apple's screens.
public struct ToggleStyle: Hashable, Sendable {
  private let name: String
  /// As Apple's systems choose.
  public static let automatic = ToggleStyle(name: "automatic")
  /// A button that stays pressed.
  public static let button = ToggleStyle(name: "button")
  /// A box with a tick.
  public static let checkbox = ToggleStyle(name: "checkbox")
  /// A switch.
  public static let `switch` = ToggleStyle(name: "switch")
}

/// How a list looks on Apple's screens.
public struct ListStyle: Hashable, Sendable {
  private let name: String
  /// As Apple's systems choose.
  public static let automatic = ListStyle(name: "automatic")
  /// Without decoration.
  public static let plain = ListStyle(name: "plain")
  /// Sections as groups.
  public static let grouped = ListStyle(name: "grouped")
  /// With a margin.
  public static let inset = ListStyle(name: "inset")
  /// Sections as groups with a margin.
  public static let insetGrouped = ListStyle(name: "insetGrouped")
  /// As a list beside a window's content.
  public static let sidebar = ListStyle(name: "sidebar")
}

/// How large controls are on Apple's screens.
public enum ControlSize: CaseIterable, Hashable, Sendable {
  /// From the smallest to the largest.
  case mini, small, regular, large, extraLarge
}

/// How what is typed is capitalised by Apple's keyboards.
public struct TextInputAutocapitalization: Hashable, Sendable {
  private let name: String
  /// Nothing.
  public static let never = TextInputAutocapitalization(name: "never")
  /// The first letter of each word.
  public static let words = TextInputAutocapitalization(name: "words")
  /// The first letter of each sentence.
  public static let sentences = TextInputAutocapitalization(name: "sentences")
  /// Everything.
  public static let characters = TextInputAutocapitalization(name: "characters")
}

/// How wide and how high Apple's titles are.
public enum TitleDisplayMode: Hashable, Sendable {
  /// As Apple's systems choose, on one line with the buttons, or on a line of its own.
  case automatic, inline, large
}

/// What is written on the return key of Apple's keyboards.
public struct SubmitLabel: Hashable, Sendable {
  private let name: String
  /// “Done”.
  public static let done = SubmitLabel(name: "done")
  /// “Go”.
  public static let go = SubmitLabel(name: "go")
  /// “Next”.
  public static let next = SubmitLabel(name: "next")
  /// “Search”.
  public static let search = SubmitLabel(name: "search")
  /// “Return”.
  public static let `return` = SubmitLabel(name: "return")
}

extension View {
  /// How buttons inside look: those that are plain or have no border are drawn as their label alone.
  public func buttonStyle(_ style: some ButtonStyle) -> some View {
    let isPlain = style is PlainButtonStyle || style is BorderlessButtonStyle
    return EnvironmentView(content: self) { $0.isButtonPlain = isPlain }
  }

  /// Accepted and without effect: a field looks the same in all styles here.
  public func textFieldStyle(_ style: TextFieldStyle) -> some View { self }
  /// Accepted and without effect: a picker looks the same in all styles here.
  public func pickerStyle(_ style: PickerStyle) -> some View { self }
  /// Accepted and without effect: a toggle looks the same in all styles here.
  public func toggleStyle(_ style: ToggleStyle) -> some View { self }
  /// Accepted and without effect: a list looks the same in all styles here.
  public func listStyle(_ style: ListStyle) -> some View { self }
  /// Accepted and without effect: a control has one size here.
  public func controlSize(_ size: ControlSize) -> some View { self }
  /// Accepted and without effect: pictures are not drawn here.
  public func imageScale(_ scale: Image.Scale) -> some View { self }
  /// Accepted and without effect: pictures are not drawn here.
  public func aspectRatio(_ ratio: CGFloat? = nil, contentMode: ContentMode) -> some View { self }
  /// Accepted and without effect: pictures are not drawn here.
  public func scaledToFit() -> some View { self }
  /// Accepted and without effect: pictures are not drawn here.
  public func scaledToFill() -> some View { self }
  /// Accepted and without effect: what is typed is taken as it is.
  public func textInputAutocapitalization(_ autocapitalization: TextInputAutocapitalization?) -> some View { self }
  /// Accepted and without effect: what is typed is taken as it is.
  public func autocorrectionDisabled(_ isDisabled: Bool = true) -> some View { self }
  /// Accepted and without effect: what is typed is taken as it is.
  public func disableAutocorrection(_ isDisabled: Bool?) -> some View { self }
  /// Accepted and without effect: a terminal's keys have their own labels.
  public func submitLabel(_ label: SubmitLabel) -> some View { self }
  /// Accepted and without effect: a title stands on its own line here.
  public func navigationBarTitleDisplayMode(_ mode: TitleDisplayMode) -> some View { self }
  /// Accepted and without effect: nothing points at a view without using it.
  public func help(_ text: LocalizedStringKey) -> some View { self }
  /// Accepted and without effect: rows have no lines between them here.
  public func listRowSeparator(_ visibility: Visibility, edges: Edge.Set = .all) -> some View { self }
  /// Accepted and without effect: a view is tapped wherever it is drawn.
  public func contentShape(_ shape: some Shape) -> some View { self }
  /// Accepted and without effect: a view is there, or not.
  public func transition(_ transition: AnyTransition) -> some View { self }
  /// Accepted and without effect: views lie over each other in their order.
  public func zIndex(_ value: Double) -> some View { self }
}

/// How a picture fills a space of other proportions.
public enum ContentMode: CaseIterable, Hashable, Sendable {
  /// Whole in the space, or over all of it.
  case fit, fill
}

/// Whether something is shown.
public enum Visibility: CaseIterable, Hashable, Sendable {
  /// As the system chooses, always, or never.
  case automatic, visible, hidden
}

/// How a view comes and goes on Apple's screens; here it is there, or not.
public struct AnyTransition: Hashable, Sendable {
  private let name: String
  /// It is there at once.
  public static let identity = AnyTransition(name: "identity")
  /// It fades.
  public static let opacity = AnyTransition(name: "opacity")
  /// It grows.
  public static let scale = AnyTransition(name: "scale")
  /// It comes from the side.
  public static let slide = AnyTransition(name: "slide")
}

/// Views for a preview in an editor; nothing here shows them.
@MainActor @preconcurrency public protocol PreviewProvider {
  /// The type of the views.
  associatedtype Previews: View
  /// The views that an editor shows.
  @ViewBuilder static var previews: Previews { get }
}
