/// One object that stands: the root, an assigned object whose entry stands, or a derived object
/// that holds something, was declared here, or has such an object below it.
struct ObjectRow: Sendable {
  let id: ObjectID
  let kind: Kind
  /// Whether somebody here holds the object's id and may write below it.
  var isDeclared = false
  /// Whether it was removed, and is held for those who may not know yet: no reader sees it.
  var isHeld = false
  /// The slot it stands in; none for the root. Of an object that was moved, or removed, some slot: its places are in
  /// `Moves.objects`.
  var slot: SlotHandle
  /// The first of its slots, which are linked through `SlotRow.next`.
  var firstSlot = SlotHandle.none
  /// How many of its slots hold something, and one more for a text that shows something.
  var presentCount: UInt32 = 0
  /// How many hold marks, whether or not a reader sees them: the text itself, and the derived objects in its slots that
  /// hold marks at whatever depth. Those that stand in elements do not count: no clear reaches them.
  var markedCount: UInt32 = 0
  /// The items of a list or text, once it has had any.
  var sequence = SequenceHandle.none
  /// Derived objects of one slot are linked, from `CompoundRow.firstChild`.
  var nextChild = ObjectHandle.none
  var previousChild = ObjectHandle.none
  /// The open change that lists its definition already, if it is the latest one.
  var touched: UInt32 = 0

  init(id: ObjectID, kind: Kind, slot: SlotHandle) {
    self.id = id
    self.kind = kind
    self.slot = slot
  }

  var isRoot: Bool { slot.isNone }
  /// Whether its presence makes the slot that it stands in present.
  var isDerived: Bool { id.isDerived && !isRoot }

  /// Marks that the open change of that number lists its definition.
  ///
  /// - Returns: the slot that it stands in; nil if the change lists it already, or it is not derived.
  @inline(__always)
  mutating func beListed(in number: UInt32) -> SlotHandle? {
    guard touched != number, isDerived else { return nil }
    touched = number
    return slot
  }
}

/// The objects of a document, found by id.
struct ObjectTable: Sendable {
  private var rows = RowTable<ObjectRow>()
  private var index = HandleIndex()
  private let salt = makeSalt()
  /// The object that was written to last, which is likely to be the next; always in use.
  private var recent = ObjectHandle(0)

  var count: Int { rows.count }
  var extent: Int { rows.extent }

  @inline(__always)
  subscript(handle: ObjectHandle) -> ObjectRow {
    unsafeAddress { rows.address(of: handle.index) }
    unsafeMutableAddress { rows.mutableAddress(of: handle.index) }
  }

  func find(_ id: ObjectID) -> ObjectHandle? {
    if rows.extent > 0, rows[recent].id == id { return recent }
    return index.find(hash: spread(id, salt: salt)) { rows[$0].id == id }.map { ObjectHandle($0) }
  }

  /// Finds an object that is about to be written to.
  mutating func locate(_ id: ObjectID) -> ObjectHandle? {
    guard let found = find(id) else { return nil }
    recent = found
    return found
  }

  mutating func insert(_ row: ObjectRow) -> ObjectHandle {
    let handle = rows.insert(row)
    let (rows, salt) = (rows, salt)
    index.insert(handle.index, hash: spread(row.id, salt: salt)) { spread(rows[$0].id, salt: salt) }
    return handle
  }

  mutating func remove(_ handle: ObjectHandle) {
    unindex(handle)
    recent = ObjectHandle(0)
    rows.remove(handle, leaving: ObjectRow(id: .root, kind: .map, slot: .none))
  }

  /// Whether the row was not given back. The root's is the first, and stays.
  func isInUse(_ handle: ObjectHandle) -> Bool {
    handle.index == 0 || !rows[handle].isRoot
  }

  /// Whether the row still is that of the object with this id.
  func holds(_ id: ObjectID, at handle: ObjectHandle) -> Bool {
    isInUse(handle) && rows[handle].id == id
  }

  var handles: some Sequence<ObjectHandle> {
    (0..<rows.extent).lazy.map { ObjectHandle($0) }.filter { isInUse($0) }
  }

  mutating func keepRowsAlone() {
    rows.keepRowsAlone()
    index = HandleIndex()
  }

  var indexExtent: Int { index.extent }

  func pieceCount(apartFrom other: ObjectTable) -> Int { rows.pieceCount(apartFrom: other.rows) }

  private mutating func unindex(_ handle: ObjectHandle) {
    let (rows, salt) = (rows, salt)
    index.remove(handle.index, hash: spread(rows[handle].id, salt: salt)) { spread(rows[$0].id, salt: salt) }
  }
}
