/// Doing the opposite of what one's own changes did, newest first, each only where it still holds
/// (Protocol/merge.md, "Undoing").
///
/// What it writes are ordinary writes, which are recorded like any: undone in turn they make a redo.
struct Undoing {
  var names: IDRemappings
  /// Objects that came back, by the id that they had.
  var revived: [ObjectID: ObjectID] = [:]
  /// Derived objects that are known for the sake of this alone.
  private var declared: [ObjectID] = []

  init(_ names: IDRemappings) {
    self.names = names
  }

  mutating func undo(_ undoRecords: [UndoRecord], in document: inout Document, patch: inout Patch) {
    document.open.keepsOtherPlaces = true
    defer { document.open.keepsOtherPlaces = false }
    for undoRecord in undoRecords.reversed() {
      switch undoRecord {
      case .wrote(let undoRecord): undo(undoRecord, &document, &patch)
      case .counted(let undoRecord): undo(undoRecord, &document, &patch)
      case .inserted(let undoRecord):
        removeItems(
          DotRun(first: undoRecord.first, count: undoRecord.count), of: undoRecord.location, &document, &patch)
      case .removed(let pieces): restore(pieces, &document, &patch)
      case .moved(let undoRecord): undo(undoRecord, &document, &patch)
      case .marked(let undoRecord): undo(undoRecord, &document, &patch)
      }
    }
    redirectReferences(&document, &patch)
    for object in declared { document.undeclare(object) }
  }

  /// The object as it is called now; nil if it does not stand.
  mutating func find(_ location: Location, _ document: inout Document) -> ObjectID? {
    guard let outermost = location.chain.first else {
      let object = names.object(location.id)
      return document.isLive(object) ? object : nil
    }
    var object = names.object(outermost.parent)
    for definition in location.chain {
      let key = names.key(definition.key)
      let isSame = object == definition.parent && key == definition.key
      let child = isSame ? definition.id : .derived(parent: object, key: key, kind: definition.kind)
      if !document.isDeclared(child) {
        document.declare(definition.kind, for: key, in: object)
        declared.append(child)
      }
      guard document.isLive(child) else { return nil }
      object = child
    }
    return object
  }

  // MARK: Slots

  private mutating func undo(_ undoRecord: SlotUndoRecord, _ document: inout Document, _ patch: inout Patch) {
    guard let object = find(undoRecord.location, &document) else { return }
    let key = names.key(undoRecord.key)
    let mine = undoRecord.mine.map { names.entry($0) }
    let left = Set(undoRecord.left.map { names.entry($0) })
    let standing = document.storedEntries(key, in: object)
    let others = standing.filter { $0.dot != mine }
    let isAlone = others.allSatisfy { left.contains($0.dot) }
    if let mine {
      guard others.count < standing.count, !document.isOnlyPlace(mine, key, in: object) else { return }
      if !isAlone || undoRecord.taken.entries.isEmpty { retract(mine, beside: others, key, object, &document, &patch) }
    }
    guard isAlone else { return }
    restore(undoRecord.taken, key, in: object, replacing: mine, &document, &patch)
    restore(undoRecord.below, &document, &patch)
  }

  /// Takes one's own entry away. An element always has a value: there, the greatest of the others is
  /// written over one's own, unless it is an object, which cannot stand twice.
  private mutating func retract(
    _ mine: Dot, beside others: [Entry], _ key: Key, _ object: ObjectID, _ document: inout Document,
    _ patch: inout Patch
  ) {
    guard case .element = key else { return document.retract(mine, key, in: object, patch: &patch) }
    guard let other = others.first, !other.value.isPlace else { return }
    let replacing = [mine, other.dot].sorted()
    guard let entry = document.put(other.value, for: key, in: object, replacing: replacing, patch: &patch) else {
      return
    }
    names.addEntry(other.dot, entry)
  }

  private mutating func undo(_ undoRecord: CountUndoRecord, _ document: inout Document, _ patch: inout Patch) {
    guard let object = find(undoRecord.location, &document) else { return }
    let (key, birth) = (names.key(undoRecord.key), names.entry(undoRecord.share))
    // A share that somebody cleared went with all that was counted in it.
    guard let share = document.share(of: birth.replica, key, in: object), share.birth == birth else { return }
    // What a reader saw before, and would see now if nothing had been counted. An object cannot be written over itself.
    var former = document.entry(shownWithoutShareOf: birth.replica, key, in: object)
    if former?.dot != undoRecord.former.map({ names.entry($0) }) || former?.value.isObject == true { former = nil }
    if undoRecord.began, share.total == undoRecord.amount,
      retract(share: birth, showing: former, key, in: object, &document, &patch)
    {
      return
    }
    document.increment(key, in: object, by: 0 &- undoRecord.amount, patch: &patch)
    guard let former else { return }
    // That is no undo record: done again, the increment hides the entry anyway.
    document.open.isRecording = false
    defer { document.open.isRecording = true }
    let entry = document.put(former.value, for: key, in: object, replacing: [former.dot], patch: &patch)
    if let entry { names.addEntry(former.dot, entry) }
  }

