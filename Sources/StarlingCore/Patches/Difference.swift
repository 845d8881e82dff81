/// Where a reader sees one thing in one document and another in a second: at most one entry for a slot,
/// none for a slot that looks the same in both.
///
/// What an assigned object holds that is in one of the two alone is absent in the other.
public struct Difference: Hashable, Sendable {
  public struct Entry: Hashable, Sendable {
    public var object: ObjectID
    public var key: Key
    public var from: Visible
    public var to: Visible

    public init(object: ObjectID, key: Key, from: Visible, to: Visible) {
      self.object = object
      self.key = key
      self.from = from
      self.to = to
    }
  }

  /// A list whose order or whose elements differ. What an element holds is an entry.
  public struct List: Hashable, Sendable {
    public var object: ObjectID
    public var from: [Dot]
    public var to: [Dot]
  }

  /// A text that differs: a range of the former is replaced by a range of the latter, in Unicode scalars.
  public struct Text: Hashable, Sendable {
    public var object: ObjectID
    public var from: String
    public var to: String
    public var change: TextChange
  }

  /// Ascending by object and key.
  public var entries: [Entry]
  /// Ascending by object, as the texts are.
  public var lists: [List] = []
  public var texts: [Text] = []

  public init(entries: [Entry] = []) {
    self.entries = entries
  }

  public var isEmpty: Bool { entries.isEmpty && lists.isEmpty && texts.isEmpty }
}

/// What lies between the scalars that two texts both begin and end with.
public struct TextChange: Hashable, Sendable {
  /// In the former text.
  public var removed: Range<Int>
  /// In the latter; it begins where `removed` does.
  public var inserted: Range<Int>

  init(from: [Unicode.Scalar], to: [Unicode.Scalar]) {
    let shorter = min(from.count, to.count)
    var head = 0
    while head < shorter, from[head] == to[head] { head += 1 }
    var tail = 0
    while tail < shorter - head, from[from.count - 1 - tail] == to[to.count - 1 - tail] { tail += 1 }
    removed = head..<from.count - tail
    inserted = head..<to.count - tail
  }
}

extension Document {
  /// What a reader of `later` sees otherwise than a reader of this document. Neither need descend from the other.
  ///
  /// - Complexity: O(slots of both); O(1) where the versions are equal, as the states are then.
  public func difference(to later: Document) -> Difference {
    if version == later.version, !isWriting, !later.isWriting { return Difference() }
    return visibleDifference(to: later)
  }

  /// The same of states that may differ at equal versions.
  func visibleDifference(to later: Document) -> Difference {
    if unopened != nil || later.unopened != nil { return opened.visibleDifference(to: later.opened) }
    var entries: [Difference.Entry] = []
    for slot in slots.handles where slots.isPresent(slot) && !objects[slots[slot].object].isHeld {
      let (object, key) = (objects[slots[slot].object].id, keys[slots[slot].key])
      let (from, to) = (visible(slot), later.visible(key, in: object))
      if !from.looksLike(to) { entries.append(Difference.Entry(object: object, key: key, from: from, to: to)) }
    }
    for slot in later.slots.handles
    where later.slots.isPresent(slot) && !later.objects[later.slots[slot].object].isHeld {
      let (object, key) = (later.objects[later.slots[slot].object].id, later.keys[later.slots[slot].key])
      guard !contains(key, in: object) else { continue }
      entries.append(Difference.Entry(object: object, key: key, from: .absent, to: later.visible(slot)))
    }
    entries.sort { ($0.object, $0.key) < ($1.object, $1.key) }
    var difference = Difference(entries: entries)
    let sequences = Set(sequenceObjects).union(later.sequenceObjects)
    for (object, kind) in sequences.map({ ($0.id, $0.kind) }).sorted(by: { $0.0 < $1.0 }) {
      if kind == .text {
        let (from, to) = (text(in: object), later.text(in: object))
        guard !from.hasSameBytes(as: to) else { continue }
        let change = TextChange(from: Array(from.unicodeScalars), to: Array(to.unicodeScalars))
        difference.texts.append(Difference.Text(object: object, from: from, to: to, change: change))
      } else {
        let (from, to) = (elements(in: object), later.elements(in: object))
        if from != to { difference.lists.append(Difference.List(object: object, from: from, to: to)) }
      }
    }
    return difference
  }

  private struct SequenceObject: Hashable {
    var id: ObjectID
    var kind: Kind
  }

  private var sequenceObjects: [SequenceObject] {
    sequenceHandles.filter { !objects[sequences[$0].object].isHeld }.map { handle in
      let row = objects[sequences[handle].object]
      return SequenceObject(id: row.id, kind: row.kind)
    }
  }
}
