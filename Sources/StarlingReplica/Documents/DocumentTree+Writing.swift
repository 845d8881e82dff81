import Foundation
import StarlingCore
import StarlingEngine

/// Writes JSON into a document: what reads alike is not written, what is there keeps its kind and its identity.
///
/// The document has a change open. Where a write fails, some of it is written: the caller goes back to the document as
/// it was.
struct DocumentWriter {
  var tree: DocumentTree
  var patch = Patch()
  /// Whether members that the JSON does not name stay, and null removes (RFC 7396).
  var isMerging = false
  private var declared: [ObjectID] = []

  typealias Container = DocumentTree.Container

  init(_ document: Document, isMerging: Bool) {
    tree = DocumentTree(document)
    self.isMerging = isMerging
  }

  // MARK: Entrances

  /// Puts the value at the path; where several values conflict there, it takes the place of all.
  mutating func set(_ json: JSONValue, at path: DocumentPath, as form: JSONForm? = nil) throws(JSONDocumentError) {
    defer { undeclare() }
    guard let place = try tree.place(at: path, isNew: true) else {
      return try putMembers(json, in: .root, path: path)
    }
    if let outer = place.outer { declare(place.container, under: outer.key, in: outer.object) }
    if !place.inner.isEmpty { return try setInner(json, place, path: path) }
    if place.container.kind == .set { return try setMember(json, place, path: path) }
    if place.key == .element(.origin) { return try append(json, to: place.container, as: form, path: path) }
    try put(json, place.key, in: place.container, as: form, settles: true, path: path)
  }

  /// Puts the value into the slot, wherever that stands by now; the key of an element that begins a list appends.
  ///
  /// - Parameter outer: where the container stands, which may hold nothing yet; nil for the root.
  mutating func set(
    _ json: JSONValue, _ key: Key, in container: Container, under outer: DocumentTree.Slot?, as form: JSONForm?,
    path: DocumentPath
  ) throws(JSONDocumentError) {
    defer { undeclare() }
    if let outer { declare(container, under: outer.key, in: outer.object) }
    if container.kind == .set {
      return try setMember(json, DocumentTree.Place(container: container, key: key), path: path)
    }
    if key == .element(.origin) { return try append(json, to: container, as: form, path: path) }
    try put(json, key, in: container, as: form, settles: true, path: path)
  }

  /// Takes away what stands at the path.
  mutating func remove(at path: DocumentPath) throws(JSONDocumentError) {
    guard let place = try tree.place(at: path, isNew: false) else {
      throw JSONDocumentError(.kind, at: path, "The document itself cannot be removed; load {} to empty it.")
    }
    guard place.inner.isEmpty else {
      throw JSONDocumentError(.kind, at: path, "\(path.name) is within a value that is written as a whole; set that.")
    }
    remove(place.key, from: place.container)
  }

  mutating func remove(_ key: Key, from container: Container) {
    if container.kind == .list, case .element(let dot) = key {
      guard let index = tree.document.index(of: dot, in: container.object) else { return }
      tree.document.removeItems(index..<index + 1, in: container.object, patch: &patch)
    } else {
      tree.document.remove(key, in: container.object, patch: &patch)
    }
  }

  // MARK: One slot

  private mutating func put(
    _ json: JSONValue, _ key: Key, in outer: Container, as form: JSONForm?, settles: Bool, path: DocumentPath
  ) throws(JSONDocumentError) {
    let visible = tree.document.visible(key, in: outer.object)
    if form == nil, !settles, try tree.value(key, in: outer.object) == json { return }
    if let container = tree.container(visible, under: key, in: outer.object),
      form == nil || form?.kind == container.kind
    {
      if json == .null { return tree.document.set(.null, for: key, in: outer.object, patch: &patch) }
      return try fill(container, under: key, in: outer, with: json, path: path)
    }
    if case .count(let count) = visible, form == nil || form == .counter {
      guard case .integer(let wanted) = json else { throw mismatch("a counter", json, path) }
      return tree.document.increment(key, in: outer.object, by: wanted &- count, patch: &patch)
    }
    if form == .counter {
      guard case .integer(let amount) = json else { throw mismatch("a counter", json, path) }
      guard outer.kind != .list else {
        throw JSONDocumentError(.kind, at: path, "\(path.name) is an element of a list, which is no counter.")
      }
      tree.document.remove(key, in: outer.object, patch: &patch)
      guard amount == 0 else { return tree.document.increment(key, in: outer.object, by: amount, patch: &patch) }
      // An increment by nothing would not be written, and no counter be there.
      tree.document.increment(key, in: outer.object, by: 1, patch: &patch)
      return tree.document.increment(key, in: outer.object, by: -1, patch: &patch)
    }
    if let kind = form?.kind ?? (visible == .absent || visible.isNull ? json.naturalKind : nil) {
      return try make(kind, json, under: key, in: outer, path: path)
    }
    let value = try value(json, like: visible.value ?? hint(for: outer), as: form, path: path)
    tree.document.set(value, for: key, in: outer.object, patch: &patch)
  }

