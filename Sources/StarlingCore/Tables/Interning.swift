/// Every replica that wrote something that stands, each once.
///
/// Rows are never given back: the version names these replicas for ever anyway.
struct ReplicaTable: Sendable {
  private var rows: ContiguousArray<ReplicaID> = []
  /// The replica that wrote last, which is likely to be the next.
  private var recent = 0
  private var index = HandleIndex()
  private let salt: UInt64

  init() { salt = makeSalt() }

  private init(salt: UInt64) { self.salt = salt }

  /// What stands in the place of a table that is taken out for a moment; making it costs nothing.
  static var placeholder: ReplicaTable { ReplicaTable(salt: 0) }

  var count: Int { rows.count }

  @inline(__always)
  subscript(handle: ReplicaHandle) -> ReplicaID { rows[handle.index] }

  func find(_ id: ReplicaID) -> ReplicaHandle? {
    index.find(hash: spread(id.rawValue, salt: salt)) { rows[$0] == id }.map { ReplicaHandle($0) }
  }

  mutating func intern(_ id: ReplicaID) -> ReplicaHandle {
    if recent < rows.count, rows[recent] == id { return ReplicaHandle(recent) }
    if let handle = find(id) {
      recent = handle.index
      return handle
    }
    rows.append(id)
    let (rows, salt) = (rows, salt)
    index.insert(rows.count - 1, hash: spread(id.rawValue, salt: salt)) { spread(rows[$0].rawValue, salt: salt) }
    return ReplicaHandle(rows.count - 1)
  }
}

/// One key, and how many slots bear it.
struct KeyRow: Sendable {
  var key: Key
  var useCount: UInt32
}

/// Every key that some slot bears, each once however many objects use it.
struct KeyTable: Sendable {
  private var rows = RowTable<KeyRow>()
  private var index = HandleIndex()
  private let salt = makeSalt()

  var count: Int { rows.count }
  var extent: Int { rows.extent }

  @inline(__always)
  subscript(handle: KeyHandle) -> Key { rows[handle].key }

  @inline(__always)
  func `is`(_ handle: KeyHandle, _ key: Key) -> Bool { rows[handle].key == key }

  func useCount(_ handle: KeyHandle) -> Int { Int(rows[handle].useCount) }

  func find(_ key: Key) -> KeyHandle? {
    find(key, hash: spread(key, salt: salt))
  }

  /// The handle of `key` for a slot that is about to bear it.
  mutating func retain(_ key: Key) -> KeyHandle {
    let hash = spread(key, salt: salt)
    if let handle = find(key, hash: hash) {
      rows[handle].useCount += 1
      return handle
    }
    let handle = rows.insert(KeyRow(key: key, useCount: 1))
    if !index.hasSpace(for: handle.index) { makeSpaceInIndex(for: handle) }
    index.insert(handle.index, hash: hash)
    return handle
  }

  @inline(never)
  private mutating func makeSpaceInIndex(for handle: KeyHandle) {
    let (rows, salt) = (rows, salt)
    index.makeSpace(for: handle.index) { spread(rows[$0].key, salt: salt) }
  }

  /// A slot that bore the key is gone; with the last one the key goes.
  mutating func release(_ handle: KeyHandle) {
    rows[handle].useCount -= 1
    guard rows[handle].useCount == 0 else { return }
    unindex(handle)
    rows.remove(handle, leaving: KeyRow(key: .integer(0), useCount: 0))
  }

  mutating func reserve(_ count: Int) {
    let (rows, salt) = (rows, salt)
    index.reserve(count) { spread(rows[$0].key, salt: salt) }
  }

  mutating func keepRowsAlone() {
    rows.keepRowsAlone()
    index = HandleIndex()
  }

  var indexExtent: Int { index.extent }

  func pieceCount(apartFrom other: KeyTable) -> Int { rows.pieceCount(apartFrom: other.rows) }

  private mutating func unindex(_ handle: KeyHandle) {
    let (rows, salt) = (rows, salt)
    index.remove(handle.index, hash: spread(rows[handle].key, salt: salt)) { spread(rows[$0].key, salt: salt) }
  }

  private func find(_ key: Key, hash: UInt64) -> KeyHandle? {
    index.find(hash: hash) { rows[$0].key == key }.map { KeyHandle($0) }
  }
}
