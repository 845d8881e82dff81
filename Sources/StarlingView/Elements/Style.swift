/// How an element looks. Lengths are points; a terminal takes eight by sixteen for a character.
///
/// What lies further out is applied after what lies further in:
///
///     ┌ offset, scale, opacity ──────────┐
///     │ ┌ border ───────────────────────┐ │
///     │ │ ┌ background ───────────────┐ │ │
///     │ │ │ ┌ frame ───────────────┐  │ │ │
///     │ │ │ │  padding: [ content ] │  │ │ │
///     │ │ │ └──────────────────────┘  │ │ │
///
/// A modifier that comes too late for its layer wraps the element in a group of its own.
package struct Style: Equatable, Sendable {
  package var foreground: Color?
  package var tint: Color?
  package var font: Font?
  package var weight: Font.Weight?
  package var isItalic = false
  package var isUnderlined = false
  package var isStruckThrough = false
  package var lineLimit: Int?
  package var textAlignment: TextAlignment?

  package var padding = EdgeInsets()
  package var frame = Frame()
  package var background: Color?
  package var border: Border?
  package var cornerRadius = 0.0
  package var opacity = 1.0
  package var scale = UnitSize(width: 1, height: 1)
  package var offset = UnitSize(width: 0, height: 0)
  package var rotation = 0.0

  package var isDisabled = false
  /// Drawn without a border of its own: a button as its label alone.
  package var isPlain = false
  package var isHidden = false

  /// The outermost layer that has been put on.
  fileprivate(set) var layer = Layer.content

  package init() {}

  enum Layer: Int, Comparable, Sendable {
    case content, padding, frame, background, border, effect

    static func < (left: Layer, right: Layer) -> Bool { left.rawValue < right.rawValue }
  }

  /// Sizes that are asked for; nil: as its content has it.
  package struct Frame: Equatable, Sendable {
    package var minWidth: Double?
    package var width: Double?
    package var maxWidth: Double?
    package var minHeight: Double?
    package var height: Double?
    package var maxHeight: Double?
    package var alignment = Alignment.center
  }

  package struct Border: Equatable, Sendable {
    package var color: Color
    package var width: Double
  }

  package struct UnitSize: Equatable, Sendable {
    package var width: Double
    package var height: Double
  }
}

extension Element {
  /// The element with a layer put on: on itself where nothing lies further out yet, else around it.
  func styled(_ layer: Style.Layer, in node: Node, _ change: (inout Style) -> Void) -> Element {
    let isOver = layer == .content || layer > style.layer || (layer == .effect && style.layer == .effect)
    var copy = isOver ? self : Element(node, .group, [self])
    if !isOver {
      copy.tag = tag
      copy.scrollID = scrollID
      copy.tabLabel = tabLabel
    }
    change(&copy.style)
    copy.style.layer = max(copy.style.layer, layer)
    return copy
  }
}

/// Text in one or more looks.
package struct StyledText: Equatable, Sendable {
  package var runs: [Run] = []

  package struct Run: Equatable, Sendable {
    package var string: String
    package var style: Style

    package init(_ string: String, _ style: Style = Style()) {
      self.string = string
      self.style = style
    }
  }

  package init(_ runs: [Run] = []) {
    self.runs = runs
  }

  package var string: String { runs.map(\.string).joined() }
}
