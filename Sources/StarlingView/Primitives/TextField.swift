public import Foundation
public import StarlingBinding

/// A line that can be typed into. Reads its binding in a scope of its own.
public struct TextField<Label: View>: View {
  public typealias Body = Never
  private let text: Binding<String>
  private let prompt: Text?
  private let axis: Axis
  private let label: Label

  /// Edits a text on one line.
  ///
  /// - Parameters:
  ///   - text: What is edited.
  ///   - prompt: Shown while the text is empty; nil shows nothing.
  ///   - label: What the field is for.
  public init(text: Binding<String>, prompt: Text? = nil, @ViewBuilder label: () -> Label) {
    self.init(text: text, prompt: prompt, axis: .horizontal, label: label)
  }

  /// Edits a text, on several lines where `axis` is vertical.
  ///
  /// - Parameters:
  ///   - text: What is edited.
  ///   - prompt: Shown while the text is empty; nil shows nothing.
  ///   - axis: The direction in which the field grows with its text.
  ///   - label: What the field is for.
  public init(text: Binding<String>, prompt: Text? = nil, axis: Axis, @ViewBuilder label: () -> Label) {
    self.text = text
    self.prompt = prompt
    self.axis = axis
    self.label = label()
  }

  /// A field for a value that a format writes and reads. What cannot be read is not stored.
  public init<Format: ParseableFormatStyle>(
    value: Binding<Format.FormatInput>, format: Format, prompt: Text? = nil, @ViewBuilder label: () -> Label
  ) where Format.FormatOutput == String {
    self.init(text: Formatted(value, format).text, prompt: prompt, axis: .horizontal, label: label)
  }

  /// The same, for a value that there need not be: nothing typed is nil.
  public init<Format: ParseableFormatStyle>(
    value: Binding<Format.FormatInput?>, format: Format, prompt: Text? = nil, @ViewBuilder label: () -> Label
  ) where Format.FormatOutput == String {
    self.init(text: Formatted(value, format).text, prompt: prompt, axis: .horizontal, label: label)
  }
}

extension TextField: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    Composition(
      field: text, prompt: prompt, isSecret: false, isMultiline: axis == .vertical, label: label, in: node)
  }
}

extension Composition {
  fileprivate init(
    field text: Binding<String>, prompt: Text?, isSecret: Bool, isMultiline: Bool, label: some View, in node: Node
  ) {
    var element = Element(
      node,
      .field(
        text: text.wrappedValue, prompt: prompt?.content.string, isSecret: isSecret, isMultiline: isMultiline))
    element.actions.isFocusable = true
    element.actions.type = { text.wrappedValue = $0 }
    let submissions = EnvironmentValues(in: node.environment).submissions
    element.actions.submit = { for submission in submissions { submission.action() } }
    self.init(label) { drawn in
      var element = element
      element.children = drawn.all
      return [element]
    }
  }
}

/// A value as the text of a field.
private struct Formatted {
  let text: Binding<String>

  init<Format: ParseableFormatStyle>(_ value: Binding<Format.FormatInput>, _ format: Format)
  where Format.FormatOutput == String {
    text = Binding(
      location: nil, read: { format.format(value.wrappedValue) },
      write: { if let read = try? format.parseStrategy.parse($0) { value.wrappedValue = read } })
  }

  init<Format: ParseableFormatStyle>(_ value: Binding<Format.FormatInput?>, _ format: Format)
  where Format.FormatOutput == String {
    text = Binding(
      location: nil, read: { value.wrappedValue.map(format.format) ?? "" },
      write: { text in
        if text.isEmpty {
          value.wrappedValue = nil
        } else if let read = try? format.parseStrategy.parse(text) {
          value.wrappedValue = read
        }
      })
  }
}

extension TextField where Label == Text {
  /// Edits a text on one line, under a title.
  public init(_ title: LocalizedStringKey, text: Binding<String>, prompt: Text? = nil) {
    self.init(text: text, prompt: prompt, axis: .horizontal) { Text(title) }
  }

