import StarlingCore

/// Spells ascending keys, each against the one before it and against the keys of the group above
/// (Protocol/wire-format.md, "Lines of keys").
///
/// ```
/// group above:   author  pages  title  year
///                        ^ cursor: the least key above that is greater than the last one here
/// this group:    author  ...
/// ```
///
/// The fields of a thousand models cost nothing but in the first, and "row-101" after "row-100"
/// costs nothing at all; nor does an element after the one inserted right before it.
struct KeyLine {
  /// Three bits.
  enum Form {
    static let whole: UInt8 = 0
    /// The name before with another ending.
    static let ending: UInt8 = 1
    /// The name before with another last byte.
    static let lastByte: UInt8 = 2
    /// The name before and one byte.
    static let oneMore: UInt8 = 3
    /// The name before with its last byte plus one; the element before with its counter plus one.
    static let next: UInt8 = 4
    /// The key under the cursor.
    static let above: UInt8 = 5
    /// The integer before, or the counter of the element before, plus one, plus so many.
    static let later: UInt8 = 6
    /// An element that the snapshot's version covers.
    static let shortDot: UInt8 = 7
  }

  private let version: VersionVector
  private var replicas: ReplicaNumbers
  /// The place of the replica of the element before; -1 where no short dot said it.
  private var elementReplica = -1

  init(version: VersionVector) {
    self.version = version
    replicas = ReplicaNumbers(version)
  }

  private var above: [Key] = []
  private var group: [Key] = []
  private var cursor = 0
  /// The bytes of the name before; meaningless where that was no name.
  private var name: [UInt8] = []

  private var underCursor: Key? { cursor < above.count ? above[cursor] : nil }

  /// The last key, where it is an element that the version covers and whose replica is known by its place.
  var coveredElement: ItemPlace? {
    guard elementReplica >= 0, case .element(let dot) = group.last,
      dot.counter <= version.entries[elementReplica].counter
    else { return nil }
    return ItemPlace(replica: elementReplica, counter: dot.counter)
  }

  mutating func beginGroup() {
    swap(&above, &group)
    group.removeAll(keepingCapacity: true)
    cursor = 0
  }

  /// The next key is the first of a group, and none stands above.
  mutating func beginBlock() {
    above.removeAll(keepingCapacity: true)
    group.removeAll(keepingCapacity: true)
    cursor = 0
    elementReplica = -1
  }

  private mutating func advance(past key: Key) {
    group.append(key)
    while cursor < above.count, above[cursor] <= key { cursor += 1 }
  }

  // MARK: Writing

  /// Appends what `key` needs beside its form, and returns that: the first that applies, in the
  /// order above, below, last byte next, last byte, one more, ending, whole.
  mutating func write(_ key: Key, into bytes: inout [UInt8]) -> UInt8 {
    defer { advance(past: key) }
    let form: UInt8
    switch (group.last, key) {
    case _ where key == underCursor: form = Form.above
    case (.name, .name(let text)): form = write([UInt8](text.utf8), after: name, into: &bytes)
    case (.integer(let last), .integer(let integer)) where last < integer:
      bytes.append(varint: UInt64(bitPattern: integer &- last) - 1)
      form = Form.later
    case (_, .element(let dot)): form = write(dot, after: group.last, into: &bytes)
    default: form = Form.whole
    }
    if form == Form.whole { bytes.append(key) }
    if case .name(let text) = key { name = [UInt8](text.utf8) }
    if form == Form.whole || form == Form.above { elementReplica = -1 }
    return form
  }

  private mutating func write(_ dot: Dot, after previous: Key?, into bytes: inout [UInt8]) -> UInt8 {
    if case .element(let last) = previous, last.replica == dot.replica, last.counter < dot.counter {
      if dot.counter - last.counter == 1 { return Form.next }
      bytes.append(varint: dot.counter - last.counter - 1)
      return Form.later
    }
    guard let replica = replicas.number(of: dot.replica), 1...version.entries[replica].counter ~= dot.counter else {
      return Form.whole
    }
    bytes.append(varint: replica)
    bytes.append(varint: version.entries[replica].counter - dot.counter)
    elementReplica = replica
    return Form.shortDot
  }

