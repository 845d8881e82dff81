// Which items of sequences an operation names, and which of its forms nobody may merge.

extension Operation {
  /// Calls `body` with each item, element or mark that the operation on a sequence names, and what it does to it.
  func forEachItemNamed(_ body: (Dot, StaticString) throws(MergeError) -> Void) throws(MergeError) {
    guard case .element(let dot) = key else {
      if case .mark(let mark) = action {
        try body(mark.start.item, "marks from")
        try body(mark.end.item, "marks to")
        for dot in mark.replacing { try body(dot, "replaces") }
      }
      return
    }
    switch action {
    case .insert:
      try body(dot, "inserts beside")
    case .removeRun(let count):
      try body(Dot(dot.replica, dot.counter + (count - 1)), "removes")
    case .move(let edge, let replacing):
      try body(dot, "moves")
      try body(edge.item, "moves beside")
      for dot in replacing { try body(dot, "replaces") }
    case .set, .remove, .increment, .mark:
      break
    }
  }

  /// Refuses what contradicts itself, whatever is merged already (Protocol/merge.md, "Lists and texts").
  ///
  /// - Parameter name: The first dot of the operation.
  func checkItems(_ name: Dot) throws(MergeError) {
    func check(_ holds: Bool, _ message: @autoclosure () -> String) throws(MergeError) {
      guard !holds else { return }
      throw MergeError(.malformedChange, message(), where: .operation(name))
    }
    var element: Dot?
    if case .element(let dot) = key { element = dot }
    switch action {
    case .set, .increment:
      break
    case .remove:
      try check(element == nil, "An element is removed from its list, not from its slot.")
    case .insert(let content, let side):
      guard let element else { return try check(false, "An insertion names no anchor.") }
      try check(content.count > 0, "An insertion of nothing.")
      try check(Edge(side, of: element).isAnchor, "\(element) is nothing that one can insert beside.")
    case .removeRun(let count):
      guard let element else { return try check(false, "A removal of items names none.") }
      try check(element.isOperation && count > 0, "A removal of \(count) items from \(element) on.")
      try check(count <= (1 << 63) - element.counter, "The removed items leave the range of counters.")
    case .move(let edge, _):
      guard let element else { return try check(false, "A move names no element.") }
      try check(element.isOperation, "\(element) is no element.")
      try check(edge.isAnchor, "\(edge.item) is nothing that one can move something beside.")
    case .mark(let mark):
      try check(element == nil, "A mark is named by an item.")
      try check(mark.start.isEdge && mark.end.isEdge, "A mark ends at what is no item.")
    }
  }
}

extension Dot {
  /// Whether an operation can have this name.
  var isOperation: Bool { counter >= 1 && counter < 1 << 63 }
}

extension Edge {
  /// Whether a mark may end here: at an item or an end of the text.
  var isEdge: Bool { item == .origin || item.isOperation }

  /// Whether something can be inserted here: nothing stands before the beginning.
  var isAnchor: Bool { item == .origin ? side == .right : item.isOperation }
}
