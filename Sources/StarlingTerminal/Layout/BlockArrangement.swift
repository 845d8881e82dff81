/// Decides how large a block is and where its children stand, in place of a stack.
package protocol BlockArrangement: Sendable {
  /// - Parameters:
  ///   - proposal: How many cells there are.
  ///   - children: How many children there are.
  ///   - size: How large a child is in a space that is proposed to it.
  func arrange(_ proposal: Proposal, _ children: Int, _ size: (Int, Proposal) -> CellSize) -> BlockPlaces
}

/// Where the children of a block stand; those that have no place are not drawn.
package struct BlockPlaces {
  package var size = CellSize.zero
  package var children: [Int: (origin: CellPoint, proposal: Proposal)] = [:]

  package init() {}
}
