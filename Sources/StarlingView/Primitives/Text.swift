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

  @_disfavoredOverload nonisolated public init(_ content: some StringProtocol) {
    self.init(verbatim: String(content))
  }

  nonisolated public init(verbatim content: String) {
    self.content = StyledText([StyledText.Run(content)])
  }

  nonisolated public init(_ attributed: AttributedString) {
    self.init(verbatim: String(attributed.characters))
  }

  nonisolated public init<Format: FormatStyle>(_ input: Format.FormatInput, format: Format)
  where Format.FormatInput: Equatable, Format.FormatOutput == String {
    self.init(verbatim: format.format(input))
  }

  nonisolated public init(_ date: Date, style: DateStyle) {
    self.init(verbatim: style.format(date))
  }

  /// How a date is written out.
  public struct DateStyle: Hashable, Sendable {
    private let isTime: Bool

    public static let date = DateStyle(isTime: false)
    public static let time = DateStyle(isTime: true)

    func format(_ date: Date) -> String {
      isTime ? date.formatted(date: .omitted, time: .shortened) : date.formatted(date: .long, time: .omitted)
    }
  }

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
  nonisolated public func font(_ font: Font?) -> Text { styled { $0.font = $0.font ?? font } }
  nonisolated public func fontWeight(_ weight: Font.Weight?) -> Text { styled { $0.weight = $0.weight ?? weight } }
  nonisolated public func bold() -> Text { fontWeight(.bold) }
  nonisolated public func bold(_ isActive: Bool) -> Text { isActive ? bold() : self }
  nonisolated public func italic() -> Text { styled { $0.isItalic = true } }
  nonisolated public func italic(_ isActive: Bool) -> Text { isActive ? italic() : self }
  nonisolated public func underline(_ isActive: Bool = true, color: Color? = nil) -> Text {
    styled { $0.isUnderlined = isActive }
  }
  nonisolated public func strikethrough(_ isActive: Bool = true, color: Color? = nil) -> Text {
    styled { $0.isStruckThrough = isActive }
  }
  nonisolated public func foregroundStyle(_ style: some ShapeStyle) -> Text {
    let color = style.hostColor
    return styled { $0.foreground = $0.foreground ?? color }
  }
  nonisolated public func foregroundColor(_ color: Color?) -> Text { styled { $0.foreground = $0.foreground ?? color } }
  nonisolated public func monospacedDigit() -> Text { self }
}
