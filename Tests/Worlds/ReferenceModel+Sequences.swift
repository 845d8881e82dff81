package import StarlingCore

// Protocol/merge.md, "Lists and texts", read off as it stands: each item by itself, the tree built anew for every
// question.

extension ReferenceModel {
  /// An item of a list or text.
  package struct Item: Hashable {
    package var dot: Dot
    var anchor: Edge
    /// Of a text.
    var scalar: Unicode.Scalar?
    /// The element that the item was made for.
    var element: Dot?
    /// That of the move; 0 for the item that an element was inserted with.
    var stamp: Stamp = 0
  }

  func kind(of object: ObjectID) -> Kind? {
    if object == .root { return .map }
    if let definition = definitions[object] { return definition.kind }
    for applied in appliedOperations where applied.dot == object.dot {
      if case .set(.object(let kind), _, _) = applied.action { return kind }
    }
    return nil
  }

  /// All items that were ever inserted, in their order.
  package func items(of object: ObjectID) -> [Item] {
    var children: [Edge: [Item]] = [:]
    for item in unordered(object) { children[item.anchor, default: []].append(item) }
    func subtree(_ item: Item) -> [Item] {
      let left = (children[Edge(.left, of: item.dot)] ?? []).sorted { $0.dot < $1.dot }
      let right = (children[Edge(.right, of: item.dot)] ?? []).sorted { $0.dot > $1.dot }
      return left.flatMap(subtree) + [item] + right.flatMap(subtree)
    }
    return (children[.start] ?? []).sorted { $0.dot > $1.dot }.flatMap(subtree)
  }

  private func unordered(_ object: ObjectID) -> [Item] {
    let kind = kind(of: object)
    var items: [Item] = []
    for applied in appliedOperations where applied.object == object {
      switch (applied.action, applied.key) {
      case (.insertText(let scalars, let side), .element(let anchor)) where kind == .text:
        var place = Edge(side, of: anchor)
        for (offset, scalar) in scalars.enumerated() {
          let dot = Dot(applied.dot.replica, applied.dot.counter + UInt64(offset))
          items.append(Item(dot: dot, anchor: place, scalar: scalar))
          place = Edge(.right, of: dot)
        }
      case (.insertValues(let values, let side), .element(let anchor)) where kind == .list:
        var place = Edge(side, of: anchor)
        for offset in values.indices {
          let dot = Dot(applied.dot.replica, applied.dot.counter + UInt64(offset))
          items.append(Item(dot: dot, anchor: place, element: dot))
          place = Edge(.right, of: dot)
        }
      case (.move(let edge, _), .element(let element)):
        items.append(Item(dot: applied.dot, anchor: edge, element: element, stamp: applied.stamp))
      default: break
      }
    }
    return items
  }

  // MARK: What stands

  /// Whether the element stands that the key names; true for keys that name none.
  func standsElement(_ key: Key, in list: ObjectID) -> Bool {
    guard case .element(let dot) = key else { return true }
    let wasInserted = appliedOperations.contains {
      guard $0.object == list, case .insertValues(let values, _) = $0.action else { return false }
      return $0.dot.replica == dot.replica && dot.counter >= $0.dot.counter
        && dot.counter < $0.dot.counter + UInt64(values.count)
    }
    return wasInserted && isLive(list) && !isRemoved(dot, in: list) && !isClearedFromAbove(dot, in: list)
  }

  private func isRemoved(_ dot: Dot, in object: ObjectID) -> Bool {
    appliedOperations.contains {
      guard $0.object == object, case .removeRun(let count) = $0.action, case .element(let first) = $0.key else {
        return false
      }
      return first.replica == dot.replica && dot.counter >= first.counter && dot.counter < first.counter + count
    }
  }

  /// Whether the item holds something: a scalar, or an element that may stand there.
  func isLive(_ item: Item, in object: ObjectID) -> Bool {
    guard let element = item.element else {
      return isLive(object) && !isRemoved(item.dot, in: object) && !isClearedFromAbove(item.dot, in: object)
    }
    let isReplaced = appliedOperations.contains {
      guard $0.object == object, $0.key == .element(element), case .move(_, let replacing) = $0.action else {
        return false
      }
      return replacing.contains(item.dot)
    }
    return standsElement(.element(element), in: object) && !isReplaced
  }

  /// The items that a reader sees.
  package func visibleItems(of object: ObjectID) -> [Item] {
    let live = items(of: object).filter { isLive($0, in: object) }
    return live.filter { item in
      item.element == nil
        || (reached == nil || !shownEntries(.element(item.element!), in: object).isEmpty)
          && !live.contains { $0.element == item.element && (item.stamp, item.dot) < ($0.stamp, $0.dot) }
    }
  }

