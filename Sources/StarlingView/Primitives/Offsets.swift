public import Foundation

extension RangeReplaceableCollection where Self: MutableCollection {
  /// Removes the elements at the offsets, as `onDelete(perform:)` names them.
  ///
  /// - Parameter offsets: Distances from the first element; each is below `count`.
  /// - Complexity: O(*n*)
  public mutating func remove(atOffsets offsets: IndexSet) {
    var offset = 0
    removeAll { _ in
      defer { offset += 1 }
      return offsets.contains(offset)
    }
  }

  /// Moves the elements at the offsets, in their order, to before the element that is at `destination` now, as
  /// `onMove(perform:)` names them.
  ///
  /// - Parameters:
  ///   - source: Distances from the first element; each is below `count`.
  ///   - destination: The same; `count` for the end.
  /// - Complexity: O(*n*)
  public mutating func move(fromOffsets source: IndexSet, toOffset destination: Int) {
    var moved: [Element] = []
    var before: [Element] = []
    var after: [Element] = []
    for (offset, element) in enumerated() {
      if source.contains(offset) {
        moved.append(element)
      } else if offset < destination {
        before.append(element)
      } else {
        after.append(element)
      }
    }
    replaceSubrange(startIndex..<endIndex, with: before + moved + after)
  }
}
