extension Document {
  /// Writes what it takes to make this document look like `then`, in the open change: nothing where a
  /// reader sees the same, one value where a value differs, the difference where a counter does.
  ///
  /// An assigned object that stands here and there keeps its identity. One that is gone comes back as a
  /// new object that holds the same, with everything below it, and references that `then` has to it point
  /// at the new one. What others write concurrently survives as it does beside any other write.
  ///
  /// - Complexity: O(slots of both)
  public mutating func restore(like then: Document, patch: inout Patch) {
    precondition(isWriting, "Writing needs an open change: call `begin(as:now:)` first.")
    openFully()
    var restoration = Restoration(then: then.opened)
    restoration.run(in: &self, patch: &patch)
  }
}

/// The walk of one `restore`: pairs of an object here and the one there that it is to look like, from the
/// roots down, without recursion, since objects may lie in one another as deep as anybody likes.
private struct Restoration {
  private struct Pair {
    var here: ObjectID
    var there: ObjectID
  }

  let then: Document
  private var pairs = [Pair(here: .root, there: .root)]
  /// Objects that came back, by the id that they had.
  private var successors: [ObjectID: ObjectID] = [:]
  /// Slots whose references are written once all objects are back.
  private var references: [(key: Key, object: ObjectID, target: ObjectID)] = []
  /// Derived objects that are known here for the sake of this walk alone.
  private var declared: [ObjectID] = []

  init(then: Document) {
    self.then = then
  }

  mutating func run(in document: inout Document, patch: inout Patch) {
    while let pair = pairs.popLast() {
      switch document.kind(of: pair.here) {
      case nil: break
      case .text?: restoreText(pair, in: &document, patch: &patch)
      case .list?: restoreList(pair, in: &document, patch: &patch)
      default:
        for key in Set(document.keys(in: pair.here) + then.keys(in: pair.there)).sorted() {
          restore(key, of: pair, in: &document, patch: &patch)
        }
      }
    }
    for (key, object, target) in references {
      write(.reference(successors[target] ?? target), for: key, in: object, &document, &patch)
    }
    for object in declared { document.undeclare(object) }
  }

  private mutating func restore(_ key: Key, of pair: Pair, in document: inout Document, patch: inout Patch) {
    let now = document.visible(key, in: pair.here)
    switch then.visible(key, in: pair.there) {
    case .absent:
      return document.remove(key, in: pair.here, patch: &patch)
    case .value(.object(let kind), by: let dot):
      let there = ObjectID.assigned(by: dot)
      if case .value(.object, by: dot) = now {
        pairs.append(Pair(here: there, there: there))
      } else {
        let here = document.assignObject(kind, for: key, in: pair.here, patch: &patch)
        successors[there] = here
        pairs.append(Pair(here: here, there: there))
      }
    case .value(.reference(let target), _):
      references.append((key, pair.here, target))
    case .value(let value, _):
      write(value, for: key, in: pair.here, &document, &patch)
    case .count(let count):
      // A value hides the counter; taking it away takes away what was counted below it. That of an element stays, below
      // a later increment.
      if case .element = key {} else if case .value = now { document.remove(key, in: pair.here, patch: &patch) }
      restoreCount(count, for: key, in: pair.here, &document, &patch)
    case .container:
      switch now {
      case .value, .count: document.remove(key, in: pair.here, patch: &patch)
      case .absent, .container: break
      }
    }
    restoreBelow(key, of: pair, in: &document)
  }

  /// What lies between the scalars that both begin and end with is replaced; then the properties, where they differ.
  private func restoreText(_ pair: Pair, in document: inout Document, patch: inout Patch) {
    let wanted = Array(then.text(in: pair.there).unicodeScalars)
    let change = TextChange(from: Array(document.text(in: pair.here).unicodeScalars), to: wanted)
    if !change.removed.isEmpty { document.removeItems(change.removed, in: pair.here, patch: &patch) }
    if !change.inserted.isEmpty {
      var inserted = String.UnicodeScalarView()
      inserted.append(contentsOf: wanted[change.inserted])
      document.insert(String(inserted), at: change.inserted.lowerBound, in: pair.here, patch: &patch)
    }
    let marks = then.marks(in: pair.there)
    guard !wanted.isEmpty, document.marks(in: pair.here) != marks else { return }
    for name in Set(document.marks(in: pair.here).map(\.name)).sorted() {
      document.mark(0..<wanted.count, name, value: .null, in: pair.here, patch: &patch)
    }
    for mark in marks { document.mark(mark.range, mark.name, value: mark.value, in: pair.here, patch: &patch) }
  }

