// What a change rests on that may have been collected (Protocol/merge.md, "Tombstone collection").

extension Document {
  /// Adds to `lacking` the anchors and edges of the operation that were items here, by what the version says,
  /// and are no more.
  func noteItemsLacking(
    for operation: Operation, of change: Change, _ definitions: inout Definitions, in lacking: inout [Dot]
  ) {
    var dots: [Dot] = []
    let kind: Kind
    switch operation.action {
    case .insert(let content, _):
      guard case .element(let anchor) = operation.key else { return }
      dots = [anchor]
      if case .text = content { kind = .text } else { kind = .list }
    case .move(let edge, _): (dots, kind) = ([edge.item], .list)
    case .mark(let mark): (dots, kind) = ([mark.start.item, mark.end.item], .text)
    case .set, .remove, .increment, .removeRun: return
    }
    // What the change itself inserts is not here yet.
    dots.removeAll { $0 == .origin || $0.replica == change.replica && $0.counter >= change.firstCounter }
    guard !dots.isEmpty else { return }
    if let object = objects.find(operation.object) {
      // Nothing comes of a text in a list.
      guard objects[object].kind == kind else { return }
      let sequence = sequence(of: object)
      for dot in dots {
        if let sequence, let item = item(dot), sequences[sequence].tree.contains(item) { continue }
        lacking.append(dot)
      }
    } else if definitions[operation.object]?.kind == kind, mayStand(operation.object, &definitions) {
      lacking += dots
    }
  }

  /// Whether the derived object, which is not known here, stands once its definitions are followed.
  private func mayStand(_ id: ObjectID, _ definitions: inout Definitions) -> Bool {
    var id = id
    while let definition = definitions[id] {
      if let parent = objects.find(definition.parent) { return mayHaveSlot(definition.key, parent) }
      id = definition.parent
    }
    return false
  }
}
