import StarlingCore

/// Reads one snapshot, front to back, and holds it to canonical order.
struct SnapshotReader {
  var reader: Reader
  private(set) var version = Version()
  private var line = EntryLine(stamp: Stamp(rawValue: 0))

  init(_ reader: Reader) {
    self.reader = reader
  }

  mutating func read() throws(WireError) -> Snapshot {
    let versionByte = try reader.byte()
    guard versionByte == snapshotVersion else {
      throw reader.error(
        .unsupportedVersion, "The snapshot is in version \(versionByte), this program reads \(snapshotVersion)", at: 0)
    }
    version = try reader.version()
    let frontier = try readFrontier()
    let latestStamp = Stamp(rawValue: try reader.fixed64())
    line.stamp = latestStamp

    var family = Family()
    try readStanding(&family)
    try readDerived(&family)
    var objects: [Snapshot.Object] = []
    var keys = KeyLine(version: version)
    for place in family.members.indices {
      let member = family.members[place]
      guard let origin = member.origin else {
        guard member.isParent else {
          throw reader.error(.malformed, "An object is named as a parent and has no children", at: member.place)
        }
        continue
      }
      var object = Snapshot.Object(id: member.id, origin: origin, slots: try readSlots(keys: &keys))
      if origin.isSequence { object.sequence = try readSequence() }
      objects.append(object)
    }
    objects.sort { $0.id < $1.id }
    return Snapshot(version: version, frontier: frontier, latestStamp: latestStamp, objects: objects)
  }

  private mutating func readFrontier() throws(WireError) -> [Dot] {
    let count = try reader.count(ofSize: 2)
    var frontier: [Dot] = []
    for _ in 0..<count {
      let start = reader.offset
      let dot = try readDot()
      if let last = frontier.last, dot <= last {
        throw reader.error(.outOfOrder, "The dots of a frontier do not ascend", at: start)
      }
      frontier.append(dot)
    }
    return frontier
  }

  // MARK: Objects

  private struct Family {
    struct Member {
      var id: ObjectID
      /// Nil for one that is named only as a parent.
      var origin: Snapshot.Origin?
      var depth = 0
      var isParent = false
      var place: Int
    }

    var members: [Member] = []
  }

  private mutating func readStanding(_ family: inout Family) throws(WireError) {
    let place = reader.offset
    let count = try reader.count(ofSize: 1)
    try reader.spendSnapshotEntries(count, at: place)
    for _ in 0..<count {
      let start = reader.offset
      let member = try readStanding()
      if let last = family.members.last, member.id == .root || (last.id != .root && member.id <= last.id) {
        throw reader.error(.outOfOrder, "Objects do not ascend", at: start)
      }
      family.members.append(member)
    }
  }

  private mutating func readStanding() throws(WireError) -> Family.Member {
    let start = reader.offset
    let form = try reader.byte()
    switch form {
    case StandingForm.rootAsParent: return Family.Member(id: .root, place: start)
    case StandingForm.root: return Family.Member(id: .root, origin: .root, place: start)
    case StandingForm.assignedAsParent:
      return Family.Member(id: .assigned(by: try readDot()), place: start)
    default:
      guard let kind = Kind(rawValue: form - StandingForm.firstKind) else {
        throw reader.error(.malformed, "No object begins with \(form)", at: start)
      }
      return Family.Member(id: .assigned(by: try readDot()), origin: .assigned(kind), place: start)
    }
  }