  /// A new object under the key. In lists it is an element's own, elsewhere it is derived from its place.
  private mutating func make(
    _ kind: Kind, _ json: JSONValue, under key: Key, in outer: Container, path: DocumentPath
  ) throws(JSONDocumentError) {
    if outer.kind == .list {
      let object = tree.document.assignObject(kind, for: key, in: outer.object, patch: &patch)
      return try fill(Container(object: object, kind: kind), under: key, in: outer, with: json, path: path)
    }
    tree.document.remove(key, in: outer.object, patch: &patch)
    let object = ObjectID.derived(parent: outer.object, key: key, kind: kind)
    try fill(Container(object: object, kind: kind), under: key, in: outer, with: json, path: path)
  }

  private mutating func fill(
    _ container: Container, under key: Key, in outer: Container, with json: JSONValue, path: DocumentPath
  ) throws(JSONDocumentError) {
    declare(container, under: key, in: outer.object)
    switch container.kind {
    case .list: try putElements(json, in: container, path: path)
    case .set: try putSet(json, in: container, path: path)
    case .text: try putText(json, in: container, path: path)
    default: try putMembers(json, in: container, path: path)
    }
    // An empty one is said to be there.
    if tree.document.visible(key, in: outer.object) == .absent {
      tree.document.set(.derived(container.kind), for: key, in: outer.object, patch: &patch)
    }
  }

  /// Makes a derived container writable that holds nothing: the document drops writes to an object that it does not
  /// know.
  private mutating func declare(_ container: Container, under key: Key, in parent: ObjectID) {
    guard container.object.isDerived, !tree.document.isDeclared(container.object) else { return }
    tree.document.declare(container.kind, for: key, in: parent)
    declared.append(container.object)
  }

  private mutating func undeclare() {
    for object in declared.reversed() { tree.document.undeclare(object) }
    declared = []
  }

  // MARK: Values

  /// - Parameter present: what stands in its place, or beside it where all are of one kind.
  private func value(
    _ json: JSONValue, like present: Value?, as form: JSONForm?, path: DocumentPath
  ) throws(JSONDocumentError) -> Value {
    let form = form ?? present?.form
    switch (form, json) {
    case (.json?, _): return .json(json.description)
    case (_, .null): return .null
    case (.bool?, .bool(let value)), (nil, .bool(let value)): return .bool(value)
    case (.integer?, .integer(let value)), (nil, .integer(let value)): return .integer(value)
    case (.integer?, .unsigned(let value)), (nil, .unsigned(let value)): return .unsigned(value)
    case (.double?, .integer(let value)): return .double(Double(value))
    case (.double?, .unsigned(let value)): return .double(Double(value))
    case (.double?, .double(let value)), (nil, .double(let value)): return .double(value)
    case (.double?, .string(let text)) where ["inf", "-inf", "nan"].contains(text): return .double(Double(text)!)
    case (.string?, .string(let value)), (nil, .string(let value)): return .string(value)
    case (.date?, .string(let text)):
      if let seconds = DocumentDate.seconds(text) { return .date(seconds) }
      throw JSONDocumentError(
        .kind, at: path, "\(path.name) is a date, and '\(text)' is none; write it as 2027-01-01T12:00:00Z.")
    case (.bytes?, .string(let text)):
      if let bytes = Data(base64Encoded: text) { return .bytes([UInt8](bytes)) }
      throw JSONDocumentError(.kind, at: path, "\(path.name) is bytes, and '\(text)' is not Base64.")
    case (nil, _):
      if case .reference? = present {
        throw JSONDocumentError(.kind, at: path, "\(path.name) refers to an object; only a program can write that.")
      }
      throw JSONDocumentError(
        .kind, at: path, "\(path.name) cannot become \(json.noun) as it is; say which with a form.")
    case (let form?, _): throw mismatch(form.noun, json, path)
    }
  }

