/// What stands in a slot beside its greatest entry.
struct CompoundRow: Sendable {
  /// The dot of the slot's greatest entry, whose place the handle of this row takes.
  var counter: UInt64 = 0
  var replica = ReplicaHandle.none
  /// The lesser entries, in no order.
  var siblings: ContiguousArray<EntryRow> = []
  /// At most one for each replica, in no order.
  var shares: ContiguousArray<ShareRow> = []
  /// The sum of the shares.
  var total: Int64 = 0
  /// Objects derived from the slot, linked through `ObjectRow.nextChild`.
  var firstChild = ObjectHandle.none
  /// How many of them hold something.
  var presentChildCount: UInt32 = 0

  var isNeeded: Bool { !siblings.isEmpty || !shares.isEmpty || !firstChild.isNone }
}

/// The name of an operation, in twelve bytes.
struct DotRow: Hashable, Sendable {
  var replica: ReplicaHandle
  var counter: UInt64
}

struct EntryRow: Sendable {
  var value: Value
  var replica: ReplicaHandle
  var counter: UInt64
  var stamp: Stamp

  var dot: DotRow { DotRow(replica: replica, counter: counter) }
}

struct ShareRow: Sendable {
  var replica: ReplicaHandle
  var birth: UInt64
  var last: UInt64
  var total: Int64
  var stamp: Stamp
}

/// The slots of all objects, found by (object, key).
struct SlotTable: Sendable {
  private var rows = RowTable<SlotRow>()
  private var compounds = RowTable<CompoundRow>()
  private var values = SlotValues()
  private var index = HandleIndex()
  private let salt = makeSalt()
  /// Slots in which several entries stand beside each other.
  private(set) var conflictCount = 0

  var count: Int { rows.count }
  var extent: Int { rows.extent }
  /// How many values have rows of their own.
  var valueCount: Int { values.count }
  var valueExtent: Int { values.extent }
  var compoundCount: Int { compounds.count }
  var compoundExtent: Int { compounds.extent }

  @inline(__always)
  subscript(handle: SlotHandle) -> SlotRow {
    unsafeAddress { rows.address(of: handle.index) }
    unsafeMutableAddress { rows.mutableAddress(of: handle.index) }
  }

  @inline(__always)
  func find(_ object: ObjectHandle, _ key: KeyHandle) -> SlotHandle? {
    let found = index.find(hash: Self.hash(object, key, salt: salt)) {
      rows[$0].object == object && rows[$0].key == key
    }
    return found.map { SlotHandle($0) }
  }

  mutating func insert(_ row: SlotRow) -> SlotHandle {
    let handle = rows.insert(row)
    if !index.hasSpace(for: handle.index) { makeSpaceInIndex(for: handle) }
    index.insert(handle.index, hash: Self.hash(row, salt: salt))
    return handle
  }

  @inline(never)
  private mutating func makeSpaceInIndex(for handle: SlotHandle) {
    let (rows, salt) = (rows, salt)
    index.makeSpace(for: handle.index) { Self.hash(rows[$0], salt: salt) }
  }

  /// Takes the slot out of the index and gives its rows back. Its object's list is the caller's.
  mutating func remove(_ handle: SlotHandle) {
    let row = rows[handle]
    unindex(handle)
    if hasSiblings(handle) { conflictCount -= 1 }
    if row.isCompound { compounds.remove(row.compound, leaving: CompoundRow()) }
    values.release(row)
    rows.remove(handle, leaving: .blank)
  }

  var handles: some Sequence<SlotHandle> {
    (0..<rows.extent).lazy.map { SlotHandle($0) }.filter { !rows[$0].isFree }
  }

  // MARK: What stands in a slot

  /// What stands in a compound slot beside its greatest entry.
  subscript(compound slot: SlotHandle) -> CompoundRow {
    _read { yield compounds[rows[slot].compound] }
    _modify {
      let handle = rows[slot].compound
      let hadNone = compounds[handle].siblings.isEmpty
      yield &compounds[handle]
      let hasNone = compounds[handle].siblings.isEmpty
      if hadNone != hasNone { conflictCount += hadNone ? 1 : -1 }
    }
  }

  /// How many lesser entries and shares stand beside the slot's greatest entry.
  func besideCount(_ slot: SlotHandle) -> Int {
    guard rows[slot].isCompound else { return 0 }
    return self[compound: slot].siblings.count + self[compound: slot].shares.count
  }

  /// Makes space for something beside the slot's entry.
  mutating func makeCompound(_ slot: SlotHandle) {
    guard !rows[slot].isCompound else { return }
    let dot = rows[slot].dot
    let handle = compounds.insert(CompoundRow(counter: dot.counter, replica: dot.replica))
    rows[slot].makeCompound(handle)
  }

  /// Makes the slot plain again if nothing stands beside its entry.
  mutating func simplify(_ slot: SlotHandle) {
    guard rows[slot].isCompound else { return }
    let handle = rows[slot].compound
    let dot = dot(slot)
    guard !compounds[handle].isNeeded, SlotRow.fits(dot) || !rows[slot].hasEntry else { return }
    rows[slot].makePlain(dot)
    compounds.remove(handle, leaving: CompoundRow())
  }

  /// The dot of the greatest entry; the slot must have one.
  @inline(__always)
  func dot(_ slot: SlotHandle) -> DotRow {
    guard rows[slot].isCompound else { return rows[slot].dot }
    return DotRow(replica: self[compound: slot].replica, counter: self[compound: slot].counter)
  }

