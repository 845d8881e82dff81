package import StarlingCore

/// The rules of Protocol/merge.md read off as they stand: it keeps every operation and asks, for each
/// entry, whether any of them took it away. Slow, without order, and plain enough to trust. Its words are its own
/// (`ReferenceModel+Types.swift`), and become the code's at the border alone (`ReferenceModel+Border.swift`).
package struct ReferenceModel {
  struct AppliedOperation {
    var dot: Dot
    var stamp: Stamp
    var object: ObjectID
    var key: Key
    var action: Action
  }

  package private(set) var changes: [Change] = []
  private(set) var appliedOperations: [AppliedOperation] = []
  var definitions: [ObjectID: Definition] = [:]
  /// Where objects move, those that stand, found once all changes are there; nil where none moves.
  var reached: Set<ObjectID>?
  /// The entries that stand and that nobody sees, likewise.
  private var hidden: Set<Dot> = []

  package init(_ changes: [Change] = []) {
    for change in changes { take(change) }
    findPlaces()
  }

  package mutating func add(_ change: Change) {
    take(change)
    findPlaces()
  }

  private mutating func findPlaces() {
    let moves = appliedOperations.contains {
      if case .set(let value, _, _) = $0.action { Moved(value) != nil } else { false }
    }
    guard moves else { return }
    reached = objectsReached()
    hidden = hiddenEntries()
  }

  private mutating func take(_ change: Change) {
    changes.append(change)
    for definition in change.definitions { definitions[definition.id] = definition }
    var dot = Dot(change.replica, change.firstCounter)
    for operation in change.operations {
      appliedOperations.append(
        AppliedOperation(
          dot: dot, stamp: change.stamp, object: operation.object, key: operation.key, action: operation.action))
      if case .insertValues(let values, _) = operation.action {
        // Each element begins with one entry.
        for (offset, value) in values.enumerated() {
          let name = Dot(dot.replica, dot.counter + UInt64(offset))
          appliedOperations.append(
            AppliedOperation(
              dot: name, stamp: change.stamp, object: operation.object, key: .element(name),
              action: .set(value, replacing: [], clearing: nil)))
        }
      }
      dot.counter += operation.action.counterCount
    }
  }

  package mutating func learn(_ definition: Definition) {
    definitions[definition.id] = definition
  }

  // MARK: What stands

  package func isLive(_ object: ObjectID) -> Bool {
    if object == .root { return true }
    if let definition = definitions[object] {
      return isLive(definition.parent) && standsElement(definition.key, in: definition.parent)
    }
    if let reached { return reached.contains(object) }
    return appliedOperations.contains { $0.dot == object.dot && $0.value?.isObject == true && stands($0) }
  }

  /// Whether the entry that `applied` put somewhere is still there.
  func stands(_ applied: AppliedOperation) -> Bool {
    guard isLive(applied.object), !appliedOperations.contains(where: { $0.replaces(applied) }) else { return false }
    if case .element = applied.key { return standsElement(applied.key, in: applied.object) }
    return !isClearedFromAbove(applied.dot, in: applied.object)
  }

  private func standsShare(beganBy applied: AppliedOperation) -> Bool {
    guard isLive(applied.object),
      !appliedOperations.contains(where: { $0.isAt(applied) && $0.clearing?.covers(applied.dot) == true })
    else { return false }
    if case .element = applied.key { return standsElement(applied.key, in: applied.object) }
    return !isClearedFromAbove(applied.dot, in: applied.object)
  }

  /// Whether somebody cleared a slot above `object` who had seen `dot`.
  func isClearedFromAbove(_ dot: Dot, in object: ObjectID) -> Bool {
    var object = object
    while let definition = definitions[object] {
      let isCleared = appliedOperations.contains {
        $0.object == definition.parent && $0.key == definition.key && $0.clearing?.covers(dot) == true
          && $0.value?.keptKind != definition.kind
      }
      if isCleared { return true }
      // What stands in an element goes or stays with it.
      if case .element = definition.key { return false }
      object = definition.parent
    }
    return false
  }

  package func entries(_ key: Key, in object: ObjectID) -> [Entry] {
    let standing = appliedOperations.filter { $0.object == object && $0.key == key && $0.value != nil && stands($0) }
    return standing.map { Entry(dot: $0.dot, stamp: $0.stamp, value: $0.value!) }
      .sorted { ($1.stamp, $1.dot) < ($0.stamp, $0.dot) }
  }

  /// Those that a reader may see.
  func shownEntries(_ key: Key, in object: ObjectID) -> [Entry] {
    entries(key, in: object).filter { !hidden.contains($0.dot) }
  }

  func shares(_ key: Key, in object: ObjectID) -> [Share] {
    appliedOperations.compactMap { first in
      guard case .increment(_, first.dot.counter) = first.action, first.object == object, first.key == key,
        standsShare(beganBy: first)
      else { return nil }
      var share = Share(
        replica: first.dot.replica, birth: first.dot.counter, last: 0, total: 0, stamp: first.stamp)
      for applied in appliedOperations where applied.isAt(first) && applied.dot.replica == first.dot.replica {
        guard case .increment(let amount, share.birth) = applied.action else { continue }
        share.total &+= amount
        if applied.dot.counter > share.last { (share.last, share.stamp) = (applied.dot.counter, applied.stamp) }
      }
      return share
    }
    .sorted { ($0.replica, $0.birth) < ($1.replica, $1.birth) }
  }

  package func visible(_ key: Key, in object: ObjectID) -> Visible {
    let shares = shares(key, in: object)
    if let entry = shownEntries(key, in: object).first {
      let isHidden = shares.contains { (entry.stamp, entry.dot) < ($0.stamp, Dot($0.replica, $0.last)) }
      if !isHidden, let moved = Moved(entry.value) { return .value(.object(moved.kind), by: moved.dot) }
      if !isHidden { return .value(entry.value, by: entry.dot) }
    }
    if !shares.isEmpty { return .count(shares.reduce(0) { $0 &+ $1.total }) }
    return heldKinds(key, in: object).min().map { .container($0) } ?? .absent
  }

  /// The kinds of derived objects under the key that hold something.
  private func heldKinds(_ key: Key, in object: ObjectID) -> [Kind] {
    definitions.values.filter { $0.parent == object && $0.key == key && holdsSomething($0.id) }.map(\.kind)
  }

  private func holdsSomething(_ object: ObjectID) -> Bool {
    isLive(object)
      && (places(in: object).contains { visible($0, in: object) != .absent } || !text(in: object).isEmpty)
  }

  /// Every key of the object that anything was ever done at or below.
  package func places(in object: ObjectID) -> [Key] {
    let written = appliedOperations.filter { $0.object == object }.map(\.key)
    return Set(written + definitions.values.filter { $0.parent == object }.map(\.key)).sorted()
  }

  package var objects: [ObjectID] {
    Set([.root] + appliedOperations.map(\.object) + Array(definitions.keys)).sorted()
  }

  // MARK: Canonical state

  package var version: VersionVector {
    var version = VersionVector()
    for change in changes {
      version.counters[change.replica] = max(version.counters[change.replica, default: 0], change.last.counter)
    }
    return version
  }

  /// The canonical one.
  ///
  /// - Parameter forgotten: marks of null to leave out as if they had never been.
  package func state(without forgotten: Set<Dot> = []) -> State {
    let followed = Set(changes.flatMap { $0.frontier + [Dot($0.replica, $0.firstCounter - 1)] })
    var state = State(
      version: version, heads: Set(changes.map(\.last)).subtracting(followed), latest: changes.map(\.stamp).max() ?? 0)
    for id in objects where isLive(id) {
      var content = State.Content(origin: origin(of: id))
      for key in places(in: id) {
        let slot = State.Slot(entries: Set(entries(key, in: id)), shares: Set(shares(key, in: id)))
        if !slot.entries.isEmpty || !slot.shares.isEmpty { content.slots[key] = slot }
      }
      (content.items, content.marks) = sequence(of: id, without: forgotten)
      if content.isEmpty {
        guard definitions[id] != nil, holdsSomething(id) || isAboveItems(id, without: forgotten) else { continue }
      }
      state.objects[id] = content
    }
    return state
  }

  private func origin(of id: ObjectID) -> State.Origin {
    if id == .root { return .root }
    if let definition = definitions[id] { return .derived(definition) }
    guard let kind = kind(of: id) else { fatalError("\(id)") }
    return .assigned(kind)
  }

  // MARK: What a writer has to say

  /// What the rules make of the wish to put `value` at the slot, or to take away what is there; nil
  /// where they make nothing of it. `seen` is the writer's version with its own open operations.
  package func action(putting value: Value?, _ key: Key, in object: ObjectID, seen: VersionVector) -> Action? {
    guard isLive(object) else { return nil }
    let entries = entries(key, in: object)
    let kinds = heldKinds(key, in: object)
    let clears = !shares(key, in: object).isEmpty || kinds.contains { $0 != value?.keptKind }
    let replacing = entries.map(\.dot).sorted()
    guard let value else {
      return shownEntries(key, in: object).isEmpty && !clears
        ? nil : .remove(replacing: replacing, clearing: clears ? seen : nil)
    }
    let shown = shownEntries(key, in: object)
    if !clears, shown.count == 1, shown[0].value == value, !value.isObject { return nil }
    return .set(value, replacing: replacing, clearing: clears ? seen : nil)
  }
}