  /// In lists and dictionaries the values are mostly of one type.
  private func hint(for container: Container) -> Value? {
    switch container.kind {
    case .list:
      tree.document.element(at: 0, in: container.object).flatMap {
        tree.document.visible(.element($0), in: container.object).value
      }
    case .dictionary:
      tree.document.keys(in: container.object).lazy.compactMap {
        tree.document.visible($0, in: container.object).value
      }.first
    default: nil
    }
  }

  private func mismatch(_ present: String, _ json: JSONValue, _ path: DocumentPath) -> JSONDocumentError {
    JSONDocumentError(
      .kind, at: path,
      "\(path.name) is \(present), and \(json.noun) is to take its place. A program that reads it might read nothing "
        + "then; say the new form if that is meant.")
  }

  // MARK: Objects, sets, texts

  private mutating func putMembers(
    _ json: JSONValue, in container: Container, path: DocumentPath
  ) throws(JSONDocumentError) {
    guard case .object(let members) = json else { throw mismatch("an object", json, path) }
    var named: Set<Key> = []
    for member in members {
      let inner = path.appending(member.name)
      guard let place = tree.place(named: member.name, in: container) else { continue }
      named.insert(place)
      if isMerging, member.value == .null {
        tree.document.remove(place, in: container.object, patch: &patch)
      } else {
        try put(member.value, place, in: container, as: nil, settles: false, path: inner)
      }
    }
    guard !isMerging else { return }
    for key in tree.document.keys(in: container.object).sorted() where !named.contains(key) {
      tree.document.remove(key, in: container.object, patch: &patch)
    }
  }

  private mutating func putSet(_ json: JSONValue, in container: Container, path: DocumentPath) throws(JSONDocumentError)
  {
    guard case .array(let values) = json else { throw mismatch("a set", json, path) }
    var wanted: Set<Key> = []
    for value in values {
      switch value {
      case .integer(let integer): wanted.insert(.integer(integer))
      case .string(let name): wanted.insert(tree.place(named: name, in: container) ?? .name(name))
      default:
        throw JSONDocumentError(
          .kind, at: path, "\(path.name) is a set, whose members are strings or integers; \(value.noun) is none.")
      }
    }
    for key in wanted.sorted() where !tree.document.contains(key, in: container.object) {
      tree.document.set(.bool(true), for: key, in: container.object, patch: &patch)
    }
    for key in tree.document.keys(in: container.object).sorted() where !wanted.contains(key) {
      tree.document.remove(key, in: container.object, patch: &patch)
    }
  }

  private mutating func setMember(
    _ json: JSONValue, _ place: DocumentTree.Place, path: DocumentPath
  ) throws(JSONDocumentError) {
    switch json {
    case .bool(true): tree.document.set(.bool(true), for: place.key, in: place.container.object, patch: &patch)
    case .bool(false), .null: tree.document.remove(place.key, in: place.container.object, patch: &patch)
    default:
      throw JSONDocumentError(
        .kind, at: path, "\(path.name) is a member of a set: true puts it in, false takes it out.")
    }
  }

  private mutating func putText(_ json: JSONValue, in container: Container, path: DocumentPath)
    throws(JSONDocumentError)
  {
    guard case .string(let wanted) = json else { throw mismatch("a text", json, path) }
    for edit in TextDifference(from: tree.document.text(in: container.object), to: wanted).edits {
      tree.document.removeItems(edit.range, in: container.object, patch: &patch)
      tree.document.insert(edit.text, at: edit.range.lowerBound, in: container.object, patch: &patch)
    }
  }

  /// Values that are JSON in the document are written as a whole.
  private mutating func setInner(
    _ json: JSONValue, _ place: DocumentTree.Place, path: DocumentPath
  ) throws(JSONDocumentError) {
    guard let whole = DocumentTree.plain(tree.document.visible(place.key, in: place.container.object)),
      let changed = whole.setting(json, at: place.inner)
    else { throw JSONDocumentError(.missing, at: path, "Nothing is at \(path.name), and nothing can be put there.") }
    tree.document.set(.json(changed.description), for: place.key, in: place.container.object, patch: &patch)
  }
}

