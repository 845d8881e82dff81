/// One slot: its greatest entry, where it belongs, and its neighbours in the object.
///
/// ```
///  0                17     20      24          32      40      44      48      52      56
/// +-------------------+------+-------+-----------+-------+-------+-------+-------+-------+
/// | value             | form |replica| counter   | stamp |object | key   | next  |previous
/// +-------------------+------+-------+-----------+-------+-------+-------+-------+-------+
///                       |              compound slot: handle of its CompoundRow,
///                       |              where the counter moves
///                       hasEntry, isCompound, isFree
/// ```
///
/// A plain slot has one entry and nothing else; that is nearly every slot there is.
struct SlotRow: Sendable {
  var value: Value = .null
  /// Whether an entry stands; else value, replica and stamp mean nothing.
  var hasEntry = false
  /// Whether siblings, counter shares or derived objects stand beside it.
  var isCompound = false
  /// Whether the row was given back.
  var isFree = false
  var replica = ReplicaHandle.none
  var counter: UInt64 = 0
  var stamp = Stamp(rawValue: 0)
  let object: ObjectHandle
  let key: KeyHandle
  var next = SlotHandle.none
  var previous = SlotHandle.none

  init(object: ObjectHandle, key: KeyHandle) {
    self.object = object
    self.key = key
  }

  @inline(__always)
  mutating func exchangePlainEntry(_ value: Value, _ dot: DotRow, _ stamp: Stamp) -> Value {
    var value = value
    swap(&self.value, &value)
    replica = dot.replica
    counter = dot.counter
    self.stamp = stamp
    hasEntry = true
    return value
  }

  static let blank: SlotRow = {
    var row = SlotRow(object: .none, key: .none)
    row.isFree = true
    return row
  }()
}

/// What stands in a slot beside its greatest entry.
struct CompoundRow: Sendable {
  /// The counter of the slot's greatest entry, whose place the handle of this row takes.
  var counter: UInt64 = 0
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
  private var index = HandleIndex()
  private let salt = makeSalt()

  var count: Int { rows.count }
  var extent: Int { rows.extent }
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
    let (rows, salt) = (rows, salt)
    index.insert(handle.index, hash: Self.hash(row, salt: salt)) { Self.hash(rows[$0], salt: salt) }
    return handle
  }

  /// Takes the slot out of the index and gives its rows back. Its object's list is the caller's.
  mutating func remove(_ handle: SlotHandle) {
    let row = rows[handle]
    unindex(handle)
    if row.isCompound { compounds.remove(compoundHandle(row), leaving: CompoundRow()) }
    rows.remove(handle, leaving: .blank)
  }

  var handles: some Sequence<SlotHandle> {
    (0..<rows.extent).lazy.map { SlotHandle($0) }.filter { !rows[$0].isFree }
  }

  // MARK: What stands in a slot

  /// What stands in a compound slot beside its greatest entry.
  subscript(compound slot: SlotHandle) -> CompoundRow {
    _read { yield compounds[compoundHandle(rows[slot])] }
    _modify { yield &compounds[compoundHandle(rows[slot])] }
  }

  /// Makes room for something beside the slot's entry.
  mutating func makeCompound(_ slot: SlotHandle) {
    guard !rows[slot].isCompound else { return }
    let handle = compounds.insert(CompoundRow(counter: rows[slot].counter))
    rows[slot].isCompound = true
    rows[slot].counter = UInt64(handle.rawValue)
  }

  /// Makes the slot plain again if nothing stands beside its entry.
  mutating func simplify(_ slot: SlotHandle) {
    guard rows[slot].isCompound else { return }
    let handle = compoundHandle(rows[slot])
    guard !compounds[handle].isNeeded else { return }
    rows[slot].counter = compounds[handle].counter
    rows[slot].isCompound = false
    compounds.remove(handle, leaving: CompoundRow())
  }

  /// The dot of the greatest entry; the slot must have one.
  @inline(__always)
  func dot(_ slot: SlotHandle) -> DotRow {
    DotRow(
      replica: rows[slot].replica,
      counter: rows[slot].isCompound ? self[compound: slot].counter : rows[slot].counter)
  }

  /// The greatest entry; the slot must have one.
  func entry(_ slot: SlotHandle) -> EntryRow {
    let dot = dot(slot)
    return EntryRow(
      value: rows[slot].value, replica: dot.replica, counter: dot.counter, stamp: rows[slot].stamp)
  }

  /// Puts `entry`, or nothing, in the place of the greatest entry.
  mutating func setEntry(_ slot: SlotHandle, to entry: EntryRow?) {
    rows[slot].value = entry?.value ?? .null
    rows[slot].replica = entry?.replica ?? .none
    rows[slot].stamp = entry?.stamp ?? Stamp(rawValue: 0)
    rows[slot].hasEntry = entry != nil
    if rows[slot].isCompound {
      compounds[compoundHandle(rows[slot])].counter = entry?.counter ?? 0
    } else {
      rows[slot].counter = entry?.counter ?? 0
    }
  }

  /// Puts `entry` into a plain slot, in one access to the row.
  ///
  /// - Returns: The value that stood there; null where none did.
  @inline(__always)
  mutating func exchangePlainEntry(_ slot: SlotHandle, _ value: Value, _ dot: DotRow, _ stamp: Stamp) -> Value {
    rows[slot].exchangePlainEntry(value, dot, stamp)
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
    let handle = compoundHandle(rows[slot])
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

  private func compoundHandle(_ row: SlotRow) -> CompoundHandle {
    CompoundHandle(Int(row.counter))
  }

  mutating func reserve(_ count: Int) {
    let (rows, salt) = (rows, salt)
    index.reserve(count) { Self.hash(rows[$0], salt: salt) }
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