extension ReferenceModel.AppliedOperation {
  fileprivate var value: Value? {
    if case .set(let value, _, _) = action { value } else { nil }
  }

  fileprivate var clearing: ReferenceModel.VersionVector? {
    switch action {
    case .set(_, _, let clearing), .remove(_, let clearing): clearing
    case .increment, .insertText, .insertValues, .removeRun, .move, .mark: nil
    }
  }

  fileprivate func isAt(_ other: ReferenceModel.AppliedOperation) -> Bool {
    object == other.object && key == other.key
  }

  fileprivate func replaces(_ other: ReferenceModel.AppliedOperation) -> Bool {
    guard isAt(other) else { return false }
    switch action {
    case .set(_, let replacing, _), .remove(let replacing, _): return replacing.contains(other.dot)
    case .increment, .insertText, .insertValues, .removeRun, .move, .mark: return false
    }
  }
}

extension Value {
  var isObject: Bool {
    if case .object = self { true } else { false }
  }

  fileprivate var keptKind: Kind? {
    if case .derived(let kind) = self { kind } else { nil }
  }
}

extension ReferenceModel {
  /// What stands at a version, in canonical form.
  package struct State: Equatable {
    package var version: VersionVector
    package var heads: Set<Dot>
    package var latest: Stamp
    package var objects: [ObjectID: Content] = [:]

    package struct Content: Equatable {
      package var origin: Origin
      package var slots: [Key: Slot] = [:]
      /// In their order.
      package var items: [Item] = []
      package var marks: Set<Mark> = []

      var isEmpty: Bool { slots.isEmpty && items.isEmpty && marks.isEmpty }
    }

    package enum Origin: Equatable {
      case root
      case derived(Definition)
      case assigned(Kind)
    }

    package struct Slot: Equatable {
      var entries: Set<Entry>
      var shares: Set<Share>
    }

    package struct Item: Equatable {
      package enum Content: Equatable {
        case removed
        case scalar(Unicode.Scalar)
        case element
        case moved(Dot, Stamp)
      }

      var dot: Dot
      var anchor: Edge
      var content: Content
    }

    init(version: VersionVector, heads: Set<Dot>, latest: Stamp) {
      self.version = version
      self.heads = heads
      self.latest = latest
    }
  }
}
