import StarlingCore

// Acts on objects that move between parents.

extension World.Act {
  /// - Returns: What it did, for people.
  func move(in document: inout Document, patch: inout Patch) -> String {
    let objects = document.assignedObjects
    switch verb {
    case .newObject:
      let (holder, name) = holder(among: objects, in: &document)
      let id: ObjectID
      if place % 3 == 0 {
        let list = document.declare(.list, for: "l", in: holder)
        let index = a % (document.count(in: list) + 1)
        guard let element = document.insert([.object(.map)], at: index, in: list, patch: &patch) else { return "" }
        id = .assigned(by: element)
      } else {
        id = document.assignObject(.map, for: key, in: holder, patch: &patch)
      }
      document.set(.integer(Int64(b)), for: "x", in: id, patch: &patch)
      return "begins \(id.name) in \(name)"
    case .place, .setAside:
      guard !objects.isEmpty else { return "" }
      let object = objects[a % objects.count]
      let (holder, name) = holder(among: objects, in: &document)
      var story = ""
      if verb == .setAside {
        document.setAside(object, patch: &patch)
        story = "sets \(object.name) aside; "
        if b % 4 == 0 { return story }
      }
      do {
        if place % 3 == 0 {
          let list = document.declare(.list, for: "l", in: holder)
          let isHere = document.place(of: object)?.holder == list
          let index = b % (document.count(in: list) + (isHere ? 0 : 1))
          try document.place(object, at: index, in: list, patch: &patch)
          return story + "places \(object.name) at \(index) of the list of \(name)"
        }
        try document.place(object, for: key, in: holder, patch: &patch)
        return story + "places \(object.name) under \(key) of \(name)"
      } catch {
        return story + "may not place \(object.name) in \(name): \(error.code)"
      }
    case .removeObject:
      guard !objects.isEmpty, let place = document.place(of: objects[a % objects.count]) else { return "" }
      if case .element(let dot) = place.key, let index = document.index(of: dot, in: place.holder) {
        document.removeItems(index..<index + 1, in: place.holder, patch: &patch)
      } else {
        document.remove(place.key, in: place.holder, patch: &patch)
      }
      return "removes \(objects[a % objects.count].name)"
    case .editObject:
      guard !objects.isEmpty else { return "" }
      let object = objects[a % objects.count]
      document.set(.integer(Int64(b)), for: b & 1 == 0 ? "x" : "v", in: object, patch: &patch)
      return "writes \(b) in \(object.name)"
    default: return ""
    }
  }

  private var key: Key { place & 1 == 0 ? "v" : "w" }

  /// The root, what is derived in it, or one of the objects.
  private func holder(among objects: [ObjectID], in document: inout Document) -> (ObjectID, String) {
    switch b % (3 + 2 * objects.count) {
    case 0: return (.root, "the root")
    case 1: return (document.declare(.map, for: "m", in: .root), "m")
    case 2: return (document.declare(.dictionary, for: "n", in: .root), "n")
    case let number:
      let object = objects[(number - 3) % objects.count]
      return (object, object.name)
    }
  }
}

extension ObjectID {
  fileprivate var name: String { dot.map { "\($0)" } ?? "\(self)" }
}

extension Document {
  /// The assigned objects that a reader finds from the root down, ascending.
  var assignedObjects: [ObjectID] {
    var found: Set<ObjectID> = []
    var pending: [ObjectID] = [.root]
    var seen: Set<ObjectID> = []
    while let object = pending.popLast() {
      guard seen.insert(object).inserted else { continue }
      let elements = elements(in: object).map { Key.element($0) }
      for key in keys(in: object) + elements {
        if case .value(.object, let dot) = visible(key, in: object) {
          found.insert(.assigned(by: dot))
          pending.append(.assigned(by: dot))
        }
        for kind in [Kind.map, .dictionary, .list] {
          let child = ObjectID.derived(parent: object, key: key, kind: kind)
          if isLive(child) { pending.append(child) }
        }
      }
    }
    return found.sorted()
  }
}