  /// The value of the greatest entry; null where there is none.
  @inline(__always)
  func value(_ slot: SlotHandle) -> Value { values.value(of: rows[slot]) }

  /// Whether the greatest entry has the value.
  @inline(__always)
  func isValue(_ slot: SlotHandle, _ value: Value) -> Bool { values.isValue(of: rows[slot], value) }

  /// Whether the greatest entry is an object.
  @inline(__always)
  func holdsObject(_ slot: SlotHandle) -> Bool { rows[slot].form == .object || rows[slot].form == .moved }

  /// The greatest entry; the slot must have one.
  func entry(_ slot: SlotHandle) -> EntryRow {
    let dot = dot(slot)
    return EntryRow(value: value(slot), replica: dot.replica, counter: dot.counter, stamp: rows[slot].stamp)
  }

  /// Puts `entry`, or nothing, in the place of the greatest entry.
  mutating func setEntry(_ slot: SlotHandle, to entry: EntryRow?) {
    if let entry, !SlotRow.fits(entry.dot) { makeCompound(slot) }
    var row = rows[slot]
    _ = values.exchange(entry?.value ?? .null, in: &row)
    if row.isCompound {
      compounds[row.compound].counter = entry?.counter ?? 0
      compounds[row.compound].replica = entry?.replica ?? .none
      row.setCompoundEntry(entry?.stamp)
    } else if let entry {
      row.setEntry(entry.dot, entry.stamp)
    } else {
      row.dropEntry()
    }
    rows[slot] = row
  }

  /// Puts an entry into the row of a plain slot that is new; its dot must fit.
  @inline(__always)
  mutating func put(_ value: Value, _ dot: DotRow, _ stamp: Stamp, into row: inout SlotRow) {
    values.put(value, into: &row)
    row.setEntry(dot, stamp)
  }

  /// Puts an entry into a plain slot.
  ///
  /// - Returns: The value that stood there; null where none did.
  @inline(__always)
  mutating func exchangePlainEntry(_ slot: SlotHandle, _ value: Value, _ dot: DotRow, _ stamp: Stamp) -> Value {
    guard SlotRow.fits(dot) else { return exchangeLongEntry(slot, value, dot, stamp) }
    var row = rows[slot]
    let former = values.exchange(value, in: &row)
    row.setEntry(dot, stamp)
    rows[slot] = row
    return former
  }

  private mutating func exchangeLongEntry(
    _ slot: SlotHandle, _ value: Value, _ dot: DotRow, _ stamp: Stamp
  ) -> Value {
    let former = self.value(slot)
    setEntry(slot, to: EntryRow(value: value, replica: dot.replica, counter: dot.counter, stamp: stamp))
    return former
  }

  func hasSiblings(_ slot: SlotHandle) -> Bool {
    rows[slot].isCompound && !self[compound: slot].siblings.isEmpty
  }

  func hasShares(_ slot: SlotHandle) -> Bool {
    rows[slot].isCompound && !self[compound: slot].shares.isEmpty
  }

  func share(of replica: ReplicaHandle, at slot: SlotHandle) -> ShareRow? {
    guard rows[slot].isCompound else { return nil }
    return self[compound: slot].shares.first { $0.replica == replica }
  }

  /// Puts the share in place of the one that its replica has there, if it has one.
  mutating func put(_ share: ShareRow, at slot: SlotHandle) {
    makeCompound(slot)
    let handle = rows[slot].compound
    compounds[handle].total &+= share.total
    if let place = compounds[handle].shares.firstIndex(where: { $0.replica == share.replica }) {
      compounds[handle].total &-= compounds[handle].shares[place].total
      compounds[handle].shares[place] = share
    } else {
      compounds[handle].shares.append(share)
    }
  }

  func firstChild(_ slot: SlotHandle) -> ObjectHandle {
    rows[slot].isCompound ? self[compound: slot].firstChild : .none
  }

  /// Whether an entry, a share or a derived object that holds something stands here.
  func isPresent(_ slot: SlotHandle) -> Bool {
    if rows[slot].hasEntry { return true }
    guard rows[slot].isCompound else { return false }
    let compound = self[compound: slot]
    return !compound.shares.isEmpty || compound.presentChildCount > 0
  }

  mutating func reserve(_ count: Int) {
    let (rows, salt) = (rows, salt)
    index.reserve(count) { Self.hash(rows[$0], salt: salt) }
  }

  /// Forgets how to find slots and where to make them: what is left is gone through.
  mutating func keepRowsAlone() {
    rows.keepRowsAlone()
    compounds.keepRowsAlone()
    values.keepRowsAlone()
    index = HandleIndex()
  }

  var indexExtent: Int { index.extent }

  func pieceCount(apartFrom other: SlotTable) -> Int {
    rows.pieceCount(apartFrom: other.rows) + compounds.pieceCount(apartFrom: other.compounds)
      + values.pieceCount(apartFrom: other.values)
  }

  private mutating func unindex(_ handle: SlotHandle) {
    let (rows, salt) = (rows, salt)
    index.remove(handle.index, hash: Self.hash(rows[handle], salt: salt)) { Self.hash(rows[$0], salt: salt) }
  }

  private static func hash(_ row: SlotRow, salt: UInt64) -> UInt64 {
    hash(row.object, row.key, salt: salt)
  }

  @inline(__always)
  private static func hash(_ object: ObjectHandle, _ key: KeyHandle, salt: UInt64) -> UInt64 {
    spread(UInt64(object.rawValue) << 32 | UInt64(key.rawValue), salt: salt)
  }
}
