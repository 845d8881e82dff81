import StarlingCore

// The sorts of small worlds in which objects move between parents.

extension Family {
  static let objectsThatMove = Family(
    name: "objects that move out of each other, and go", length: 3,
    edits: [
      place(1, "in", in: 0), place(1, "x"), place(0, "y"), append(1), removeObject(0), removeObject(1), remove("b"),
    ],
    beginning: beginning, movesObjects: true)

  static let objectsThatCircle = Family(
    name: "objects that move into each other", length: 4,
    edits: [place(0, "in", in: 1), place(1, "in", in: 2), place(2, "in", in: 0)],
    beginning: beginning, movesObjects: true)

  /// The dots under which the objects begin.
  private static let objects = (1...3).map { ObjectID.assigned(by: Dot(Group.replica(3), UInt64($0))) }

  private static let beginning = WorldEdit(name: "begin") { document, patch, _ in
    for key in ["a", "b", "c"] as [Key] { document.assignObject(.map, for: key, in: .root, patch: &patch) }
    for object in objects { document.set(.integer(1), for: "title", in: object, patch: &patch) }
  }

  private static func place(_ object: Int, _ key: Key, in holder: Int? = nil) -> WorldEdit {
    WorldEdit(name: "place \(object) under \(key) of \(holder.map { "\($0)" } ?? "the root")") { document, patch, _ in
      let holder = holder.map { objects[$0] } ?? .root
      try? document.place(objects[object], for: key, in: holder, patch: &patch)
    }
  }

  private static func append(_ object: Int) -> WorldEdit {
    WorldEdit(name: "append \(object)") { document, patch, _ in
      let list = document.declare(.list, for: "list", in: .root)
      guard document.parent(of: objects[object]) != list else { return }
      _ = try? document.place(objects[object], at: document.count(in: list), in: list, patch: &patch)
    }
  }

  private static func removeObject(_ object: Int) -> WorldEdit {
    WorldEdit(name: "remove \(object)") { document, patch, _ in document.setAside(objects[object], patch: &patch) }
  }
}
