/// What a merge or a local write visibly altered, from and to: at most one entry for a slot, none
/// for a slot whose visible value is what it was.
public struct Patch: Sendable {
  public struct Entry: Hashable, Sendable {
    public var object: ObjectID
    public var key: Key
    public var from: Visible
    public var to: Visible
    /// Whether the conflict changed: where several entries stand or did, any of them, the visible one with its writer
    /// and time too; where a count is visible, any entry beside it.
    public var conflictsChanged: Bool

    public init(object: ObjectID, key: Key, from: Visible, to: Visible, conflictsChanged: Bool) {
      self.object = object
      self.key = key
      self.from = from
      self.to = to
      self.conflictsChanged = conflictsChanged
    }
  }

  public var entries: [Entry]
  /// The edits of lists and texts: each once, in no order.
  public var sequences: [SequenceEdits] = []
  /// Assigned objects that went, with everything below them.
  public var removedObjects: [ObjectID]
  /// The slot, in the document that fills the patch, that each of the entries describes.
  var places = PatchPlaces()
  /// Which of the `sequences` is which object's, where there are many.
  var sequencePlaces: [ObjectID: Int] = [:]
  /// What it would say of objects that are held for others alone.
  var postponed = PostponedChanges()
  /// Empty: memory for the edits of the next sequence.
  var spareEdits: [SequenceEdit] = []
  /// Whether slots show something else because derived objects below them came to hold something, or no longer do.
  package internal(set) var reachesHolders = false
  /// Whether somebody beside the writer asks what it says.
  package var isAwaited = true
  /// The writer of a text, or of a property that one value shows, knows what it altered, and leaves that out where nobody
  /// else asks.
  package var listsPlainWrites = true

  public init(entries: [Entry] = [], removedObjects: [ObjectID] = []) {
    self.entries = entries
    self.removedObjects = removedObjects
  }

  /// Forgets everything, and keeps memory for the next few entries.
  public mutating func removeAll() {
    reachesHolders = false
    // As a write that nobody else asks about leaves it.
    if isEmpty, postponed.isEmpty, places.count == 0 { return }
    // One by one: to remove them at once takes a detour through generic code that costs more than the entries do.
    if entries.count <= 64 { for _ in entries.indices { entries.removeLast() } } else { entries = [] }
    if sequences.count <= 8 { removeSequences() } else { (sequences, sequencePlaces) = ([], [:]) }
    if !removedObjects.isEmpty { removedObjects = [] }
    if !postponed.isEmpty { postponed = PostponedChanges() }
    places.removeAll()
  }

  public var isEmpty: Bool { entries.isEmpty && removedObjects.isEmpty && sequences.isEmpty }
}

/// How the visible items of a list or text changed: the edits one after another, each counting in
/// what the one before left.
public struct SequenceEdits: Hashable, Sendable {
  public var object: ObjectID
  public var edits: [SequenceEdit]

  public init(object: ObjectID, edits: [SequenceEdit]) {
    self.object = object
    self.edits = edits
  }
}

/// One edit of a sequence; in texts, indices count Unicode scalars.
public enum SequenceEdit: Hashable, Sendable {
  case insert(at: Int, count: Int)
  case remove(at: Int, count: Int)
  /// An element went from one index to another: it is taken out, and `to` counts without it.
  case move(from: Int, to: Int)
  /// Properties of the range may have changed.
  case mark(at: Int, count: Int)
}

/// What a reader of a slot sees.
public enum Visible: Hashable, Sendable {
  case absent
  /// The entry with the greatest (stamp, replica id); `by` names it, and with `.object` the object it made.
  case value(Value, by: Dot)
  /// The sum of a counter's shares.
  case count(Int64)
  /// No entry stands here, but a derived container under the key holds something.
  case container(Kind)
}
