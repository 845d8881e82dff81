import StarlingCore

// What an edit does to the document that it comes to.
extension Edit {
  /// Writes within a change that is open.
  func apply(to document: inout Document, patch: inout Patch) {
    switch self {
    case .set(let holder, let key, let value):
      document.set(Self.value(value), for: Self.key(key), in: Self.holder(holder, in: &document), patch: &patch)
    case .remove(let holder, let key):
      document.remove(Self.key(key), in: Self.holder(holder, in: &document), patch: &patch)
    case .setLater(let holder, let key):
      document.set(
        .unknown(tag: 77, payload: [1, 2, 3]), for: Self.key(key), in: Self.holder(holder, in: &document), patch: &patch
      )
    case .increment(let holder, let amount):
      document.increment("count", in: Self.holder(holder, in: &document), by: Int64(amount), patch: &patch)
    case .incrementRegister(let holder, let key):
      document.increment(Self.key(key), in: Self.holder(holder, in: &document), by: 1, patch: &patch)
    case .addMember(let holder, let member):
      let tags = document.declare(.set, for: "tags", in: Self.holder(holder, in: &document))
      document.set(.bool(true), for: .integer(Int64(member % 4)), in: tags, patch: &patch)
    case .removeMember(let holder, let member):
      let tags = document.declare(.set, for: "tags", in: Self.holder(holder, in: &document))
      document.remove(.integer(Int64(member % 4)), in: tags, patch: &patch)
    case .putEntry(let holder, let key, let value):
      let person = Self.person(key, in: Self.holder(holder, in: &document), of: &document)
      document.set(Self.value(value), for: "a", in: person, patch: &patch)
    case .removeEntry(let holder, let key):
      let people = document.declare(.dictionary, for: "people", in: Self.holder(holder, in: &document))
      document.remove(Self.key(key), in: people, patch: &patch)
    case .present(let holder, let kind):
      let (key, kind) = Self.collection(kind)
      document.set(.derived(kind), for: key, in: Self.holder(holder, in: &document), patch: &patch)
    case .clear(let holder, let kind):
      document.remove(Self.collection(kind).0, in: Self.holder(holder, in: &document), patch: &patch)
    case .assign, .assignAt, .refer, .moveObject, .moveObjectIntoList, .setAside, .removeObject:
      applyToObjects(of: &document, patch: &patch)
    case .insert, .insertObject, .removeElements, .move, .setElement, .incrementElement:
      applyToList(of: &document, patch: &patch)
    case .type, .erase, .mark, .unmark: applyToText(of: &document, patch: &patch)
    case .witness(let number): Witness(number).write(to: &document, patch: &patch)
    }
  }

  // MARK: Objects

  private func applyToObjects(of document: inout Document, patch: inout Patch) {
    switch self {
    case .assign(let holder):
      let child = document.assignObject(.map, for: "child", in: Self.holder(holder, in: &document), patch: &patch)
      document.set(.integer(1), for: "a", in: child, patch: &patch)
    case .assignAt(let holder, let key):
      let people = document.declare(.dictionary, for: "people", in: Self.holder(holder, in: &document))
      let child = document.assignObject(.map, for: Self.key(key), in: people, patch: &patch)
      document.insert("o", at: 0, in: document.declare(.text, for: "body", in: child), patch: &patch)
    case .refer(let holder, let object):
      guard let object = Self.object(object, in: document) else { return }
      document.set(.reference(object), for: "ref", in: Self.holder(holder, in: &document), patch: &patch)
    case .moveObject(let object, let holder, let key):
      guard let object = Self.object(object, in: document) else { return }
      let people = document.declare(.dictionary, for: "people", in: Self.holder(holder, in: &document))
      // Into itself, or into what is gone: the models refuse it too.
      try? document.place(object, for: Self.key(key), in: people, patch: &patch)
    case .moveObjectIntoList(let object, let holder, let index):
      guard let object = Self.object(object, in: document) else { return }
      Self.place(object, at: index, holder: holder, in: &document, patch: &patch)
    case .setAside(let object, let holder):
      guard let object = Self.object(object, in: document) else { return }
      document.setAside(object, patch: &patch)
      if let holder { Self.place(object, at: 0, holder: holder, in: &document, patch: &patch) }
    case .removeObject(let object):
      guard let object = Self.object(object, in: document), let place = document.place(of: object) else { return }
      if case .element(let dot) = place.key, let index = document.index(of: dot, in: place.holder) {
        document.removeItems(index..<index + 1, in: place.holder, patch: &patch)
      } else {
        document.remove(place.key, in: place.holder, patch: &patch)
      }
    default: break
    }
  }

  private static func place(
    _ object: ObjectID, at index: Int, holder: Int, in document: inout Document, patch: inout Patch
  ) {
    let list = document.declare(.list, for: "items", in: Self.holder(holder, in: &document))
    let isHere = document.place(of: object)?.holder == list
    _ = try? document.place(object, at: index % (document.count(in: list) + (isHere ? 0 : 1)), in: list, patch: &patch)
  }

  // MARK: Lists