  /// Takes a share away whose sum is 0, so that a reader sees again what it hid: a counter of 0 differs from none.
  ///
  /// - Parameter former: The entry that it hid.
  /// - Returns: Whether it did. It cannot where the clear would take more from below than the kind of one object keeps.
  ///   From an element nothing can be removed: `former` is written over itself, if there is one.
  private mutating func retract(
    share: Dot, showing former: Entry?, _ key: Key, in object: ObjectID, _ document: inout Document,
    _ patch: inout Patch
  ) -> Bool {
    let kinds = document.kinds(clearedWith: share, below: key, in: object)
    guard kinds.count <= 1 else { return false }
    guard case .element = key else {
      document.retract(share: share, keeping: kinds.first, key, in: object, patch: &patch)
      return true
    }
    guard let former else { return false }
    var last = former.dot
    var cleared: Dot? = share
    if let kind = kinds.first, former.value.kindKeptBelow != kind {
      let presence = document.put(.derived(kind), for: key, in: object, replacing: [last], share: share, patch: &patch)
      guard let presence else { return false }
      (last, cleared) = (presence, nil)
    }
    let entry = document.put(former.value, for: key, in: object, replacing: [last], share: cleared, patch: &patch)
    if let entry { names.addEntry(former.dot, entry) }
    return true
  }

  // MARK: Sequences

  /// Takes away those items of the run that still live, wherever they stand.
  private mutating func removeItems(
    _ run: DotRun, of location: Location, _ document: inout Document, _ patch: inout Patch
  ) {
    guard let object = find(location, &document), let sequence = document.sequence(of: object) else { return }
    var ranges: [Range<Int>] = []
    for run in names.runs(run) {
      if document.sequences[sequence].tree.holdsText {
        ranges += document.liveRanges(of: run, in: sequence)
      } else {
        for offset in 0..<run.count {
          let element = Dot(run.first.replica, run.first.counter + UInt64(offset))
          // What was moved here, and has no place elsewhere any more, stays.
          if document.isOnlyPlace(element, .element(element), in: object) { continue }
          if let index = document.index(of: element, in: object) { ranges.append(index..<index + 1) }
        }
      }
    }
    for range in ranges.joined().reversed() { document.removeItems(range, in: object, patch: &patch) }
  }

  private mutating func undo(_ undoRecord: MoveUndoRecord, _ document: inout Document, _ patch: inout Patch) {
    let element = names.item(undoRecord.element)
    guard let list = find(undoRecord.location, &document), let from = document.index(of: element, in: list),
      let item = document.candidate(of: element, in: list), item == names.candidate(undoRecord.mine)
    else { return }
    let place = place(undoRecord.gap, item: undoRecord.former, in: list, document)
    let to = min(place > from ? place - 1 : place, document.count(in: list) - 1)
    document.move(from: from, to: to, in: list, patch: &patch)
    names.addCandidate(undoRecord.former, document.candidate(of: element, in: list) ?? item)
  }

  /// Where something goes that stood at an item which is dead by now: where the item was, but between the same
  /// neighbours. The order among dead items and what was written again says nothing.
  func place(_ gap: Gap, item: Dot, in object: ObjectID, _ document: Document) -> Int {
    let bounds = bounds(gap, in: object, document)
    let index = document.index(of: Edge(.left, of: item), in: object) ?? gap.index
    return min(max(index, bounds.lowerBound), bounds.upperBound)
  }

  /// The indices between the neighbours of the gap.
  func bounds(_ gap: Gap, in object: ObjectID, _ document: Document) -> ClosedRange<Int> {
    let (before, after) = (names.item(gap.before), names.item(gap.after))
    let isFirst = gap.before == .origin
    let isLast = gap.after == .origin
    let low =
      isFirst
      ? 0
      : document.index(of: before, in: object).map { $0 + 1 } ?? document.index(
        of: Edge(.right, of: before), in: object) ?? 0
    let high =
      isLast
      ? document.count(in: object)
      : document.index(of: after, in: object) ?? document.index(of: Edge(.left, of: after), in: object)
        ?? document.count(in: object)
    return low...max(low, high)
  }

  // MARK: References

  /// Lets what points at an object that came back point at the object that it came back as. That is no undo record: it
  /// says what it said before.
  private mutating func redirectReferences(_ document: inout Document, _ patch: inout Patch) {
    guard !revived.isEmpty else { return }
    document.open.isRecording = false
    defer { document.open.isRecording = true }
    for found in document.references(to: Set(revived.keys)) {
      let target = Value.reference(revived[found.target]!)
      if let entry = document.put(target, for: found.key, in: found.object, replacing: [found.entry], patch: &patch) {
        names.addEntry(found.entry, entry)
      }
    }
  }
}

extension [Range<Int>] {
  /// The ranges, none of which overlap, ascending, and as few as they make.
  fileprivate func joined() -> [Range<Int>] {
    var joined: [Range<Int>] = []
    for range in sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = joined.last, last.upperBound == range.lowerBound {
        joined[joined.count - 1] = last.lowerBound..<range.upperBound
      } else {
        joined.append(range)
      }
    }
    return joined
  }
}
