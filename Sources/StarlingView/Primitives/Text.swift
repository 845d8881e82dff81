public import Foundation

/// A piece of text.
public struct Text: Equatable, Sendable {
  package var content: StyledText

  nonisolated init(_ content: StyledText) {
    self.content = content
  }

  /// The parameters name a table of translations; the key is shown.
  nonisolated public init(
    _ key: LocalizedStringKey, tableName: String? = nil, bundle: Bundle? = nil, comment: StaticString? = nil
  ) {
    self.init(verbatim: key.string)
  }

  /// Shows a text as it is.
  @_disfavoredOverload nonisolated public init(_ content: some StringProtocol) {
    self.init(verbatim: String(content))
  }

  /// Shows a text as it is.
  nonisolated public init(verbatim content: String) {
    self.content = StyledText([StyledText.Run(content)])
  }

  /// Shows the characters of an attributed text, without its attributes.
  nonisolated public init(_ attributed: AttributedString) {
    self.init(verbatim: String(attributed.characters))
  }

  /// Shows a value as a format style writes it.
  nonisolated public init<Format: FormatStyle>(_ input: Format.FormatInput, format: Format)
  where Format.FormatInput: Equatable, Format.FormatOutput == String {
    self.init(verbatim: format.format(input))
  }

  /// Shows a date.
  nonisolated public init(_ date: Date, style: DateStyle) {
    self.init(verbatim: style.format(date))
  }

  /// How a date is written out.
  public struct DateStyle: Hashable, Sendable {
    private let isTime: Bool

    /// The day.
    public static let date = DateStyle(isTime: false)
    /// The time of day.
    public static let time = DateStyle(isTime: true)

    func format(_ date: Date) -> String {
      isTime ? date.formatted(date: .omitted, time: .shortened) : date.formatted(date: .long, time: .omitted)
    }
  }

  /// Two texts, one after the other, each with its looks.
  nonisolated public static func + (left: Text, right: Text) -> Text {
    Text(StyledText(left.content.runs + right.content.runs))
  }

  nonisolated private func styled(_ change: (inout Style) -> Void) -> Text {
    var copy = self
    for place in copy.content.runs.indices { change(&copy.content.runs[place].style) }
    return copy
  }
}

extension Text: View {
  public typealias Body = Never
}

extension Text: PrimitiveView {
  package func compose(in node: Node) -> Composition { Composition(Element(node, .text(content))) }
}

extension Text {
  /// The text in a font, where it names none yet.
  nonisolated public func font(_ font: Font?) -> Text { styled { $0.font = $0.font ?? font } }
  /// The text in a weight, where it names none yet.
  nonisolated public func fontWeight(_ weight: Font.Weight?) -> Text { styled { $0.weight = $0.weight ?? weight } }
  /// The text in bold.
  nonisolated public func bold() -> Text { fontWeight(.bold) }
  /// The text in bold, or as it is.
  nonisolated public func bold(_ isActive: Bool) -> Text { isActive ? bold() : self }
  /// The text slanted.
  nonisolated public func italic() -> Text { styled { $0.isItalic = true } }
  /// The text slanted, or as it is.
  nonisolated public func italic(_ isActive: Bool) -> Text { isActive ? italic() : self }
  /// The text underlined, or not. The colour has no effect.
  nonisolated public func underline(_ isActive: Bool = true, color: Color? = nil) -> Text {
    styled { $0.isUnderlined = isActive }
  }
  /// The text struck through, or not. The colour has no effect.
  nonisolated public func strikethrough(_ isActive: Bool = true, color: Color? = nil) -> Text {
    styled { $0.isStruckThrough = isActive }
  }
  /// The text in a colour, where it names none yet.
  nonisolated public func foregroundStyle(_ style: some ShapeStyle) -> Text {
    let color = style.hostColor
    return styled { $0.foreground = $0.foreground ?? color }
  }
  /// The text in a colour, where it names none yet.
  nonisolated public func foregroundColor(_ color: Color?) -> Text { styled { $0.foreground = $0.foreground ?? color } }
  /// Accepted and without effect: in a terminal all characters are equally wide.
  nonisolated public func monospacedDigit() -> Text { self }
}
