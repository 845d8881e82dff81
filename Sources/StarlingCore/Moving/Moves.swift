/// What a document holds besides its tables where objects move; empty where none ever did.
///
/// ```
/// objects   object → its places, where that is more than the entry that brought it into being
/// hidden    slot → the entries in it that stand and that nobody sees, since their object stands elsewhere
/// orphans   object that nothing leads to from the root → who knows of that may not move it any more
/// incomplete  objects that came back after somebody had forgotten them
/// ```
struct Moves: Sendable {
  /// Whether objects that are removed are held until everybody knows: where somebody asked for it, and while any of
  /// what follows is there.
  var isOn = false
  var isAsked = false
  var objects: [ObjectHandle: MovedRow] = [:]
  var hidden: [SlotHandle: ContiguousArray<EntryRow>] = [:]
  /// Nil until the call ends that removed it.
  var orphans: [ObjectHandle: VersionVector?] = [:]
  /// Whether places came or went in the present call.
  var isDirty = false
  /// The objects whose places they are.
  var touched: Set<ObjectHandle> = []
  /// Whether those of others may be among them.
  var touchesAll = false
  /// Whether an object stands elsewhere than at its first choice, since that would make a circle.
  var isCircling = false
  /// How many entries the patch had when the present call began, and whether it held objects.
  var patchEntryCount = 0
  var hasHeld = false
  /// Whether objects that were held stand again since the present call began.
  var hasReturned = false
  /// Slots of elements that lost the last of their hidden entries in the present call, and hold nothing yet.
  var bared: Set<SlotHandle> = []
  /// Objects that got their first place from the state that is being merged.
  var arrived: Set<ObjectHandle> = []
  /// The object that is being placed.
  var placing: ObjectHandle?
  /// Assigned objects that may lack what the version covers, or hold what an operation removed that it covers.
  var incomplete: Set<ObjectHandle> = []
  /// Objects that the open change took away and may put elsewhere yet.
  var setAside: Set<ObjectHandle> = []

  var isEmpty: Bool { objects.isEmpty && orphans.isEmpty && setAside.isEmpty && incomplete.isEmpty }

  mutating func rest() {
    if isEmpty, !isAsked { isOn = false }
  }
}

struct MovedRow: Sendable {
  var places: ContiguousArray<PlaceRow> = []
  /// The entry at which a reader sees the object; nil if nothing leads to it.
  var effective: DotRow?
}

/// An entry that puts an object somewhere.
struct PlaceRow: Sendable {
  var dot: DotRow
  var stamp: Stamp
  var slot: SlotHandle
  /// Nil for the entry that brought the object into being.
  var from: Dot?
}
