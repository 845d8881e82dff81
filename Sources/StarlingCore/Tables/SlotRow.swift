/// One slot: its greatest entry, where it belongs, and its neighbours in the object.
///
/// ```
///  0          8       16       20            24      28      32      36      40
/// +-----------+-------+--------+-------------+-------+-------+-------+-------+
/// | payload   | stamp | place  | bits        |object | key   | next  |previous
/// +-----------+-------+--------+-------------+-------+-------+-------+-------+
///   value, or           counter  31        8  7  6  5  4    3     0
///   its handle                  | replica   |  flags       | form |
///
/// compound slot:  place = handle of its CompoundRow, where counter and replica are
/// ```
///
/// A plain slot has one entry and nothing else, and its dot is short: that is nearly every slot there is. Rows are
/// plain numbers: texts and values that do not fit a word stand in tables of their own (`SlotValues`).
struct SlotRow: Sendable {
  fileprivate(set) var payload: UInt64 = 0
  var stamp = Stamp(rawValue: 0)
  private var place: UInt32 = 0
  private var bits: UInt32 = 0
  let object: ObjectHandle
  let key: KeyHandle
  var next = SlotHandle.none
  var previous = SlotHandle.none

  init(object: ObjectHandle, key: KeyHandle) {
    self.object = object
    self.key = key
  }

  static let blank: SlotRow = {
    var row = SlotRow(object: .none, key: .none)
    row.bits = isFreeBit
    return row
  }()

  private static var hasEntryBit: UInt32 { 1 << 7 }
  private static var isCompoundBit: UInt32 { 1 << 6 }
  private static var isFreeBit: UInt32 { 1 << 5 }
  private static var hidesEntriesBit: UInt32 { 1 << 4 }
  private static var formMask: UInt32 { 15 }
  private static var replicaShift: UInt32 { 8 }

  /// Whether an entry stands; else payload, dot and stamp mean nothing.
  var hasEntry: Bool { bits & Self.hasEntryBit != 0 }
  /// Whether siblings, counter shares or derived objects stand beside it, or its dot is long.
  var isCompound: Bool { bits & Self.isCompoundBit != 0 }
  /// Whether the row was given back.
  var isFree: Bool { bits & Self.isFreeBit != 0 }

  /// Whether entries stand in the slot that nobody sees (`Moves.hidden`).
  var hidesEntries: Bool {
    get { bits & Self.hidesEntriesBit != 0 }
    set { bits = newValue ? bits | Self.hidesEntriesBit : bits & ~Self.hidesEntriesBit }
  }

  /// How `payload` is to be read.
  enum Form: UInt32 {
    /// Also where no entry stands.
    case null, bool, integer, unsigned, double, date, object, derived
    /// The handle of a text.
    case text
    /// The handle of any other value.
    case other
    /// The handle of the value that puts an object here which began elsewhere.
    case moved
  }

  @inline(__always)
  var form: Form { Form(rawValue: bits & Self.formMask)! }

  /// Whether the value has a row of its own.
  var isValueApart: Bool { form == .text || form == .other || form == .moved }

  @inline(__always)
  mutating func put(_ form: Form, _ payload: UInt64) {
    bits = bits & ~Self.formMask | form.rawValue
    self.payload = payload
  }

  // MARK: The entry of a plain slot

  /// Whether the dot has space in a row.
  @inline(__always)
  static func fits(_ dot: DotRow) -> Bool {
    dot.counter <= UInt32.max && dot.replica.rawValue < 1 << (32 - replicaShift)
  }

  /// The dot of the entry; the slot must be plain and have one.
  @inline(__always)
  var dot: DotRow {
    DotRow(replica: ReplicaHandle(rawValue: bits >> Self.replicaShift), counter: UInt64(place))
  }

  /// Notes whose the entry is in a plain slot, where the dot `fits`.
  @inline(__always)
  mutating func setEntry(_ dot: DotRow, _ stamp: Stamp) {
    self.stamp = stamp
    place = UInt32(truncatingIfNeeded: dot.counter)
    bits = bits & (1 << Self.replicaShift - 1) | dot.replica.rawValue << Self.replicaShift | Self.hasEntryBit
  }

  // MARK: A compound slot

  var compound: CompoundHandle { CompoundHandle(rawValue: place) }

  mutating func makeCompound(_ handle: CompoundHandle) {
    place = handle.rawValue
    bits = bits & (1 << Self.replicaShift - 1) | Self.isCompoundBit
  }

  mutating func makePlain(_ dot: DotRow) {
    bits &= ~Self.isCompoundBit
    place = UInt32(truncatingIfNeeded: dot.counter)
    if hasEntry { setEntry(dot, stamp) }
  }

  /// Notes whether an entry stands in a compound slot, and since when.
  mutating func setCompoundEntry(_ stamp: Stamp?) {
    self.stamp = stamp ?? Stamp(rawValue: 0)
    bits = stamp == nil ? bits & ~Self.hasEntryBit : bits | Self.hasEntryBit
  }

