import StarlingCore

/// A replica at which somebody edits, undoes and does again.
struct Desk {
  var document = Document()
  var history: UndoHistory
  let replica: ReplicaID
  var now: UInt64

  init(
    _ place: Int = 0, as replica: ReplicaID? = nil, limit: UndoHistory.Limit = UndoHistory.Limit(),
    typingPause: Duration? = nil
  ) {
    self.replica = replica ?? Group.replica(place)
    // Stamps of several desks do not tie.
    now = UInt64(1_000 + place)
    history = UndoHistory(limit: limit, typingPause: typingPause)
  }

  @discardableResult
  mutating func edit(
    _ name: String? = nil, joinsPrevious: Bool = false, _ body: (inout Document, inout Patch) -> Void
  ) -> Change? {
    now += 10
    document.begin(as: replica, now: now, recording: true)
    var patch = Patch()
    body(&document, &patch)
    let change = document.commit()
    document.checkInvariants()
    history.add(document.takeRecording(), name: name, joinsPrevious: joinsPrevious)
    return change
  }

  @discardableResult
  mutating func undo() -> Change? {
    change { $0.undo(in: &$1, patch: &$2) }
  }

  @discardableResult
  mutating func redo() -> Change? {
    change { $0.redo(in: &$1, patch: &$2) }
  }

  private mutating func change(_ body: (inout UndoHistory, inout Document, inout Patch) -> Bool) -> Change? {
    now += 10
    document.begin(as: replica, now: now)
    var patch = Patch()
    let hasWritten = body(&history, &document, &patch)
    let change = document.commit()
    precondition(
      hasWritten == (change != nil), "It says that it wrote: \(hasWritten). It wrote \(String(describing: change)).")
    document.checkInvariants()
    return change
  }

  mutating func hear(_ change: Change?) throws {
    var patch = Patch()
    _ = try document.merge(change!, patch: &patch)
    document.checkInvariants()
  }

  /// What a reader sees.
  var scene: [String] { StarlingCoreTests.scene(of: document) }

  // MARK: Shorthands

  @discardableResult
  mutating func set(_ key: Key, _ value: Value, in object: ObjectID = .root) -> Change? {
    edit { $0.set(value, for: key, in: object, patch: &$1) }
  }

  @discardableResult
  mutating func remove(_ key: Key, in object: ObjectID = .root) -> Change? {
    edit { $0.remove(key, in: object, patch: &$1) }
  }

  @discardableResult
  mutating func increment(_ key: Key, by amount: Int64) -> Change? {
    edit { $0.increment(key, in: .root, by: amount, patch: &$1) }
  }

  @discardableResult
  mutating func insert(_ values: [Value], at index: Int) -> Change? {
    edit { document, patch in
      document.insert(values, at: index, in: document.declare(.list, for: "list", in: .root), patch: &patch)
    }
  }

  @discardableResult
  mutating func move(_ from: Int, _ to: Int) -> Change? {
    edit { $0.move(from: from, to: to, in: Desk.list, patch: &$1) }
  }

  @discardableResult
  mutating func type(_ text: String, at index: Int) -> Change? {
    edit { document, patch in
      document.insert(text, at: index, in: document.declare(.text, for: "text", in: .root), patch: &patch)
    }
  }

  @discardableResult
  mutating func mark(_ range: Range<Int>, _ name: Key, _ value: Value) -> Change? {
    edit { $0.mark(range, name, value: value, in: Desk.text, patch: &$1) }
  }

  @discardableResult
  mutating func removeItems(_ range: Range<Int>, in object: ObjectID) -> Change? {
    edit { $0.removeItems(range, in: object, patch: &$1) }
  }

  static let list = ObjectID.derived(parent: .root, key: "list", kind: .list)
  static let text = ObjectID.derived(parent: .root, key: "text", kind: .text)

  var text: String { document.text(in: Desk.text) }

  /// The values of the list's elements.
  var list: [Value] {
    document.elements(in: Desk.list).map {
      guard case .value(let value, _) = document.visible(.element($0), in: Desk.list) else { return .null }
      return value
    }
  }

  func value(_ key: Key, in object: ObjectID = .root) -> Value? {
    if case .value(let value, _) = document.visible(key, in: object) { value } else { nil }
  }
}

/// What a reader sees who walks down from the root and does not look at identities: a line for each thing.
func scene(of document: Document) -> [String] {
  var paths: [ObjectID: String] = [.root: ""]
  var lines: [(path: String, reference: ObjectID?)] = []
  var rest: [(ObjectID, String)] = [(.root, "")]
  while let (object, path) = rest.popLast() {
    let elements = document.elements(in: object)
    if !elements.isEmpty { lines.append(("\(path) has \(elements.count) elements", nil)) }
    let text = document.text(in: object)
    if !text.isEmpty { lines.append(("\(path) reads \(text)", nil)) }
    for mark in document.marks(in: object) {
      lines.append(("\(path) is \(mark.name) \(mark.value) over \(mark.range)", nil))
    }
    for key in document.keys(in: object) {
      var place = "\(path)/\(key)"
      if case .element(let dot) = key { place = "\(path)/#\(document.index(of: dot, in: object)!)" }
      switch document.visible(key, in: object) {
      case .value(.object, let dot):
        paths[.assigned(by: dot)] = place
        rest.append((.assigned(by: dot), place))
        lines.append(("\(place) is an object", nil))
      case .value(.reference(let target), _): lines.append((place, target))
      case .value(let value, _): lines.append(("\(place) = \(value)", nil))
      case .count(let count): lines.append(("\(place) counts \(count)", nil))
      case .container, .absent: break
      }
      for kind in Kind.known {
        let child = ObjectID.derived(parent: object, key: key, kind: kind)
        if document.isLive(child) { rest.append((child, "\(place)/\(kind)")) }
      }
    }
  }
  return lines.map { line in
    line.reference.map { "\(line.path) -> \(paths[$0] ?? "nothing")" } ?? line.path
  }
  .sorted()
}
