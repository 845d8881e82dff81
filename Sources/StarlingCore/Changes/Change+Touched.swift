/// A slot that a change wrote to, and the way there.
public struct TouchedSlot: Hashable, Sendable {
  public var object: ObjectID
  public var key: Key
  /// The keys that lead to the slot, its own last: from the root, or from the assigned object below which it is.
  public var path: [Key]

  public init(object: ObjectID, key: Key, path: [Key]) {
    self.object = object
    self.key = key
    self.path = path
  }
}

extension Change {
  /// The slots that the operations write to, each once, in the order of the first operation of each.
  ///
  /// - Complexity: O(operations · depth of the objects)
  public var touched: [TouchedSlot] {
    var definitions = Definitions(objects)
    var paths: [ObjectID: [Key]] = [:]
    var seen: Set<SlotName> = []
    var slots: [TouchedSlot] = []
    for operation in operations {
      guard seen.insert(SlotName(object: operation.object, key: operation.key)).inserted else { continue }
      let path = paths[operation.object] ?? path(to: operation.object, &definitions)
      paths[operation.object] = path
      slots.append(TouchedSlot(object: operation.object, key: operation.key, path: path + [operation.key]))
    }
    return slots
  }

  private func path(to object: ObjectID, _ definitions: inout Definitions) -> [Key] {
    var path: [Key] = []
    var object = object
    // Each definition names a parent that was there before it, so that no chain is longer than their number.
    while path.count < objects.count, let definition = definitions[object] {
      path.append(definition.key)
      object = definition.parent
    }
    return path.reversed()
  }
}

private struct SlotName: Hashable {
  var object: ObjectID
  var key: Key
}