// MARK: Lists

extension DocumentWriter {
  /// Elements that read alike, or are objects and were edited, keep their identity.
  fileprivate mutating func putElements(
    _ json: JSONValue, in list: Container, path: DocumentPath
  ) throws(JSONDocumentError) {
    guard case .array(let wanted) = json else { throw mismatch("a list", json, path) }
    let elements = tree.document.elements(in: list.object)
    var present: [JSONValue] = []
    for element in elements { present.append(try tree.value(.element(element), in: list.object) ?? .null) }
    let plan = ListAlignment(from: present, to: wanted)
    let likeness = hint(for: list)
    for index in elements.indices.reversed() where !plan.kept.contains(index) {
      tree.document.removeItems(index..<index + 1, in: list.object, patch: &patch)
    }
    // The place behind what stands as it is wanted.
    var place = 0
    for (index, value) in wanted.enumerated() {
      if let source = plan.sources[index] {
        guard let from = tree.document.index(of: elements[source], in: list.object) else { continue }
        if plan.inPlace.contains(source) {
          place = from + 1
        } else {
          let to = from < place ? place - 1 : place
          tree.document.move(from: from, to: to, in: list.object, patch: &patch)
          place = to + 1
        }
        if present[source] != value {
          let inner = path.appending("\(index)")
          try put(value, .element(elements[source]), in: list, as: nil, settles: false, path: inner)
        }
      } else {
        try insert(value, at: place, in: list, like: likeness, as: nil, path: path.appending("\(index)"))
        place += 1
      }
    }
  }

  fileprivate mutating func append(
    _ json: JSONValue, to list: Container, as form: JSONForm?, path: DocumentPath
  ) throws(JSONDocumentError) {
    let count = tree.document.count(in: list.object)
    try insert(json, at: count, in: list, like: hint(for: list), as: form, path: path)
  }

  private mutating func insert(
    _ json: JSONValue, at index: Int, in list: Container, like likeness: Value?, as form: JSONForm?, path: DocumentPath
  ) throws(JSONDocumentError) {
    let isWhole = form == .json || form == nil && likeness?.form == .json
    if let kind = form?.kind ?? (isWhole ? nil : json.naturalKind) {
      guard let dot = tree.document.insert([.object(kind)], at: index, in: list.object, patch: &patch) else { return }
      let container = Container(object: .assigned(by: dot), kind: kind)
      return try fill(container, under: .element(dot), in: list, with: json, path: path)
    }
    let value = try value(json, like: likeness, as: form, path: path)
    tree.document.insert([value], at: index, in: list.object, patch: &patch)
  }
}

extension DocumentTree {
  /// The key that the name stands for in the container, there or new.
  fileprivate func place(named name: String, in container: Container) -> Key? {
    Self.keys(named: name).first { document.contains($0, in: container.object) } ?? newKey(name, in: container)
  }
}

extension JSONValue {
  /// What arrays and objects become where nothing says otherwise.
  fileprivate var naturalKind: Kind? {
    switch self {
    case .array: .list
    case .object: .map
    default: nil
    }
  }

  /// The same with another value at the parts; nil where they lead nowhere.
  fileprivate func setting(_ value: JSONValue, at parts: ArraySlice<String>) -> JSONValue? {
    guard let part = parts.first else { return value }
    let rest = parts.dropFirst()
    switch self {
    case .object(var members):
      if let index = members.firstIndex(where: { $0.name.utf8.elementsEqual(part.utf8) }) {
        guard let inner = members[index].value.setting(value, at: rest) else { return nil }
        members[index].value = inner
        return .object(members)
      }
      return rest.isEmpty ? .object(sorting: members + [Member(part, value)]) : nil
    case .array(var values):
      if rest.isEmpty, part == "-" || Int(part) == values.count { return .array(values + [value]) }
      guard let index = Int(part), values.indices.contains(index), let inner = values[index].setting(value, at: rest)
      else { return nil }
      values[index] = inner
      return .array(values)
    default: return nil
    }
  }
}

extension Visible {
  fileprivate var value: Value? {
    if case .value(let value, by: _) = self { value } else { nil }
  }

  fileprivate var isNull: Bool { value == .null }
}