  private mutating func readDerived(_ family: inout Family) throws(WireError) {
    let place = reader.offset
    let count = try reader.count(ofSize: 1)
    try reader.spendSnapshotEntries(count, at: place)
    var keys = KeyLine(version: version)
    var parent = 0
    var last: (key: Key, kind: Kind)?
    for number in 0..<count {
      let start = reader.offset
      let head = try reader.varint()
      let distance = head >> 6
      guard distance < UInt64(family.members.count - parent) else {
        throw reader.error(.unknownIndex, "A parent is named that does not stand before its child", at: start)
      }
      if distance > 0 || number == 0 {
        keys.beginGroup()
        last = nil
      }
      parent += Int(distance)
      guard let kind = Kind(rawValue: UInt8(head >> 3 & 7)) else {
        throw reader.error(.malformed, "No kind of object is \(head >> 3 & 7)", at: start)
      }
      let key = try keys.read(UInt8(head & 7), repeating: true, at: start, &reader)
      if let last, (key, kind) <= last {
        throw reader.error(.outOfOrder, "Two objects under one key do not ascend by kind", at: start)
      }
      last = (key, kind)
      let depth = family.members[parent].depth + 1
      guard depth <= reader.limits.nestingDepthMax else {
        throw reader.error(.tooDeep, "An object stands more than \(reader.limits.nestingDepthMax) deep", at: start)
      }
      family.members[parent].isParent = true
      let definition = ObjectDefinition(parent: family.members[parent].id, key: key, kind: kind)
      family.members.append(
        Family.Member(id: definition.id, origin: .derived(definition), depth: depth, place: start))
    }
  }

  // MARK: Slots

  private mutating func readSlots(keys: inout KeyLine) throws(WireError) -> [Snapshot.Slot] {
    let place = reader.offset
    let count = try reader.count(ofSize: 1)
    try reader.spendSnapshotEntries(count, at: place)
    keys.beginGroup()
    var slots: [Snapshot.Slot] = []
    slots.reserveCapacity(count)
    for _ in 0..<count {
      let start = reader.offset
      let head = try reader.byte()
      let key = try keys.read(head & SlotHead.keyMask, at: start, &reader)
      if let element = keys.coveredElement { line.follow(element) }
      if head & SlotHead.dotMask == SlotHead.counts {
        guard head & ~SlotHead.keyMask == SlotHead.counts else {
          throw reader.error(.malformed, "No slot begins with \(head)", at: start)
        }
        slots.append(try readCounted(key))
      } else {
        slots.append(Snapshot.Slot(key: key, entries: [try readEntry(head)], shares: []))
      }
    }
    return slots
  }

  private mutating func readCounted(_ key: Key) throws(WireError) -> Snapshot.Slot {
    let start = reader.offset
    let entryCount = try reader.count(ofSize: 1)
    let shareCount = try reader.count(ofSize: 1)
    guard shareCount > 0 || entryCount > 1 else {
      throw reader.error(.overlong, "A slot spells out that it has \(entryCount) entries", at: start)
    }
    try reader.spendSnapshotEntries(entryCount + shareCount, at: start)
    var slot = Snapshot.Slot(key: key, entries: [], shares: [])
    slot.entries.reserveCapacity(entryCount)
    for _ in 0..<entryCount {
      let start = reader.offset
      let head = try reader.byte()
      guard head & SlotHead.keyMask == 0, head & SlotHead.dotMask != SlotHead.counts else {
        throw reader.error(.malformed, "No entry begins with \(head)", at: start)
      }
      let entry = try readEntry(head)
      if let last = slot.entries.last, entry.dot <= last.dot {
        throw reader.error(.outOfOrder, "The entries of a slot do not ascend", at: start)
      }
      slot.entries.append(entry)
    }
    slot.shares.reserveCapacity(shareCount)
    for _ in 0..<shareCount {
      let start = reader.offset
      let share = try readShare()
      if let last = slot.shares.last, (share.replica, share.birth) <= (last.replica, last.birth) {
        throw reader.error(.outOfOrder, "The shares of a counter do not ascend", at: start)
      }
      slot.shares.append(share)
    }
    return slot
  }

