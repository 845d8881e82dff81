import Foundation
import StarlingCore

// The sorts of small worlds: for each kind of container the deeds that can get in each other's way.

extension Family {
  /// Four operations where that takes seconds, three where it takes minutes; `STARLING_WORLD_LENGTH`
  /// makes the longest worlds of every family at least that long.
  static let all = [
    registers, conflictsOfEqualValues, counters, counterAndRegister, sets, dictionaries, dictionariesOfModels,
    assignedObjects, assignedInDerived, derivedInAssigned, kindsUnderOneKey, nestedCounters, transactions,
    listsOfValues, listsThatMove, listsOfObjects, listsInLists, texts, marks, objectsThatMove, objectsThatCircle,
  ].map { family in
    var family = family
    family.length = max(family.length, wantedLength)
    return family
  }

  private static let wantedLength =
    ProcessInfo.processInfo.environment["STARLING_WORLD_LENGTH"].flatMap(Int.init) ?? 0

  static let registers = Family(
    name: "map register", length: 4,
    edits: [put("a"), remove("a"), put("b")])

  static let conflictsOfEqualValues = Family(
    name: "map register, equal values", length: 3,
    edits: [put("a", .bool(true)), put("a", .bool(false)), remove("a")])

  static let counters = Family(
    name: "counter", length: 4,
    edits: [increment("n", 1), remove("n")])

  static let counterAndRegister = Family(
    name: "counter under a key that is also set", length: 4,
    edits: [increment("n", 1), put("n"), remove("n")])

  static let sets = Family(
    name: "set", length: 4,
    edits: [put("x", .null, in: tags), remove("x", in: tags), remove("tags")])

  static let dictionaries = Family(
    name: "dictionary of values", length: 4,
    edits: [put("k", in: pages), remove("k", in: pages), remove("pages")])

  static let dictionariesOfModels = Family(
    name: "dictionary of derived models", length: 4,
    edits: [
      put("isbn", .derived(.map), in: books), put("title", in: [books, book].joined()), remove("isbn", in: books),
    ])

  static let assignedObjects = Family(
    name: "assigned object", length: 4,
    edits: [put("loan", .object(.map)), put("who", in: loan), remove("loan")])

  static let assignedInDerived = Family(
    name: "assigned object in a dictionary", length: 4,
    edits: [put("k", .object(.map), in: pages), put("who", in: pages + [.visible("k")]), remove("pages")])

  static let derivedInAssigned = Family(
    name: "counter and dictionary in an assigned object", length: 3,
    edits: [
      put("loan", .object(.map)), increment("n", 1, in: loan), put("k", in: loan + [.derived("notes", .dictionary)]),
      remove("notes", in: loan), put("loan"), remove("loan"),
    ])

  static let kindsUnderOneKey = Family(
    name: "containers of two kinds under one key", length: 3,
    edits: [
      put("x", in: [.derived("c", .map)]), put("x", in: [.derived("c", .set)]), put("c", .derived(.map)), put("c"),
      increment("c", 1), remove("c"),
    ])

  static let nestedCounters = Family(
    name: "counter two derived objects down", length: 4,
    edits: [increment("n", 2, in: [books, book].joined()), remove("isbn", in: books), remove("books")])

  static let transactions = Family(
    name: "several operations in one change", length: 3,
    edits: [
      both(put("k", in: pages), put("a")), both(remove("pages"), put("k", in: pages)),
      both(put("a", .object(.map)), put("who", in: [.visible("a")])), both(increment("a", 5), remove("a")),
      both(remove("a"), increment("a", 7)), remove("pages"),
    ])

  // MARK: Places

  /// A step down from an object.
  enum Step: Sendable {
    case derived(Key, Kind)
    /// The object that is visible under the key, if one is.
    case visible(Key)
    /// The object that is visible at the index of a list, if one is.
    case element(Int)
  }

  static let tags: [Step] = [.derived("tags", .set)]
  static let pages: [Step] = [.derived("pages", .dictionary)]
  static let books: [Step] = [.derived("books", .dictionary)]
  static let book: [Step] = [.derived("isbn", .map)]
  static let loan: [Step] = [.visible("loan")]

  static func find(_ path: [Step], in document: inout Document) -> ObjectID? {
    var object = ObjectID.root
    for step in path {
      switch step {
      case .derived(let key, let kind):
        object = document.declare(kind, for: key, in: object)
      case .visible(let key):
        guard case .value(.object, let dot) = document.visible(key, in: object) else { return nil }
        object = .assigned(by: dot)
      case .element(let index):
        guard let element = document.element(at: index, in: object),
          case .value(.object, let dot) = document.visible(.element(element), in: object)
        else { return nil }
        object = .assigned(by: dot)
      }
    }
    return object
  }

  // MARK: Deeds

  /// Puts `value`, or one that nobody else puts.
  static func put(_ key: Key, _ value: Value? = nil, in path: [Step] = []) -> WorldEdit {
    WorldEdit(name: "put \(value.map { "\($0)" } ?? "") at \(path) \(key)") { document, patch, place in
      guard let object = find(path, in: &document) else { return }
      document.set(value ?? .integer(Int64(place)), for: key, in: object, patch: &patch)
    }
  }

  static func remove(_ key: Key, in path: [Step] = []) -> WorldEdit {
    WorldEdit(name: "remove \(path) \(key)") { document, patch, _ in
      guard let object = find(path, in: &document) else { return }
      document.remove(key, in: object, patch: &patch)
    }
  }

  static func increment(_ key: Key, _ amount: Int64, in path: [Step] = []) -> WorldEdit {
    WorldEdit(name: "add \(amount) to \(path) \(key)") { document, patch, _ in
      guard let object = find(path, in: &document) else { return }
      document.increment(key, in: object, by: amount, patch: &patch)
    }
  }

  static func both(_ first: WorldEdit, _ second: WorldEdit) -> WorldEdit {
    WorldEdit(name: "\(first.name), then \(second.name)") { document, patch, place in
      first.perform(&document, &patch, place)
      second.perform(&document, &patch, place)
    }
  }
}

extension [[Family.Step]] {
  fileprivate func joined() -> [Family.Step] { flatMap { $0 } }
}