  /// Edits a text on one line, under a title.
  @_disfavoredOverload public init(_ title: some StringProtocol, text: Binding<String>, prompt: Text? = nil) {
    self.init(text: text, prompt: prompt, axis: .horizontal) { Text(title) }
  }

  /// Edits a text under a title, on several lines where `axis` is vertical.
  public init(_ title: LocalizedStringKey, text: Binding<String>, prompt: Text? = nil, axis: Axis) {
    self.init(text: text, prompt: prompt, axis: axis) { Text(title) }
  }

  /// Edits a text under a title, on several lines where `axis` is vertical.
  @_disfavoredOverload public init(
    _ title: some StringProtocol, text: Binding<String>, prompt: Text? = nil, axis: Axis
  ) {
    self.init(text: text, prompt: prompt, axis: axis) { Text(title) }
  }

  /// Edits a value as a format style writes and reads it.
  public init<Format: ParseableFormatStyle>(
    _ title: LocalizedStringKey, value: Binding<Format.FormatInput>, format: Format, prompt: Text? = nil
  ) where Format.FormatOutput == String {
    self.init(value: value, format: format, prompt: prompt) { Text(title) }
  }

  /// Edits a value that may be missing, as a format style writes and reads it.
  public init<Format: ParseableFormatStyle>(
    _ title: LocalizedStringKey, value: Binding<Format.FormatInput?>, format: Format, prompt: Text? = nil
  ) where Format.FormatOutput == String {
    self.init(value: value, format: format, prompt: prompt) { Text(title) }
  }
}

/// A line that can be typed into and not be read.
public struct SecureField<Label: View>: View {
  public typealias Body = Never
  private let text: Binding<String>
  private let prompt: Text?
  private let label: Label

  /// Edits a text that is not shown.
  ///
  /// - Parameters:
  ///   - text: What is edited.
  ///   - prompt: Shown while the text is empty; nil shows nothing.
  ///   - label: What the field is for.
  public init(text: Binding<String>, prompt: Text? = nil, @ViewBuilder label: () -> Label) {
    self.text = text
    self.prompt = prompt
    self.label = label()
  }
}

extension SecureField: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    Composition(field: text, prompt: prompt, isSecret: true, isMultiline: false, label: label, in: node)
  }
}

extension SecureField where Label == Text {
  /// Edits a text that is not shown, under a title.
  public init(_ title: LocalizedStringKey, text: Binding<String>, prompt: Text? = nil) {
    self.init(text: text, prompt: prompt) { Text(title) }
  }

  /// Edits a text that is not shown, under a title.
  @_disfavoredOverload public init(_ title: some StringProtocol, text: Binding<String>, prompt: Text? = nil) {
    self.init(text: text, prompt: prompt) { Text(title) }
  }
}

/// Several lines that can be typed into.
public struct TextEditor: View {
  private let text: Binding<String>

  /// Edits a text on several lines.
  public init(text: Binding<String>) {
    self.text = text
  }

  public var body: some View {
    TextField(text: text, axis: .vertical) { EmptyView() }
  }
}

/// What stands to be done when a field is submitted, the innermost first.
struct Submission {
  let action: () -> Void
}

extension EnvironmentValues {
  private static let submissionsKey = EntryKey<[Submission]>([])

  var submissions: [Submission] {
    get { self[Self.submissionsKey] }
    set { self[Self.submissionsKey] = newValue }
  }
}

/// Which fields' submissions an action is for.
public struct SubmitTriggers: OptionSet, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Text fields.
  public static let text = SubmitTriggers(rawValue: 1)
  /// Search fields.
  public static let search = SubmitTriggers(rawValue: 2)
}

extension View {
  /// Does something when a person ends typing in a field inside.
  public func onSubmit(of triggers: SubmitTriggers = .text, _ action: @escaping () -> Void) -> some View {
    EnvironmentView(content: self) { values in
      if triggers.contains(.text) { values.submissions.append(Submission(action: action)) }
      if triggers.contains(.search) { values.searchSubmissions.append(Submission(action: action)) }
    }
  }
}
