public import Foundation

// What programs say of how they look on Apple's screens. It is accepted, and changes nothing where lines are read or
// cells are drawn.

public protocol ButtonStyle {}
public struct PlainButtonStyle: ButtonStyle { public init() {} }
public struct BorderedButtonStyle: ButtonStyle { public init() {} }
public struct BorderedProminentButtonStyle: ButtonStyle { public init() {} }
public struct BorderlessButtonStyle: ButtonStyle { public init() {} }

extension ButtonStyle where Self == PlainButtonStyle {
  public static var plain: PlainButtonStyle { PlainButtonStyle() }
}

extension ButtonStyle where Self == BorderedButtonStyle {
  public static var bordered: BorderedButtonStyle { BorderedButtonStyle() }
}

extension ButtonStyle where Self == BorderedProminentButtonStyle {
  public static var borderedProminent: BorderedProminentButtonStyle { BorderedProminentButtonStyle() }
}

extension ButtonStyle where Self == BorderlessButtonStyle {
  public static var borderless: BorderlessButtonStyle { BorderlessButtonStyle() }
}

/// How a text field looks on Apple's screens.
public struct TextFieldStyle: Hashable, Sendable {
  private let name: String
  public static let automatic = TextFieldStyle(name: "automatic")
  public static let plain = TextFieldStyle(name: "plain")
  public static let roundedBorder = TextFieldStyle(name: "roundedBorder")
}

/// How a picker looks on Apple's screens.
public struct PickerStyle: Hashable, Sendable {
  private let name: String
  public static let automatic = PickerStyle(name: "automatic")
  public static let inline = PickerStyle(name: "inline")
  public static let menu = PickerStyle(name: "menu")
  public static let segmented = PickerStyle(name: "segmented")
  public static let wheel = PickerStyle(name: "wheel")
  public static let navigationLink = PickerStyle(name: "navigationLink")
}

/// How a toggle looks on Apple's screens.
public struct ToggleStyle: Hashable, Sendable {
  private let name: String
  public static let automatic = ToggleStyle(name: "automatic")
  public static let button = ToggleStyle(name: "button")
  public static let checkbox = ToggleStyle(name: "checkbox")
  public static let `switch` = ToggleStyle(name: "switch")
}

/// How a list looks on Apple's screens.
public struct ListStyle: Hashable, Sendable {
  private let name: String
  public static let automatic = ListStyle(name: "automatic")
  public static let plain = ListStyle(name: "plain")
  public static let grouped = ListStyle(name: "grouped")
  public static let inset = ListStyle(name: "inset")
  public static let insetGrouped = ListStyle(name: "insetGrouped")
  public static let sidebar = ListStyle(name: "sidebar")
}

public enum ControlSize: CaseIterable, Hashable, Sendable {
  case mini, small, regular, large, extraLarge
}

/// How what is typed is capitalised by Apple's keyboards.
public struct TextInputAutocapitalization: Hashable, Sendable {
  private let name: String
  public static let never = TextInputAutocapitalization(name: "never")
  public static let words = TextInputAutocapitalization(name: "words")
  public static let sentences = TextInputAutocapitalization(name: "sentences")
  public static let characters = TextInputAutocapitalization(name: "characters")
}

/// How wide and how high Apple's titles are.
public enum TitleDisplayMode: Hashable, Sendable {
  case automatic, inline, large
}

public struct SubmitLabel: Hashable, Sendable {
  private let name: String
  public static let done = SubmitLabel(name: "done")
  public static let go = SubmitLabel(name: "go")
  public static let next = SubmitLabel(name: "next")
  public static let search = SubmitLabel(name: "search")
  public static let `return` = SubmitLabel(name: "return")
}

extension View {
  public func buttonStyle(_ style: some ButtonStyle) -> some View { self }
  public func textFieldStyle(_ style: TextFieldStyle) -> some View { self }
  public func pickerStyle(_ style: PickerStyle) -> some View { self }
  public func toggleStyle(_ style: ToggleStyle) -> some View { self }
  public func listStyle(_ style: ListStyle) -> some View { self }
  public func controlSize(_ size: ControlSize) -> some View { self }
  public func imageScale(_ scale: Image.Scale) -> some View { self }
  public func aspectRatio(_ ratio: CGFloat? = nil, contentMode: ContentMode) -> some View { self }
  public func scaledToFit() -> some View { self }
  public func scaledToFill() -> some View { self }
  public func textInputAutocapitalization(_ autocapitalization: TextInputAutocapitalization?) -> some View { self }
  public func autocorrectionDisabled(_ isDisabled: Bool = true) -> some View { self }
  public func disableAutocorrection(_ isDisabled: Bool?) -> some View { self }
  public func submitLabel(_ label: SubmitLabel) -> some View { self }
  public func navigationBarTitleDisplayMode(_ mode: TitleDisplayMode) -> some View { self }
  public func help(_ text: LocalizedStringKey) -> some View { self }
  public func listRowSeparator(_ visibility: Visibility, edges: Edge.Set = .all) -> some View { self }
  public func contentShape(_ shape: some Shape) -> some View { self }
  public func transition(_ transition: AnyTransition) -> some View { self }
  public func zIndex(_ value: Double) -> some View { self }
}

public enum ContentMode: CaseIterable, Hashable, Sendable {
  case fit, fill
}

public enum Visibility: CaseIterable, Hashable, Sendable {
  case automatic, visible, hidden
}

/// How a view comes and goes on Apple's screens; here it is there, or not.
public struct AnyTransition: Hashable, Sendable {
  private let name: String
  public static let identity = AnyTransition(name: "identity")
  public static let opacity = AnyTransition(name: "opacity")
  public static let scale = AnyTransition(name: "scale")
  public static let slide = AnyTransition(name: "slide")
}

/// Views for a preview in an editor; nothing here shows them.
@MainActor @preconcurrency public protocol PreviewProvider {
  associatedtype Previews: View
  @ViewBuilder static var previews: Previews { get }
}