  /// Elements that are there and here keep their identity; they are moved where another stands in their place.
  private mutating func restoreList(_ pair: Pair, in document: inout Document, patch: inout Patch) {
    let wanted = then.elements(in: pair.there)
    let kept = Set(wanted)
    for (index, element) in document.elements(in: pair.here).enumerated().reversed() where !kept.contains(element) {
      document.removeItems(index..<index + 1, in: pair.here, patch: &patch)
    }
    for (index, element) in wanted.enumerated() {
      if let present = document.index(of: element, in: pair.here) {
        if present != index { document.move(from: present, to: index, in: pair.here, patch: &patch) }
        restore(.element(element), of: pair, in: &document, patch: &patch)
      } else {
        // One element may need more than a list with a limit takes: the rest would stand at other places.
        guard insert(element, at: index, of: pair, in: &document, patch: &patch) else { return }
      }
    }
  }

  private mutating func insert(
    _ element: Dot, at index: Int, of pair: Pair, in document: inout Document, patch: inout Patch
  ) -> Bool {
    let shown = then.visible(.element(element), in: pair.there)
    // Where it shows a count or only what stands below it, something must stand there all the same: the elements behind
    // it have their places by it.
    let value = if case .value(let value, _) = shown { value } else { Value.null }
    guard let new = document.insert([value], at: index, in: pair.here, patch: &patch) else { return false }
    switch shown {
    case .value(.object, by: let dot):
      successors[.assigned(by: dot)] = .assigned(by: new)
      pairs.append(Pair(here: .assigned(by: new), there: .assigned(by: dot)))
    case .value(.reference(let target), _): references.append((.element(new), pair.here, target))
    case .count(let count): restoreCount(count, for: .element(new), in: pair.here, &document, &patch)
    case .value, .container, .absent: break
    }
    return true
  }

  /// Has the slot, whose value the increments hide, show `count`.
  private func restoreCount(
    _ count: Int64, for key: Key, in object: ObjectID, _ document: inout Document, _ patch: inout Patch
  ) {
    document.increment(key, in: object, by: count &- document.count(key, in: object), patch: &patch)
    // A counter of 0 differs from none where keys are listed, and a value that came since is visible until one counts.
    if document.visible(key, in: object) != .count(count) {
      document.increment(key, in: object, by: 1, patch: &patch)
      document.increment(key, in: object, by: -1, patch: &patch)
    }
  }

  /// Writes the value unless a reader sees it already. A conflict stays one.
  private func write(
    _ value: Value, for key: Key, in object: ObjectID, _ document: inout Document, _ patch: inout Patch
  ) {
    if case .value(value, _) = document.visible(key, in: object) { return }
    document.set(value, for: key, in: object, patch: &patch)
  }

  /// Goes on with the objects derived from the slot, of whatever kind.
  private mutating func restoreBelow(_ key: Key, of pair: Pair, in document: inout Document) {
    for kind in document.kindsBelow(key, in: pair.here).union(then.kindsBelow(key, in: pair.there)).sorted() {
      let here = ObjectID.derived(parent: pair.here, key: key, kind: kind)
      if !document.isDeclared(here) {
        document.declare(kind, for: key, in: pair.here)
        declared.append(here)
      }
      pairs.append(Pair(here: here, there: .derived(parent: pair.there, key: key, kind: kind)))
    }
  }
}

extension Document {
  /// The kinds of the derived objects under the key that hold something.
  fileprivate func kindsBelow(_ key: Key, in object: ObjectID) -> Set<Kind> {
    guard let slot = find(key, in: object), slots[slot].isCompound else { return [] }
    var kinds: Set<Kind> = []
    forEachChild(of: slot) { if objects[$0].presentCount > 0 { kinds.insert(objects[$0].kind) } }
    return kinds
  }

  fileprivate func kind(of object: ObjectID) -> Kind? {
    objects.find(object).map { objects[$0].kind }
  }

  /// Whether somebody holds the object's id, so that it is known even if nothing stands below it.
  package func isDeclared(_ object: ObjectID) -> Bool {
    objects.find(object).map { objects[$0].isDeclared } ?? false
  }
}