  private mutating func readShare() throws(WireError) -> CounterShare {
    let last = try readDot()
    let start = reader.offset
    let distance = try reader.varint()
    guard distance < last.counter else {
      throw reader.error(.malformed, "A share begins \(distance) operations before number \(last.counter)", at: start)
    }
    return CounterShare(
      replica: last.replica, birth: last.counter - distance, last: last.counter, total: try reader.signedVarint(),
      stamp: try readStampDifference())
  }

  private mutating func readEntry(_ head: UInt8) throws(WireError) -> Entry {
    let start = reader.offset
    switch head & SlotHead.dotMask {
    case SlotHead.wholeDot:
      let dot = try reader.shortDot(in: version)
      line.replica = dot.replica
      line.counter = dot.counter
    default:
      guard line.replica >= 0 else {
        throw reader.error(.malformed, "The first entry is spelled by one before it", at: start)
      }
      let difference = head & SlotHead.dotMask == SlotHead.dotNext ? 1 : try reader.signedVarint()
      let counter = line.counter &+ UInt64(bitPattern: difference)
      guard counter >= 1, counter <= version.entries[line.replica].counter else {
        throw reader.error(.malformed, "A dot lies outside the snapshot's version", at: start)
      }
      line.counter = counter
    }
    let stamp = head & SlotHead.stamp == 0 ? line.stamp : try readStampDifference()
    let value = try readValue(head)
    line.value = value
    return Entry(dot: Dot(version.entries[line.replica].replica, line.counter), stamp: stamp, value: value)
  }

  mutating func readStampDifference() throws(WireError) -> Stamp {
    let start = reader.offset
    let milliseconds = line.stamp.milliseconds &+ UInt64(bitPattern: try reader.signedVarint())
    let logical = try reader.varint()
    guard milliseconds <= 0xFFFF_FFFF_FFFF, logical <= 0xFFFF else {
      throw reader.error(.malformed, "A stamp does not fit 48 and 16 bits", at: start)
    }
    line.stamp = Stamp(rawValue: milliseconds << 16 | logical)
    return line.stamp
  }

  private mutating func readValue(_ head: UInt8) throws(WireError) -> Value {
    switch head & SlotHead.valueMask {
    case SlotHead.sameValue: return line.value
    case SlotHead.integerDifference:
      line.integer = line.integer &+ (try reader.signedVarint())
      return .integer(line.integer)
    case SlotHead.textEnding: return .string(try readTextEnding())
    default:
      let value = try reader.value()
      if case .integer(let integer) = value { line.integer = integer }
      if case .string(let text) = value { line.text = [UInt8](text.utf8) }
      return value
    }
  }

  private mutating func readTextEnding() throws(WireError) -> String {
    let start = reader.offset
    try reader.replaceEnding(of: &line.text, atMost: reader.limits.valueByteCountMax)
    guard let text = String(wellFormed: line.text) else {
      throw reader.error(.malformed, "A text is not UTF-8", at: start)
    }
    return text
  }

  // MARK: Dots

  mutating func readDot() throws(WireError) -> Dot {
    dot(at: try reader.shortDot(in: version))
  }

  func dot(at place: ItemPlace) -> Dot {
    Dot(version.entries[place.replica].replica, place.counter)
  }
}

extension Reader {
  /// A dot that `version` covers.
  mutating func shortDot(in version: Version) throws(WireError) -> ItemPlace {
    let start = offset
    return try shortDot(of: varint(), in: version, at: start)
  }

  /// - Parameter start: where the replica's number stands.
  mutating func shortDot(of replica: UInt64, in version: Version, at start: Int) throws(WireError) -> ItemPlace {
    guard replica < UInt64(version.entries.count) else {
      throw error(.unknownIndex, "Replica \(replica) is named and the version has \(version.entries.count)", at: start)
    }
    let place = offset
    let covered = version.entries[Int(replica)].counter
    let distance = try varint()
    guard distance < covered else {
      throw error(.malformed, "A dot lies \(distance) below a version of \(covered)", at: place)
    }
    return ItemPlace(replica: Int(replica), counter: covered - distance)
  }
}