  private func applyToList(of document: inout Document, patch: inout Patch) {
    switch self {
    case .insert(let holder, let index, let count):
      let list = Self.list(of: holder, in: &document)
      let values = (0..<count).map { Value.integer(Int64(index + $0)) }
      document.insert(values, at: index % (document.count(in: list) + 1), in: list, patch: &patch)
    case .insertObject(let holder, let index):
      let list = Self.list(of: holder, in: &document)
      let place = index % (document.count(in: list) + 1)
      guard let element = document.insert([.object(.map)], at: place, in: list, patch: &patch) else { return }
      document.set(.integer(Int64(index)), for: "a", in: .assigned(by: element), patch: &patch)
    case .removeElements(let holder, let index, let count):
      let list = Self.list(of: holder, in: &document)
      document.removeItems(Self.range(index, count, of: document.count(in: list)), in: list, patch: &patch)
    case .move(let holder, let from, let to):
      let list = Self.list(of: holder, in: &document)
      let count = document.count(in: list)
      if count > 0 { document.move(from: from % count, to: to % count, in: list, patch: &patch) }
    case .setElement(let holder, let index, let value):
      let list = Self.list(of: holder, in: &document)
      guard let element = Self.element(index, of: list, in: document) else { return }
      document.set(Self.value(value), for: element, in: list, patch: &patch)
    case .incrementElement(let holder, let index):
      let list = Self.list(of: holder, in: &document)
      guard let element = Self.element(index, of: list, in: document) else { return }
      document.increment(element, in: list, by: 1, patch: &patch)
    default: break
    }
  }

  // MARK: Texts

  private func applyToText(of document: inout Document, patch: inout Patch) {
    switch self {
    case .type(let holder, let index, let string):
      let text = Self.text(of: holder, in: &document)
      document.insert(
        Self.strings[string % Self.strings.count], at: index % (document.count(in: text) + 1), in: text, patch: &patch)
    case .erase(let holder, let index, let count):
      let text = Self.text(of: holder, in: &document)
      document.removeItems(Self.range(index, count, of: document.count(in: text)), in: text, patch: &patch)
    case .mark(let holder, let index, let count, let name, let value):
      let text = Self.text(of: holder, in: &document)
      document.mark(
        Self.range(index, count, of: document.count(in: text)), Self.markName(name), value: .integer(Int64(value)),
        expandsLeft: name & 2 != 0, expandsRight: name & 4 == 0, in: text, patch: &patch)
    case .unmark(let holder, let index, let count, let name):
      let text = Self.text(of: holder, in: &document)
      document.mark(
        Self.range(index, count, of: document.count(in: text)), Self.markName(name), value: .null,
        expandsRight: name & 4 == 0, in: text, patch: &patch)
    default: break
    }
  }

  // MARK: What the numbers choose

  private static let strings = ["a", "bc", "é𝄞", "xyz", "a longer stretch of text", "\n"]

  static func key(_ number: Int) -> Key { .name(["a", "b", "c", "d"][number % 4]) }

  private static func markName(_ number: Int) -> Key { number & 1 == 0 ? "bold" : "font" }

  private static func value(_ number: Int) -> Value {
    switch number % 8 {
    case 0: .null
    case 1: .bool(number & 8 == 0)
    case 2: .string(["", "one", "two", "drei"][number / 8 % 4])
    case 3: .double(0.5)
    case 4: .json("{\"n\": \(number)}")
    default: .integer(Int64(number))
    }
  }

  private static func collection(_ number: Int) -> (Key, Kind) {
    switch number % 6 {
    case 0: ("m", .map)
    case 1: ("tags", .set)
    case 2: ("people", .dictionary)
    case 3: ("items", .list)
    case 4: ("body", .text)
    default: ("count", .map)
    }
  }

  private static func person(_ key: Int, in holder: ObjectID, of document: inout Document) -> ObjectID {
    document.declare(.map, for: Self.key(key), in: document.declare(.dictionary, for: "people", in: holder))
  }

  private static func holder(_ number: Int, in document: inout Document) -> ObjectID {
    switch number {
    case 0: return .root
    case 1: return document.declare(.map, for: "m", in: .root)
    case 2: return person(0, in: .root, of: &document)
    default: return object(number - 3, in: document) ?? .root
    }
  }

  private static func object(_ number: Int, in document: borrowing Document) -> ObjectID? {
    let objects = document.assignedObjects
    return objects.isEmpty ? nil : objects[number % objects.count]
  }

  private static func list(of holder: Int, in document: inout Document) -> ObjectID {
    document.declare(.list, for: "items", in: self.holder(holder, in: &document))
  }

  private static func text(of holder: Int, in document: inout Document) -> ObjectID {
    document.declare(.text, for: "body", in: self.holder(holder, in: &document))
  }

  private static func element(_ number: Int, of list: ObjectID, in document: borrowing Document) -> Key? {
    let count = document.count(in: list)
    return count == 0 ? nil : document.element(at: number % count, in: list).map { .element($0) }
  }

  private static func range(_ index: Int, _ length: Int, of count: Int) -> Range<Int> {
    let start = index % (count + 1)
    return start..<min(count, start + length)
  }
}

extension Document {
  /// The assigned objects that a reader finds from the root down, ascending.
  fileprivate var assignedObjects: [ObjectID] {
    var found: Set<ObjectID> = []
    var pending: [ObjectID] = [.root]
    var seen: Set<ObjectID> = []
    while let object = pending.popLast() {
      guard seen.insert(object).inserted else { continue }
      for key in keys(in: object) + elements(in: object).map(Key.element) {
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