  private func write(_ name: [UInt8], after previous: [UInt8], into bytes: inout [UInt8]) -> UInt8 {
    let shared = name.sharedPrefixCount(with: previous)
    if !previous.isEmpty, name.count == previous.count, shared == name.count - 1 {
      if name[shared] == previous[shared] &+ 1 { return Form.next }
      bytes.append(name[shared])
      return Form.lastByte
    }
    if name.count == previous.count + 1, shared == previous.count {
      bytes.append(name[shared])
      return Form.oneMore
    }
    guard shared > 0 else { return Form.whole }
    bytes.append(ending: name, after: previous, sharing: shared)
    return Form.ending
  }

  // MARK: Reading

  /// - Parameter repeating: whether a key may stand twice in a row, as where two objects share it.
  /// - Parameter start: where the head stands that held the form.
  mutating func read(
    _ form: UInt8, repeating: Bool = false, at start: Int, _ reader: inout Reader
  ) throws(WireError) -> Key {
    let key = try spelled(form, at: start, &reader)
    if let previous = group.last, key < previous || (key == previous && !repeating) {
      throw reader.error(.outOfOrder, "Keys do not ascend", at: start)
    }
    if form == Form.whole || form == Form.above {
      if case .name(let text) = key { name = [UInt8](text.utf8) }
      elementReplica = -1
    }
    advance(past: key)
    return key
  }

  private mutating func spelled(_ form: UInt8, at start: Int, _ reader: inout Reader) throws(WireError) -> Key {
    switch form {
    case Form.whole: return try reader.key()
    case Form.above:
      guard let key = underCursor else {
        throw reader.error(.unknownIndex, "A key of the group above is named and none is left", at: start)
      }
      return key
    case Form.shortDot:
      let item = try reader.shortDot(in: version)
      elementReplica = item.replica
      return .element(Dot(version.entries[item.replica].replica, item.counter))
    case Form.later: return try later(distance: reader.varint(), at: start, reader)
    default:
      if form == Form.next, case .element = group.last { return try later(distance: 0, at: start, reader) }
      guard case .name = group.last else { throw wrongPredecessor(reader, at: start) }
      return try spelledByPrevious(form, at: start, &reader)
    }
  }

  private func later(distance: UInt64, at start: Int, _ reader: Reader) throws(WireError) -> Key {
    switch group.last {
    case .integer(let previous):
      let (integer, overflow) = previous.addingReportingOverflow(1)
      guard !overflow, distance <= UInt64(bitPattern: Int64.max &- integer) else {
        throw reader.error(.malformed, "An integer key passes 2^63 - 1", at: start)
      }
      return .integer(Int64(bitPattern: UInt64(bitPattern: integer) &+ distance))
    case .element(let previous):
      guard distance < counterMax - previous.counter else {
        throw reader.error(.malformed, "The counter of an element passes 2^63 - 1", at: start)
      }
      return .element(Dot(previous.replica, previous.counter + 1 + distance))
    default: throw wrongPredecessor(reader, at: start)
    }
  }

  private mutating func spelledByPrevious(
    _ form: UInt8, at start: Int, _ reader: inout Reader
  ) throws(WireError) -> Key {
    if form != Form.ending { try reader.spendExpansion(name.count, at: start) }
    switch form {
    case Form.ending: try reader.replaceEnding(of: &name, atMost: reader.limits.keyByteCountMax)
    case Form.oneMore:
      guard name.count < reader.limits.keyByteCountMax else {
        throw reader.error(.tooLarge, "A key has more than \(reader.limits.keyByteCountMax) bytes", at: start)
      }
      name.append(try reader.byte())
    default:
      guard let last = name.last else { throw wrongPredecessor(reader, at: start) }
      name[name.count - 1] = form == Form.next ? last &+ 1 : try reader.byte()
    }
    guard let text = String(wellFormed: name) else {
      throw reader.error(.malformed, "A key is not UTF-8", at: start)
    }
    return .name(text)
  }

  private func wrongPredecessor(_ reader: Reader, at start: Int) -> WireError {
    reader.error(.malformed, "A key is spelled by one before it that does not serve", at: start)
  }
}