  package func text(in object: ObjectID) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: visibleItems(of: object).compactMap(\.scalar))
    return String(text)
  }

  package func elements(in list: ObjectID) -> [Dot] { visibleItems(of: list).compactMap(\.element) }

  // MARK: Marks

  /// The marks that stand, by their dots.
  package func marks(of object: ObjectID) -> [Mark] {
    let isText = kind(of: object) == .text
    return appliedOperations.compactMap { applied -> Mark? in
      guard isText, applied.object == object, case .mark(let mark) = applied.action else { return nil }
      let isReplaced = appliedOperations.contains {
        guard $0.object == object, $0.key == applied.key, case .mark(let other) = $0.action else { return false }
        return other.replacing.contains(applied.dot)
      }
      guard isLive(object), !isReplaced, !isClearedFromAbove(applied.dot, in: object) else { return nil }
      return Mark(
        dot: applied.dot, name: applied.key, start: mark.start, end: mark.end, rank: mark.rank, value: mark.value)
    }
    .sorted { $0.dot < $1.dot }
  }

  /// The properties of each visible scalar.
  package func properties(of object: ObjectID) -> [[Key: Value]] {
    let items = items(of: object)
    func position(_ edge: Edge) -> Int {
      if edge == .start { return -1 }
      if edge == .end { return .max }
      return 3 * items.firstIndex { $0.dot == edge.item }! + (edge.side == .left ? 0 : 2)
    }
    let marks = marks(of: object).sorted { ($0.rank, $0.dot) < ($1.rank, $1.dot) }
    return visibleItems(of: object).map { item in
      let place = 3 * items.firstIndex(of: item)! + 1
      var found: [Key: Value] = [:]
      for mark in marks where position(mark.start) < place && place < position(mark.end) {
        found[mark.name] = mark.value
      }
      return found.filter { $0.value != .null }
    }
  }

  // MARK: Canonical form

  func sequence(of object: ObjectID, without forgotten: Set<Dot>) -> (items: [State.Item], marks: Set<Mark>) {
    let items = items(of: object)
    let all = marks(of: object).filter { !forgotten.contains($0.dot) }
    let marks = all.filter { mark in
      // One that takes away what no other gives is left out.
      mark.value != .null
        || all.contains {
          $0.name == mark.name && $0.value != .null && ($0.rank, $0.dot) < (mark.rank, mark.dot)
        }
    }
    let live = items.filter { isLive($0, in: object) }
    let byDot = Dictionary(uniqueKeysWithValues: items.map { ($0.dot, $0) })
    var needed: Set<Dot> = []
    var pending = live.map(\.dot) + marks.flatMap { [$0.start.item, $0.end.item] }
    while let dot = pending.popLast() {
      guard let item = byDot[dot], needed.insert(dot).inserted else { continue }
      pending.append(item.anchor.item)
    }
    let liveDots = Set(live.map(\.dot))
    let kept = items.filter { needed.contains($0.dot) }.map { item in
      State.Item(
        dot: item.dot, anchor: item.anchor, content: liveDots.contains(item.dot) ? content(of: item) : .removed)
    }
    return (kept, Set(marks))
  }

  private func content(of item: Item) -> State.Item.Content {
    if let scalar = item.scalar { return .scalar(scalar) }
    return item.element == item.dot ? .element : .moved(item.element!, item.stamp)
  }

  /// Whether the derived object, or one beneath it, is listed for the sake of its items.
  func isAboveItems(_ object: ObjectID, without forgotten: Set<Dot>) -> Bool {
    guard isLive(object) else { return false }
    let (items, marks) = sequence(of: object, without: forgotten)
    if !items.isEmpty || !marks.isEmpty { return true }
    // Entries that nobody sees are listed too.
    if reached != nil, places(in: object).contains(where: { !entries($0, in: object).isEmpty }) { return true }
    return definitions.values.contains { $0.parent == object && isAboveItems($0.id, without: forgotten) }
  }

  // MARK: What a writer has to say

  /// Where a writer who sees what this model has anchors what it inserts at the visible index.
  package func anchor(forInsertAt index: Int, in object: ObjectID) -> Edge {
    let items = items(of: object)
    let visible = Set(visibleItems(of: object).map(\.dot))
    func isBelow(_ item: Item, _ dot: Dot) -> Bool {
      var item = item
      while item.anchor.item != .origin {
        if item.anchor.item == dot { return true }
        item = items.first { $0.dot == item.anchor.item }!
      }
      return dot == .origin
    }
    let counting = items.filter { item in
      visible.contains(item.dot) || items.contains { visible.contains($0.dot) && isBelow($0, item.dot) }
    }
    let left = index == 0 ? Dot.origin : visibleItems(of: object)[index - 1].dot
    let next = index == 0 ? counting.first : counting.drop { $0.dot != left }.dropFirst().first
    guard let next else { return Edge(.right, of: left) }
    // Below its right side: the way up from it reaches the item by its right side.
    var step = next
    while step.anchor.item != left, step.anchor.item != .origin { step = items.first { $0.dot == step.anchor.item }! }
    return step.anchor == Edge(.right, of: left) ? Edge(.left, of: next.dot) : Edge(.right, of: left)
  }
}
