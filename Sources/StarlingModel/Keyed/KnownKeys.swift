public import StarlingCore

/// What a keyed collection knows of its keys. One that stands in a document knows nothing until somebody asks:
///
/// ```
///   unread ── somebody asks ──► missing, or stored ── what it is to the program is asked ──► member, or missing
/// ```
///
/// What is unread was seen by nobody, so nobody is told of it. What is known is kept up to date, also that nothing
/// stands under a key, for the sake of those who read that.
///
/// A key that is known has a row, and the member under it the place of that number in `KeyedMembers`. So nothing here
/// depends on the type of the elements, which the compiler does not know: going over all keys is fast.
@usableFromInline struct KnownKeys {
  private enum Known {
    /// Nothing stands there, or nothing that this program can read.
    case missing
    /// As the document showed it; not decoded yet, which may be the application's code.
    case stored(Visible)
    case member

    var isMissing: Bool { if case .missing = self { true } else { false } }
  }

  /// Something to be decoded.
  struct Stored {
    var row: Int
    var key: Key
    var visible: Visible
  }

  private struct Row {
    var key: Key
    var known: Known
  }

  /// Those that no key has are missing.
  private var rows: [Row] = []
  /// Which rows the keys have.
  private var index = HandleIndex()
  private let salt = makeSalt()
  private var freeRows: [Int] = []
  /// Whether every key is known, and those without a row are missing: that of a collection on its own always is.
  private(set) var isWhole = true
  private(set) var missingCount = 0
  private var storedCount = 0
  /// What unread keys show until the merges that altered them are delivered.
  private var former: [Key: Visible] = [:]
  /// The members in canonical order, once somebody has asked for them.
  private var order: [KeyRow]?
  /// Another one each time that a row may become another key's.
  @usableFromInline private(set) var layout = 0

  /// Whether every key is known and decoded.
  var isSettled: Bool { isWhole && storedCount == 0 }
  /// How many members there are, of a collection that is settled.
  var count: Int { index.count }

  /// Nothing is known any more.
  static func unread(after former: KnownKeys) -> KnownKeys {
    var keys = KnownKeys()
    keys.isWhole = false
    keys.layout = former.layout + 1
    return keys
  }

  /// Whether anybody has read the key.
  func isKnown(_ key: Key) -> Bool { isWhole || row(of: key) != nil }

  func row(of key: Key) -> Int? { row(of: key, hash: spread(key, salt: salt)) }

  private func row(of key: Key, hash: UInt64) -> Int? { index.find(hash: hash) { rows[$0].key == key } }

  /// The row of a key, and whether what stands there is read and decoded.
  func look(at key: Key) -> (row: Int?, isSettled: Bool) {
    guard let row = row(of: key) else { return (nil, isWhole) }
    if case .stored = rows[row].known { return (row, false) }
    return (row, true)
  }

  func stored(at key: Key) -> Stored? {
    guard let row = row(of: key), case .stored(let visible) = rows[row].known else { return nil }
    return Stored(row: row, key: key, visible: visible)
  }

  /// What is not decoded yet.
  var stored: [Stored] {
    var found: [Stored] = []
    if storedCount == 0 { return found }
    found.reserveCapacity(storedCount)
    for row in rows.indices {
      if case .stored(let visible) = rows[row].known {
        found.append(Stored(row: row, key: rows[row].key, visible: visible))
      }
    }
    return found
  }

  /// The keys of members, and their rows.
  var members: [KeyRow] {
    var found: [KeyRow] = []
    found.reserveCapacity(index.count)
    for row in rows.indices {
      if case .member = rows[row].known { found.append(KeyRow(key: rows[row].key, row: row)) }
    }
    return found
  }

  /// The keys in canonical order, of a collection that is settled, and the rows of their members.
  ///
  /// - Complexity: O(1) where no key came or went since; O(*n*) where they were read in order, O(*n* log *n*) at most.
  mutating func sorted() -> [KeyRow] {
    if let order { return order }
    // A stored snapshot has them nearly in order, and sorting what is in order takes a comparison a key.
    let sorted = members.sorted { $0.key < $1.key }
    order = sorted
    return sorted
  }

  // MARK: Writing

