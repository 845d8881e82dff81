/// Something to be laid out in cells and drawn, with all that stands inside it: a value.
///
/// ```
///   Block                        Layout                      Placement                    Picture
///   what there is   ── size ──►  how large each would be ──► where each stands  ── draw ► cells, and what is where
/// ```
package struct Block: Sendable {
  package indirect enum Kind: Sendable {
    case text(Paragraph)
    /// Children side by side, or one below the other.
    case stack(BlockAxis, spacing: Int, alignment: BlockAlignment)
    /// Children over each other, the first at the back.
    case overlay(BlockAlignment, BlockAlignment)
    /// Takes what a stack has left.
    case spacer(minLength: Int)
    /// A line across the stack that it stands in.
    case divider(CellStyle)
    /// Space around its child.
    case padding(BlockInsets)
    /// Its child in a size that is asked for.
    case frame(BlockFrame)
    /// A colour behind its child.
    case background(CellColor)
    /// A box around its child.
    case box(CellStyle)
    /// Space for its child, which is not seen.
    case invisible
    /// A window on its child.
    case scroll(BlockID, BlockAxes, BlockFit)
    /// A surface that takes all the space there is.
    case surface(CellStyle)
    /// A bar that is full in part.
    case gauge(fraction: Double, CellStyle)
    /// A line that is edited.
    case field(BlockField)
    /// Children where an arrangement has them.
    case arranged(any BlockArrangement)
  }

  package var kind: Kind
  package var children: [Block]
  /// What answers here when somebody points at it, or has the focus.
  package var target: BlockID?

  package init(_ kind: Kind, _ children: [Block] = [], target: BlockID? = nil) {
    self.kind = kind
    self.children = children
    self.target = target
  }

  package static func text(_ text: String, _ style: CellStyle = .plain, lineCountMax: Int? = nil) -> Block {
    Block(.text(Paragraph(text, style, lineCountMax: lineCountMax)))
  }

  package static func column(_ children: [Block], spacing: Int = 0, alignment: BlockAlignment = .leading) -> Block {
    Block(.stack(.vertical, spacing: spacing, alignment: alignment), children)
  }

  package static func row(_ children: [Block], spacing: Int = 1, alignment: BlockAlignment = .leading) -> Block {
    Block(.stack(.horizontal, spacing: spacing, alignment: alignment), children)
  }
}

/// Tells blocks apart that somebody can point at, or scroll.
package struct BlockID: Hashable, Sendable {
  /// The thing that the block shows.
  package var thing: UInt64
  /// A part of it that is pointed at by itself, such as one of several tabs.
  package var part: Int?

  package init(thing: UInt64, part: Int? = nil) {
    self.thing = thing
    self.part = part
  }
}

package enum BlockAxis: Hashable, Sendable {
  case horizontal, vertical

  var other: BlockAxis { self == .horizontal ? .vertical : .horizontal }
}

package struct BlockAxes: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static let horizontal = BlockAxes(rawValue: 1)
  package static let vertical = BlockAxes(rawValue: 2)
}

/// How large a window is on what it scrolls, where there is space.
package enum BlockFit: Hashable, Sendable {
  /// As its content.
  case content
  /// As wide as it may be, and as high as its content.
  case width
  /// As large as it may be. Windows inside it shrink before it scrolls.
  case space
}

/// Where something stands in a space that is larger: leading is left or at the top.
package enum BlockAlignment: Hashable, Sendable {
  case leading, center, trailing

  package func offset(of length: Int, in space: Int) -> Int {
    switch self {
    case .leading: 0
    case .center: (space - length) / 2
    case .trailing: space - length
    }
  }
}

/// Space around something, in cells.
package struct BlockInsets: Hashable, Sendable {
  package var top, leading, bottom, trailing: Int

  package init(top: Int = 0, leading: Int = 0, bottom: Int = 0, trailing: Int = 0) {
    (self.top, self.leading, self.bottom, self.trailing) = (top, leading, bottom, trailing)
  }
}

/// Lengths that are asked for; nil: as the content has it. A greatest length takes what there is, up to itself.
package struct BlockFrame: Hashable, Sendable {
  package struct Length: Hashable, Sendable {
    package var least: Int?
    package var exact: Int?
    package var greatest: Int?

    package init(least: Int? = nil, exact: Int? = nil, greatest: Int? = nil) {
      (self.least, self.exact, self.greatest) = (least, exact, greatest)
    }
  }

  package var columns: Length
  package var rows: Length
  package var columnAlignment: BlockAlignment
  package var rowAlignment: BlockAlignment

  package init(
    columns: Length = Length(), rows: Length = Length(), columnAlignment: BlockAlignment = .center,
    rowAlignment: BlockAlignment = .center
  ) {
    self.columns = columns
    self.rows = rows
    self.columnAlignment = columnAlignment
    self.rowAlignment = rowAlignment
  }
}

/// A line that is edited, as it is shown.
package struct BlockField: Hashable, Sendable {
  package var editor: LineEditor
  /// What stands there while there is no text.
  package var prompt: String
  package var isSecret: Bool
  package var isMultiline: Bool
  /// Whether it is being typed into.
  package var showsCursor: Bool
  package var style: CellStyle

  package init(
    _ editor: LineEditor, prompt: String = "", isSecret: Bool = false, isMultiline: Bool = false, showsCursor: Bool,
    _ style: CellStyle
  ) {
    self.editor = editor
    self.prompt = prompt
    self.isSecret = isSecret
    self.isMultiline = isMultiline
    self.showsCursor = showsCursor
    self.style = style
  }
}
