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

  /// Ascending by object and key.
  public var entries: [Entry]

  public init(entries: [Entry] = []) {
    self.entries = entries
  }

  public var isEmpty: Bool { entries.isEmpty }
}

extension Document {
  /// What a reader of `later` sees otherwise than a reader of this document. Neither need descend from the other.
  ///
  /// - Complexity: O(slots of both); O(1) where the versions are equal, as the states are then.
  public func difference(to later: Document) -> Difference {
    if version == later.version, !isWriting, !later.isWriting { return Difference() }
    var entries: [Difference.Entry] = []
    for slot in slots.handles where slots.isPresent(slot) {
      let (object, key) = (objects[slots[slot].object].id, keys[slots[slot].key])
      let (from, to) = (visible(slot), later.visible(key, in: object))
      if !from.looksLike(to) { entries.append(Difference.Entry(object: object, key: key, from: from, to: to)) }
    }
    for slot in later.slots.handles where later.slots.isPresent(slot) {
      let (object, key) = (later.objects[later.slots[slot].object].id, later.keys[later.slots[slot].key])
      guard !contains(key, in: object) else { continue }
      entries.append(Difference.Entry(object: object, key: key, from: .absent, to: later.visible(slot)))
    }
    entries.sort { ($0.object, $0.key) < ($1.object, $1.key) }
    return Difference(entries: entries)
  }
}
