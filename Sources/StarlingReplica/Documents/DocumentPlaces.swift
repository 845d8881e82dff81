public import StarlingCore

/// The ways to the slots of a document as it stood at one moment (`JSONDocument.places()`).
public struct DocumentPlaces: Sendable {
  private let tree: DocumentTree
  private let index: PlaceIndex

  init(_ tree: DocumentTree) {
    self.tree = tree
    index = PlaceIndex(tree)
  }

  /// The way to a slot that a change touched: of an element or a character that is gone, the way to its list or text;
  /// nil where nothing led there at that moment.
  ///
  /// - Complexity: O(depth), and O(log *n*) for each list on the way
  public func path(to slot: TouchedSlot) -> DocumentPath? {
    index.path(of: slot.key, in: slot.object, tree) ?? index.path(of: slot.object, tree)
  }
}
