// Tombstones that were collected here and that somebody has inserted at, brought back
// (Protocol/merge.md, "Tombstone collection").
//
// ```
//   sender      origin ─► a ─► [b ─► c] ─► X      tombstones in brackets; X was inserted at c
//   receiver    origin ─► a                       lacks c: the path is the run b, c with its place after a
// ```
//
// A path travels as the insertions that made it, with blanks for content: what a tombstone held is gone.

extension Document {
  /// The most items of the paths in one answer.
  package static let pathItemCountMax = 1 << 20

  /// For each of `items` that is stored here: its insertion and those of the items that it is anchored on, each after
  /// its anchor. A path begins at the origin or, where `isUpToDate`, after the last live item.
  ///
  /// - Parameter isUpToDate: whether this document has merged all that the receiver has: then the receiver has every
  ///   item that is live here.
  /// - Complexity: O(texts not opened yet + sequences · items + runs of the paths · log *n*)
  package mutating func removedPaths(to items: [Dot], isUpToDate: Bool) -> [Change] {
    openTexts()
    var paths: [Change] = []
    // How many items of a span, by its first, are listed.
    var listed: [DotRow: Int] = [:]
    var count = 0
    for dot in items.sorted(by: >) {
      guard let item = item(dot), let sequence = sequenceHandles.first(where: { isStored(item, in: $0) }) else {
        continue
      }
      let tree = sequences[sequence].tree
      var chain: [Change] = []
      var next = item
      while next != .start, let position = tree.locate(next) {
        let span = tree.span(position)
        let start = listed[span.first, default: 0]
        let run = ItemRun(first: span.first.advanced(by: start), count: position.offset + 1 - start)
        if isUpToDate && span.isLive || run.count <= 0 || run.count > Self.pathItemCountMax - count { break }
        let place = tree.place(of: SequenceTree.Position(leaf: position.leaf, span: position.span, offset: start))
        chain.append(insertion(of: run, at: place, in: sequence))
        listed[span.first] = position.offset + 1
        count += run.count
        // Those before it, and what they are anchored on, are listed for another item.
        if start > 0 { break }
        next = place.parent
      }
      paths += chain.reversed()
    }
    return paths
  }

  private func isStored(_ item: DotRow, in sequence: SequenceHandle) -> Bool {
    sequences[sequence].tree.contains(item)
  }

  private func insertion(of run: ItemRun, at place: Place, in sequence: SequenceHandle) -> Change {
    let object = sequences[sequence].object
    let content: Content =
      objects[object].kind == .text
      ? .text(Scalars(String(repeating: " ", count: run.count)))
      : .values(Array(repeating: .null, count: run.count))
    let operation = Operation(
      object: objects[object].id, key: .element(name(of: place.parent)), action: .insert(content, side: place.side))
    let dot = dot(run.first)
    return Change(
      replica: dot.replica, firstCounter: dot.counter, stamp: Stamp(rawValue: 0), frontier: [],
      objects: definitions(downTo: object), operations: [operation])
  }

  /// Stores items of such paths as tombstones, where this version covers them and they are not stored here: they were
  /// removed and collected. Shows nothing, and changes no version.
  ///
  /// - Parameter expected: what the sender of the paths says to hold. Until every member has merged that, which
  ///   includes what it anchored on them, the items are not collected.
  /// - Returns: how many items were stored.
  /// - Throws: `MergeError` where a path has what was never merged here, or contradicts the place of an item that is
  ///   stored. Then nothing is changed.
  /// - Complexity: O(runs of the paths and here · log *n*)
  @discardableResult
  package mutating func adopt(
    removedPaths paths: [Change], expecting expected: VersionVector = VersionVector(), patch: inout Patch
  ) throws(MergeError) -> Int {
    var itemCount: UInt64 = 0
    for path in paths {
      if unopened != nil { openTexts(of: path) }
      try check(path)
      itemCount += path.counterCount
    }
    guard itemCount <= Self.pathItemCountMax else {
      throw MergeError(.malformedChange, "The paths have \(itemCount) items.", where: .snapshot)
    }
    let cause = Removal.Cause.state(version.merging(expected))
    var count = 0
    beginCall(&patch)
    for path in paths { count += store(path, cause: cause) }
    if count > 0 { capacity.recount() }
    endCall(&patch)
    return count
  }

  private mutating func store(_ path: Change, cause: Removal.Cause) -> Int {
    var definitions = Definitions(path.objects)
    // An object that does not stand was removed: nothing that comes below it is taken.
    guard let (content, key, side) = path.insertedRun, case .element(let anchor) = key,
      let object = resolve(path.operations[0].object, &definitions), objects[object].kind == content.kind
    else { return 0 }
    let sequence = makeSequence(of: object)
    let first = row(ofItem: Dot(path.replica, path.firstCounter))
    let end = first.counter + UInt64(content.count)
    var place = Place(parent: row(ofItem: anchor), side: side)
    var next = first
    var count = 0
    while next.counter < end, isKnown(place.parent, in: sequence) {
      let tree = sequences[sequence].tree
      let stored = tree.locateFirst(from: next, before: end)
      let run = ItemRun(first: next, count: Int((stored.map { tree.item($0).counter } ?? end) - next.counter))
      if run.count > 0 {
        guard hasCapacity(for: UInt64(run.count), in: sequence),
          insert(run, at: place, isLive: false, in: sequence) != nil
        else { break }
        note(cause, of: run, in: sequence)
        count += run.count
      }
      guard let stored else { break }
      next.counter += UInt64(run.count + tree.span(stored).length - stored.offset)
      place = Place(parent: DotRow(replica: next.replica, counter: next.counter - 1), side: .right)
    }
    if count == 0 { emptied.objects.append(object) }
    return count
  }

  private func check(_ path: Change) throws(MergeError) {
    let first = Dot(path.replica, path.firstCounter)
    func refuse(_ message: String) -> MergeError { MergeError(.malformedChange, message, where: .change(first)) }
    let last = Dot(path.replica, try path.checkShape())
    guard let (content, key, side) = path.insertedRun, case .element(let anchor) = key else {
      throw refuse("The path of tombstones has something else in it.")
    }
    guard version.covers(last), anchor == .origin || version.covers(anchor) else {
      throw refuse("The path has \(last) at \(anchor), which has not been merged here.")
    }
    guard let sequence = sequence(of: path.operations[0].object), let head = item(first) else { return }
    let tree = sequences[sequence].tree
    guard tree.holdsText == (content.kind == .text) else { throw refuse("The path is of another kind.") }
    let end = first.counter + UInt64(content.count)
    var next = head
    // Within a span each item has the one before as its anchor, as in the path.
    while let position = tree.locateFirst(from: next, before: end) {
      let (item, place) = (tree.item(position), tree.place(of: position))
      let isFirst = item == head
      let parent = isFirst ? anchor : Dot(first.replica, item.counter - 1)
      guard name(of: place.parent) == parent, place.side == (isFirst ? side : .right) else {
        throw refuse("The path has \(dot(item)) elsewhere than it is stored here.")
      }
      next.counter = item.counter + UInt64(tree.span(position).length - position.offset)
    }
  }
}

extension Change {
  /// What it inserts, and where, if that is all it does.
  fileprivate var insertedRun: (content: Content, anchor: Key, side: Side)? {
    guard operations.count == 1, case .insert(let content, let side) = operations[0].action else { return nil }
    return (content, operations[0].key, side)
  }
}

extension Content {
  fileprivate var kind: Kind {
    if case .text = self { .text } else { .list }
  }
}