  /// No entry stands in a plain slot.
  mutating func dropEntry() {
    stamp = Stamp(rawValue: 0)
    bits &= ~Self.hasEntryBit
  }
}

/// What slots show that does not fit a word: texts, two words each, and the rest, three.
struct SlotValues: Sendable {
  private var texts = RowTable<String>()
  private var others = RowTable<Value>()

  /// The value of the entry in `row`; null where none stands.
  @inline(__always)
  func value(of row: SlotRow) -> Value {
    switch row.form {
    case .integer: .integer(Int64(bitPattern: row.payload))
    case .text: .string(texts[Handle<String>(rawValue: UInt32(truncatingIfNeeded: row.payload))])
    default: rareValue(of: row)
    }
  }

  /// Whether the entry in `row` has the value, which is not copied.
  @inline(__always)
  func isValue(of row: SlotRow, _ value: Value) -> Bool {
    row.form == .other ? isOtherValue(of: row, value) : self.value(of: row) == value
  }

  private func isOtherValue(of row: SlotRow, _ value: Value) -> Bool {
    others[Handle<Value>(rawValue: UInt32(truncatingIfNeeded: row.payload))] == value
  }

  private func rareValue(of row: SlotRow) -> Value {
    switch row.form {
    case .null: .null
    case .bool: .bool(row.payload != 0)
    case .integer: .integer(Int64(bitPattern: row.payload))
    case .unsigned: .unsigned(row.payload)
    case .double: .double(Double(bitPattern: row.payload))
    case .date: .date(Double(bitPattern: row.payload))
    case .object: .object(Kind(rawValue: UInt8(truncatingIfNeeded: row.payload))!)
    case .derived: .derived(Kind(rawValue: UInt8(truncatingIfNeeded: row.payload))!)
    case .text: .string(texts[Handle<String>(rawValue: UInt32(truncatingIfNeeded: row.payload))])
    case .other, .moved: others[Handle<Value>(rawValue: UInt32(truncatingIfNeeded: row.payload))]
    }
  }

  /// Puts a value in place of the one in `row`.
  ///
  /// - Returns: The former one.
  @inline(__always)
  mutating func exchange(_ value: consuming Value, in row: inout SlotRow) -> Value {
    switch (row.form, value) {
    case (.integer, .integer(let integer)):
      let former = Int64(bitPattern: row.payload)
      row.put(.integer, UInt64(bitPattern: integer))
      return .integer(former)
    case (.text, .string(var text)):
      swap(&text, &texts[Handle<String>(rawValue: UInt32(truncatingIfNeeded: row.payload))])
      return .string(text)
    default: return exchangeRare(value, in: &row)
    }
  }

  private mutating func exchangeRare(_ value: consuming Value, in row: inout SlotRow) -> Value {
    if row.form == .other, value.isOther {
      swap(&value, &others[Handle<Value>(rawValue: UInt32(truncatingIfNeeded: row.payload))])
      return value
    }
    let former = self.value(of: row)
    release(row)
    put(value, into: &row)
    return former
  }

  /// Puts a value into a row that has none.
  mutating func put(_ value: Value, into row: inout SlotRow) {
    switch value {
    case .null: row.put(.null, 0)
    case .bool(let bool): row.put(.bool, bool ? 1 : 0)
    case .integer(let integer): row.put(.integer, UInt64(bitPattern: integer))
    case .unsigned(let integer): row.put(.unsigned, integer)
    case .double(let double): row.put(.double, double.bitPattern)
    case .date(let seconds): row.put(.date, seconds.bitPattern)
    case .object(let kind): row.put(.object, UInt64(kind.rawValue))
    case .derived(let kind): row.put(.derived, UInt64(kind.rawValue))
    case .string(let text): row.put(.text, UInt64(texts.insert(text).rawValue))
    case .bytes, .json, .reference, .unknown:
      row.put(value.isOther ? .other : .moved, UInt64(others.insert(value).rawValue))
    }
  }

  /// Gives back what the value in `row` takes; the row is about to go, or to hold another.
  mutating func release(_ row: SlotRow) {
    switch row.form {
    case .text: texts.remove(Handle<String>(rawValue: UInt32(truncatingIfNeeded: row.payload)), leaving: "")
    case .other, .moved: others.remove(Handle<Value>(rawValue: UInt32(truncatingIfNeeded: row.payload)), leaving: .null)
    default: break
    }
  }

  mutating func keepRowsAlone() {
    texts.keepRowsAlone()
    others.keepRowsAlone()
  }

  func pieceCount(apartFrom other: SlotValues) -> Int {
    texts.pieceCount(apartFrom: other.texts) + others.pieceCount(apartFrom: other.others)
  }

  /// Rows in use.
  var count: Int { texts.count + others.count }
  /// Rows there is memory for.
  var extent: Int { texts.extent + others.extent }
}

extension Value {
  /// Whether it is of those whose form is `other`.
  fileprivate var isOther: Bool {
    switch self {
    case .bytes, .json, .reference: true
    case .unknown: !isPlace
    default: false
    }
  }
}
