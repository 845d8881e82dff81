/// How many cells there are for something; nil: as many as it likes.
package struct Proposal: Hashable, Sendable {
  package var columns: Int?
  package var rows: Int?

  package init(columns: Int? = nil, rows: Int? = nil) {
    self.columns = columns
    self.rows = rows
  }

  fileprivate func along(_ axis: BlockAxis) -> Int? { axis == .horizontal ? columns : rows }

  fileprivate func setting(_ axis: BlockAxis, _ length: Int?) -> Proposal {
    axis == .horizontal ? Proposal(columns: length, rows: rows) : Proposal(columns: columns, rows: length)
  }
}

extension CellSize {
  func along(_ axis: BlockAxis) -> Int { axis == .horizontal ? columns : rows }

  fileprivate init(_ axis: BlockAxis, along: Int, across: Int) {
    self = axis == .horizontal ? CellSize(columns: along, rows: across) : CellSize(columns: across, rows: along)
  }
}

/// Decides how large blocks are and where they stand.
///
/// ```
///        space for 40 × 10                        size 12 × 3
///   parent ────────────► child            parent ◄──────────── child         the child decides; the parent places it
/// ```
///
/// A size is worked out once for each space that was proposed, so that stacks within stacks cost no more than they
/// hold.
package struct Layout {
  private struct Node {
    let block: Block
    let children: [Int]
    var sizes: [(proposal: Proposal, size: CellSize)] = []
  }

  private var nodes: [Node] = []

  /// More than any screen has, and small enough to be added up.
  private static let endless = 1 << 20
  /// A window that scrolls keeps so many rows, if it has them.
  private static let windowRowsMin = 3
  private static let fieldColumns = (min: 3, ideal: 20)
  /// A field of several lines grows so far.
  private static let fieldRowsMax = 10

  package init(_ root: Block) {
    add(root)
  }

  @discardableResult private mutating func add(_ block: Block) -> Int {
    let index = nodes.count
    nodes.append(Node(block: Block(block.kind, [], target: block.target), children: []))
    let children = block.children.map { add($0) }
    nodes[index] = Node(block: nodes[index].block, children: children)
    return index
  }

  /// How large the whole is in such a space.
  package mutating func size(for proposal: Proposal) -> CellSize { size(0, proposal) }

  /// Places everything.
  ///
  /// - Complexity: O(blocks × nested stacks)
  package mutating func place(for proposal: Proposal) -> Placement { place(0, proposal, at: .zero) }

  // MARK: Sizes

  private mutating func size(_ index: Int, _ proposal: Proposal) -> CellSize {
    if let known = nodes[index].sizes.first(where: { $0.proposal == proposal }) { return known.size }
    let size = measure(index, proposal)
    nodes[index].sizes.append((proposal, size))
    return size
  }

  private mutating func measure(_ index: Int, _ proposal: Proposal) -> CellSize {
    let children = nodes[index].children
    switch nodes[index].block.kind {
    case .text(let paragraph):
      let lines = paragraph.lines(in: proposal.columns)
      let columns = lines.map { $0.reduce(0) { $0 + $1.glyph.columns } }.max() ?? 0
      return CellSize(columns: min(columns, max(1, proposal.columns ?? columns)), rows: lines.count)
    case .stack(let axis, let spacing, _):
      let sizes = shares(ofStack: index, proposal).map(\.size)
      return CellSize(
        axis, along: sizes.map { $0.along(axis) }.reduce(0, +) + spacing * max(0, children.count - 1),
        across: sizes.map { $0.along(axis.other) }.max() ?? 0)
    case .overlay:
      let sizes = children.map { size($0, proposal) }
      return CellSize(columns: sizes.map(\.columns).max() ?? 0, rows: sizes.map(\.rows).max() ?? 0)
    case .spacer(let minLength):
      return CellSize(columns: max(minLength, proposal.columns ?? 0), rows: max(minLength, proposal.rows ?? 0))
    case .arranged(let arrangement): return arrange(index, arrangement, proposal).size
    case .divider: return CellSize(columns: max(1, proposal.columns ?? 1), rows: 1)
    case .surface: return CellSize(columns: proposal.columns ?? 1, rows: proposal.rows ?? 1)
    case .gauge: return CellSize(columns: min(max(proposal.columns ?? 20, 4), 20), rows: 1)
    case .field(let field):
      return CellSize(
        columns: max(Self.fieldColumns.min, proposal.columns ?? Self.fieldColumns.ideal),
        rows: field.isMultiline ? min(field.editor.lineCount, Self.fieldRowsMax) : 1)
    case .scroll(_, let axes, let fit): return size(ofWindow: index, axes, fit, proposal)
    case .padding, .frame, .background, .box, .invisible:
      let inner = contentProposal(index, proposal)
      let content = children.first.map { size($0, inner) } ?? .zero
      return outerSize(index, content, proposal)
    }
  }

  /// Space along the axis goes to the children in turn, those that bend least first, an equal share of what is left to
  /// each.
  private mutating func shares(ofStack index: Int, _ proposal: Proposal) -> [(proposal: Proposal, size: CellSize)] {
    guard case .stack(let axis, let spacing, _) = nodes[index].block.kind else { return [] }
    let children = nodes[index].children
    guard let space = proposal.along(axis) else {
      return children.map { (proposal, size(inStack: $0, axis, proposal)) }
    }
    let flexibility = children.map { child in
      let most = size(inStack: child, axis, proposal.setting(axis, Self.endless)).along(axis)
      return most - size(inStack: child, axis, proposal.setting(axis, 0)).along(axis)
    }
    var shares = Array(repeating: (proposal: proposal, size: CellSize.zero), count: children.count)
    var left = space - spacing * max(0, children.count - 1)
    let order = children.indices.sorted { (flexibility[$0], $0) < (flexibility[$1], $1) }
    for (turn, place) in order.enumerated() {
      // Space without end stays so when it is shared: else each stack would ask its children for sizes of their own.
      let length = space >= Self.endless ? Self.endless : max(0, left) / (order.count - turn)
      let share = proposal.setting(axis, length)
      shares[place] = (share, size(inStack: children[place], axis, share))
      left -= shares[place].size.along(axis)
    }
    return shares
  }

  /// Spacers and dividers know the stack's axis.
  private mutating func size(inStack index: Int, _ axis: BlockAxis, _ proposal: Proposal) -> CellSize {
    switch nodes[index].block.kind {
    case .spacer(let minLength): CellSize(axis, along: max(minLength, proposal.along(axis) ?? 0), across: 0)
    case .divider: CellSize(axis, along: 1, across: max(1, proposal.along(axis.other) ?? 1))
    default: size(index, proposal)
    }
  }

  private mutating func size(
    ofWindow index: Int, _ axes: BlockAxes, _ fit: BlockFit, _ proposal: Proposal
  ) -> CellSize {
    guard let child = nodes[index].children.first else { return .zero }
    let content = size(child, windowProposal(index, axes, fit, proposal))
    var (columns, rows) = (content.columns, content.rows)
    if axes.contains(.vertical), let space = proposal.rows, rows > space {
      rows = max(space, min(Self.windowRowsMin, rows))
      // The mark of how far it is scrolled.
      columns += 1
    }
    if let space = proposal.columns { columns = fit == .content || space >= Self.endless ? min(columns, space) : space }
    if fit == .space, let space = proposal.rows, space < Self.endless { rows = max(rows, space) }
    return CellSize(columns: columns, rows: rows)
  }

  /// What a window proposes to its content: no bound where it scrolls, and a column less where it must.
  private mutating func windowProposal(
    _ index: Int, _ axes: BlockAxes, _ fit: BlockFit, _ proposal: Proposal
  ) -> Proposal {
    let columns = axes.contains(.horizontal) ? nil : proposal.columns
    let rows = axes.contains(.vertical) && fit != .space ? nil : proposal.rows
    let whole = Proposal(columns: columns, rows: rows)
    guard axes.contains(.vertical), let space = proposal.rows, let child = nodes[index].children.first,
      size(child, whole).rows > space, let columns
    else { return whole }
    return Proposal(columns: max(1, columns - 1), rows: rows)
  }

  /// What a block proposes to the one inside it.
  private func contentProposal(_ index: Int, _ proposal: Proposal) -> Proposal {
    switch nodes[index].block.kind {
    case .padding(let insets): return proposal.less(insets)
    case .box: return proposal.less(BlockInsets(top: 1, leading: 1, bottom: 1, trailing: 1))
    case .frame(let frame):
      return Proposal(columns: frame.columns.proposal(proposal.columns), rows: frame.rows.proposal(proposal.rows))
    default: return proposal
    }
  }

  private func outerSize(_ index: Int, _ content: CellSize, _ proposal: Proposal) -> CellSize {
    switch nodes[index].block.kind {
    case .padding(let insets):
      return CellSize(
        columns: content.columns + insets.leading + insets.trailing, rows: content.rows + insets.top + insets.bottom)
    case .box: return CellSize(columns: content.columns + 2, rows: content.rows + 2)
    case .frame(let frame):
      return CellSize(
        columns: frame.columns.length(of: content.columns, in: proposal.columns),
        rows: frame.rows.length(of: content.rows, in: proposal.rows))
    default: return content
    }
  }

  private mutating func arrange(
    _ index: Int, _ arrangement: any BlockArrangement, _ proposal: Proposal
  ) -> BlockPlaces {
    let children = nodes[index].children
    return arrangement.arrange(proposal, children.count) { size(children[$0], $1) }
  }

  // MARK: Places

  private mutating func place(_ index: Int, _ proposal: Proposal, at origin: CellPoint) -> Placement {
    let node = nodes[index]
    let size = size(index, proposal)
    var placement = Placement(
      kind: node.block.kind, target: node.block.target, rect: CellRect(origin: origin, size: size))
    switch node.block.kind {
    case .stack(let axis, let spacing, let alignment):
      var along = 0
      for (child, share) in zip(node.children, shares(ofStack: index, proposal)) {
        let across = alignment.offset(of: share.size.along(axis.other), in: size.along(axis.other))
        let origin =
          axis == .horizontal ? CellPoint(column: along, row: across) : CellPoint(column: across, row: along)
        switch nodes[child].block.kind {
        case .spacer, .divider:
          // Their sizes are the stack's business.
          placement.children.append(
            Placement(kind: nodes[child].block.kind, target: nil, rect: CellRect(origin: origin, size: share.size)))
        default: placement.children.append(place(child, share.proposal, at: origin))
        }
        along += share.size.along(axis) + spacing
      }
    case .overlay(let horizontal, let vertical):
      for child in node.children {
        placement.children.append(place(child, proposal, in: size, horizontal, vertical))
      }
    case .scroll(_, let axes, let fit):
      if let child = node.children.first {
        placement.children = [place(child, windowProposal(index, axes, fit, proposal), at: .zero)]
      }
    case .padding, .frame, .background, .box, .invisible:
      guard let child = node.children.first else { break }
      let inner = contentProposal(index, proposal)
      switch node.block.kind {
      case .padding(let insets):
        placement.children = [place(child, inner, at: CellPoint(column: insets.leading, row: insets.top))]
      case .box: placement.children = [place(child, inner, at: CellPoint(column: 1, row: 1))]
      case .frame(let frame):
        placement.children = [place(child, inner, in: size, frame.columnAlignment, frame.rowAlignment)]
      default: placement.children = [place(child, inner, at: .zero)]
      }
    case .arranged(let arrangement):
      let places = arrange(index, arrangement, proposal)
      for (place, child) in node.children.enumerated() {
        guard let place = places.children[place] else { continue }
        placement.children.append(self.place(child, place.proposal, at: place.origin))
      }
    case .text, .spacer, .divider, .surface, .gauge, .field: break
    }
    return placement
  }

  private mutating func place(
    _ child: Int, _ proposal: Proposal, in space: CellSize, _ horizontal: BlockAlignment, _ vertical: BlockAlignment
  ) -> Placement {
    let size = size(child, proposal)
    let origin = CellPoint(
      column: horizontal.offset(of: size.columns, in: space.columns),
      row: vertical.offset(of: size.rows, in: space.rows))
    return place(child, proposal, at: origin)
  }
}

extension Proposal {
  fileprivate func less(_ insets: BlockInsets) -> Proposal {
    Proposal(
      columns: columns.map { max(0, $0 - insets.leading - insets.trailing) },
      rows: rows.map { max(0, $0 - insets.top - insets.bottom) })
  }
}

extension BlockFrame.Length {
  fileprivate func proposal(_ proposed: Int?) -> Int? {
    if let exact { return exact }
    guard let proposed else { return nil }
    return min(max(proposed, least ?? 0), greatest ?? .max)
  }

  fileprivate func length(of content: Int, in proposed: Int?) -> Int {
    if let exact { return exact }
    guard let greatest, let proposed else { return min(max(content, least ?? 0), greatest ?? .max) }
    return min(max(proposed, least ?? min(content, greatest)), greatest)
  }
}