  /// - Returns: The row of the member.
  mutating func putMember(at key: Key) -> Int {
    if !former.isEmpty { former[key] = nil }
    let hash = spread(key, salt: salt)
    if let row = row(of: key, hash: hash) {
      alter(row, .member)
      return row
    }
    return add(key, hash, .member)
  }

  /// - Returns: The row that the key had.
  mutating func putMissing(at key: Key) -> Int? {
    if !former.isEmpty { former[key] = nil }
    let hash = spread(key, salt: salt)
    guard let row = row(of: key, hash: hash) else {
      if !isWhole { _ = add(key, hash, .missing) }
      return nil
    }
    alter(row, .missing)
    return row
  }

  /// What is stored has been decoded.
  ///
  /// - Returns: Whether it was still to be decoded.
  mutating func settle(_ row: Int, isMissing: Bool) -> Bool {
    guard case .stored = rows[row].known else { return false }
    alter(row, isMissing ? .missing : .member)
    return true
  }

  private mutating func add(_ key: Key, _ hash: UInt64, _ known: Known) -> Int {
    let row = freeRows.popLast() ?? rows.count
    if !index.hasSpace(for: row) {
      let (rows, salt) = (rows, salt)
      index.makeSpace(for: row) { spread(rows[$0].key, salt: salt) }
    }
    index.insert(row, hash: hash)
    if row < rows.count {
      rows[row] = Row(key: key, known: known)
    } else {
      rows.append(Row(key: key, known: known))
    }
    count(known, by: 1)
    if !known.isMissing { order = nil }
    return row
  }

  private mutating func alter(_ row: Int, _ known: Known) {
    count(rows[row].known, by: -1)
    if rows[row].known.isMissing != known.isMissing { order = nil }
    rows[row].known = known
    if isWhole, known.isMissing { free(row) } else { count(known, by: 1) }
  }

  private mutating func free(_ row: Int) {
    let (rows, salt) = (rows, salt)
    index.remove(row, hash: spread(rows[row].key, salt: salt)) { spread(rows[$0].key, salt: salt) }
    freeRows.append(row)
    layout += 1
  }

  private mutating func count(_ known: Known, by amount: Int) {
    switch known {
    case .missing: missingCount += amount
    case .stored: storedCount += amount
    case .member: break
    }
  }

  // MARK: Reading

  /// Notes what the document shows under a key, if nobody has read that.
  mutating func read(_ visible: Visible, at key: Key) {
    let hash = spread(key, salt: salt)
    guard row(of: key, hash: hash) == nil else { return }
    let visible = former.isEmpty ? visible : former.removeValue(forKey: key) ?? visible
    add(visible, at: key, hash)
  }

  /// The same for a key that is not known, and was not shown before.
  mutating func readFirst(_ visible: Visible, at key: Key) {
    assert(row(of: key) == nil, "\(key) is shown twice.")
    add(visible, at: key, spread(key, salt: salt))
  }

  /// Whether nothing is known of any key.
  var isBlank: Bool { rows.isEmpty && former.isEmpty }

  private mutating func add(_ visible: Visible, at key: Key, _ hash: UInt64) {
    if case .absent = visible { _ = add(key, hash, .missing) } else { _ = add(key, hash, .stored(visible)) }
  }

  mutating func reserveCapacity(_ count: Int) {
    rows.reserveCapacity(count)
    let (rows, salt) = (rows, salt)
    index.reserve(count) { spread(rows[$0].key, salt: salt) }
  }

  /// Whatever the document shows has been read; under all other keys it shows nothing.
  mutating func finishReading() {
    // What a merge has taken away and nobody was told of.
    for (key, visible) in former { read(visible, at: key) }
    former = [:]
    isWhole = true
    if missingCount > 0 {
      for row in rows.indices where rows[row].known.isMissing { free(row) }
    }
    missingCount = 0
  }

  // MARK: Merges that are not delivered yet

  /// Notes what an unread key shows until its merge is delivered.
  mutating func keepFormer(_ visible: Visible, at key: Key) {
    if !isWhole, row(of: key) == nil, former[key] == nil { former[key] = visible }
  }

  /// The merges of an unread key are delivered.
  mutating func dropFormer(at key: Key) { former[key] = nil }
}

/// A key and the row of its member.
@usableFromInline struct KeyRow: Sendable {
  @usableFromInline var key: Key
  @usableFromInline var row: Int

  init(key: Key, row: Int) {
    self.key = key
    self.row = row
  }
}
