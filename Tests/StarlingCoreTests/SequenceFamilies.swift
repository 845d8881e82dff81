import StarlingCore

// The sorts of small worlds in which lists and texts are edited.

extension Family {
  static let listsOfValues = Family(
    name: "list of values", length: 3,
    edits: [
      insert(1, at: 0), insert(2, at: .max), removeItems(0, 1), write(at: 0), remove("list"),
      both(insert(1, at: 1), removeItems(0, 1)),
    ])

  static let listsThatMove = Family(
    name: "list whose elements move", length: 4,
    edits: [insert(3, at: 0), move(0, 2), move(2, 0), removeItems(1, 1), insert(1, at: 1)])

  static let listsOfObjects = Family(
    name: "list of objects", length: 4,
    edits: [
      insert(1, at: 0, .object(.map)), write("title", below: 0), move(0, .max), removeItems(0, 1), write(at: 0),
    ])

  static let listsInLists = Family(
    name: "list in a list", length: 3,
    edits: [
      insert(2, at: 0, .object(.list)), insert(1, at: 0, in: inner), removeItems(0, 1, in: inner), removeItems(0, 1),
      move(0, 1), remove("list"), writeDerived(below: 0),
    ])

  static let texts = Family(
    name: "text", length: 4,
    edits: [
      type("ab", at: 0), type("é", at: 1), removeItems(0, 1, in: blurb), removeItems(1, 2, in: blurb), remove("blurb"),
    ])

  static let marks = Family(
    name: "text with marks", length: 3,
    edits: [
      type("abc", at: 0), type("d", at: 2), mark(0, 2, "bold", .bool(true)), mark(1, 3, "bold", .null),
      mark(1, 2, "bold", .bool(false), left: true), removeItems(1, 1, in: blurb), remove("blurb"),
    ])

  static let list: [Step] = [.derived("list", .list)]
  static let inner: [Step] = [.derived("list", .list), .element(0)]
  static let blurb: [Step] = [.derived("blurb", .text)]

  // MARK: Deeds

  private static func edit(
    _ name: String, in path: [Step],
    _ perform: @escaping @Sendable (inout Document, inout Patch, ObjectID, _ count: Int, _ place: Int) -> Void
  ) -> WorldEdit {
    WorldEdit(name: "\(name) in \(path)") { document, patch, place in
      guard let object = find(path, in: &document) else { return }
      perform(&document, &patch, object, document.count(in: object), place)
    }
  }

  /// Inserts values that nobody else puts there, or `value`.
  static func insert(_ count: Int, at index: Int, _ value: Value? = nil, in path: [Step] = list) -> WorldEdit {
    edit("insert \(count) at \(index)", in: path) { document, patch, list, size, place in
      let values = (0..<count).map { value ?? .integer(Int64(10 * place + $0)) }
      document.insert(values, at: min(index, size), in: list, patch: &patch)
    }
  }

  static func type(_ text: String, at index: Int, in path: [Step] = blurb) -> WorldEdit {
    edit("type \(text) at \(index)", in: path) { document, patch, object, size, _ in
      document.insert(text, at: min(index, size), in: object, patch: &patch)
    }
  }

  static func removeItems(_ index: Int, _ count: Int, in path: [Step] = list) -> WorldEdit {
    edit("remove \(count) at \(index)", in: path) { document, patch, object, size, _ in
      let start = min(index, size)
      document.removeItems(start..<min(start + count, size), in: object, patch: &patch)
    }
  }

  static func move(_ from: Int, _ to: Int, in path: [Step] = list) -> WorldEdit {
    edit("move \(from) to \(to)", in: path) { document, patch, list, size, _ in
      guard from < size else { return }
      document.move(from: from, to: min(to, size - 1), in: list, patch: &patch)
    }
  }

  /// Gives the element another value.
  static func write(at index: Int, in path: [Step] = list) -> WorldEdit {
    edit("write at \(index)", in: path) { document, patch, list, _, place in
      guard let element = document.element(at: index, in: list) else { return }
      document.set(.integer(Int64(100 + place)), for: .element(element), in: list, patch: &patch)
    }
  }

  /// Writes into the object that stands at the index.
  static func write(_ key: Key, below index: Int) -> WorldEdit {
    edit("write \(key) beneath \(index)", in: list + [.element(index)]) { document, patch, object, _, place in
      document.set(.integer(Int64(place)), for: key, in: object, patch: &patch)
    }
  }

  /// Writes into an object that is derived from the element at the index.
  static func writeDerived(below index: Int) -> WorldEdit {
    edit("write beneath what is derived from \(index)", in: list) { document, patch, list, _, place in
      guard let element = document.element(at: index, in: list) else { return }
      let object = document.declare(.dictionary, for: .element(element), in: list)
      document.set(.integer(Int64(place)), for: "k", in: object, patch: &patch)
    }
  }

  static func mark(_ from: Int, _ to: Int, _ name: Key, _ value: Value, left: Bool = false) -> WorldEdit {
    edit("mark \(from)..<\(to) \(name) \(value)", in: blurb) { document, patch, text, size, _ in
      guard from < min(to, size) else { return }
      document.mark(from..<min(to, size), name, value: value, expandsLeft: left, in: text, patch: &patch)
    }
  }
}
