package import StarlingCore

// Going through all of a document, for what stands in many places.

extension DocumentTree {
  package func conflicts(below path: DocumentPath) throws(JSONDocumentError) -> [JSONConflict] {
    var found: [JSONConflict] = []
    guard let place = try place(at: path, isNew: false) else {
      try addConflicts(in: .root, at: path, to: &found)
      return found
    }
    guard place.inner.isEmpty else { return [] }
    try addConflicts(at: place.key, in: place.container, path, to: &found)
    return found
  }

  private func addConflicts(
    in container: Container, at path: DocumentPath, to found: inout [JSONConflict]
  ) throws(JSONDocumentError) {
    switch container.kind {
    case .text, .set: return
    case .list:
      for (index, element) in document.elements(in: container.object).enumerated() {
        try addConflicts(at: .element(element), in: container, path.appending("\(index)"), to: &found)
      }
    default:
      for key in document.keys(in: container.object).sorted() {
        try addConflicts(at: key, in: container, path.appending(Self.name(of: key)), to: &found)
      }
    }
  }

  private func addConflicts(
    at key: Key, in container: Container, _ path: DocumentPath, to found: inout [JSONConflict]
  ) throws(JSONDocumentError) {
    guard path.parts.count < JSONValue.depthMax else { return }
    let sides = try sides(of: key, in: container.object)
    if !sides.isEmpty {
      let slot = DocumentTree.Slot(key: key, object: container.object)
      found.append(JSONConflict(path: path, sides: sides, slot: slot, kind: container.kind))
    }
    if let inner = self.container(under: key, in: container.object) {
      try addConflicts(in: inner, at: path, to: &found)
    }
  }
}

extension DocumentTree {
  /// The values that conflict in the slot, the visible one first; empty where none do.
  func sides(of key: Key, in object: ObjectID) throws(JSONDocumentError) -> [JSONConflict.Side] {
    let entries = document.entries(key, in: object)
    // Several writers may have said the same: that a derived object is there.
    guard entries.count > 1, entries.contains(where: { $0.value != entries[0].value || $0.value.isAssigned }) else {
      return []
    }
    var sides: [JSONConflict.Side] = []
    for entry in entries {
      let visible = Visible.value(entry.value, by: entry.dot)
      let value: JSONValue? =
        if let inner = container(visible, under: key, in: object) {
          try self.value(of: inner)
        } else {
          Self.plain(visible)
        }
      sides.append(
        JSONConflict.Side(
          value: value ?? .null, writer: entry.dot.replica, milliseconds: entry.stamp.milliseconds, dot: entry.dot))
    }
    return sides
  }
}

extension Value {
  /// Each of these entries has an object of its own.
  fileprivate var isAssigned: Bool {
    if case .object = self { true } else { false }
  }
}

extension DocumentWriter {
  /// Whether what stands at the path reads like the JSON already.
  func reads(_ json: JSONValue, at path: DocumentPath) throws(JSONDocumentError) -> Bool {
    guard !isMerging, let place = try tree.place(at: path, isNew: true), place.key != .element(.origin),
      tree.document.contains(place.key, in: place.container.object)
    else { return false }
    return try tree.value(at: path) == json
  }
}

extension DocumentTree {
  /// The document drops what it cannot write: where a write changed nothing, something stands there already, or nobody
  /// may take it for written.
  ///
  /// - Throws: `unsayable` where nothing stands at the path.
  func checkIsThere(_ json: JSONValue, at path: DocumentPath) throws(JSONDocumentError) {
    guard let place = try place(at: path, isNew: true) else { return }
    if place.container.kind == .set {
      if document.contains(place.key, in: place.container.object) == (json == .bool(true)) { return }
    } else if document.contains(place.key, in: place.container.object) {
      return
    }
    throw JSONDocumentError(.unsayable, at: path, "Nothing could be written at \(path.name), and nothing is there.")
  }
}

/// Which slot each object of a document stands in, so that the way to it can be told.
package struct PlaceIndex {
  private var slots: [ObjectID: (container: DocumentTree.Container, key: Key)] = [:]

  /// - Complexity: O(*n*)
  package init(_ tree: DocumentTree) {
    add(.root, of: tree)
  }

  func knows(_ object: ObjectID) -> Bool { object == .root || slots[object] != nil }

  private mutating func add(_ root: DocumentTree.Container, of tree: DocumentTree) {
    var waiting = [root]
    while let container = waiting.popLast() {
      switch container.kind {
      case .text, .set: continue
      default: break
      }
      for key in tree.document.keys(in: container.object) {
        guard let inner = tree.container(under: key, in: container.object), slots[inner.object] == nil else { continue }
        slots[inner.object] = (container, key)
        waiting.append(inner)
      }
    }
  }

  /// Nil where the way is not known, or an element on it does not stand in `tree`.
  package func path(of key: Key, in object: ObjectID, _ tree: DocumentTree) -> DocumentPath? {
    guard let end = part(key, in: object, tree) else { return nil }
    var parts = [end]
    var object = object
    while object != .root {
      guard let slot = slots[object], let part = part(slot.key, in: slot.container.object, tree) else { return nil }
      parts.append(part)
      object = slot.container.object
    }
    return DocumentPath(parts: parts.reversed())
  }

  /// The way to the object itself.
  package func path(of object: ObjectID, _ tree: DocumentTree) -> DocumentPath? {
    slots[object].flatMap { path(of: $0.key, in: $0.container.object, tree) }
  }

  private func part(_ key: Key, in object: ObjectID, _ tree: DocumentTree) -> String? {
    guard case .element(let dot) = key else { return DocumentTree.name(of: key) }
    return tree.document.index(of: dot, in: object).map { "\($0)" }
  }
}
