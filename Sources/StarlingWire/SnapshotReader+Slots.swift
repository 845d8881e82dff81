import StarlingCore

extension SnapshotReader {
  mutating func readSlots(
    of object: Snapshot.Object, keys: inout KeyLine
  ) throws(WireError) -> [Snapshot.Slot] {
    let place = reader.offset
    let count = try reader.count(ofSize: 1)
    try reader.spendSnapshotEntries(count, at: place)
    var slots: [Snapshot.Slot] = []
    if SlotBlock.has(object.origin, slotCount: count) {
      try readBlocks(of: object, count: count, keys: &keys, into: &slots)
    } else {
      keys.beginGroup()
      slots.reserveCapacity(count)
      try readSlots(count, keys: &keys, into: &slots)
    }
    return slots
  }

  /// The slots of an object that has many.
  private mutating func readBlocks(
    of object: Snapshot.Object, count: Int, keys: inout KeyLine, into slots: inout [Snapshot.Slot]
  ) throws(WireError) {
    let firstBlock = blocks.count
    var listed: [Int] = []
    var leftCount = 0
    var last: Key?
    if manner == .keepingAll { slots.reserveCapacity(count) }
    for first in stride(from: 0, to: count, by: SlotBlock.slotCount) {
      let start = reader.offset
      let head = try reader.varint()
      let byteCount = try reader.checkedByteCount(head >> 1, atMost: reader.limits.snapshotByteCountMax, at: start)
      let block = SlotBlock(
        start: reader.offset, byteCount: byteCount, slotCount: min(SlotBlock.slotCount, count - first))
      if manner != .keepingAll { blocks.append(block) }
      if manner == .steppingOver, head & 1 == 0 {
        leftCount += block.slotCount
        try reader.skip(byteCount)
        continue
      }
      let found = try read(block, after: &last, keys: &keys)
      let holdsObject = found.contains(where: \.holdsObject)
      guard reader.offset == block.start + byteCount, holdsObject == (head & 1 == 1) else {
        throw reader.error(.malformed, "A block of slots is not what it says it is", at: start)
      }
      if manner == .provingBlocks, !holdsObject {
        leftCount += block.slotCount
        prove(found, of: object)
        continue
      }
      slots += found
      if manner != .keepingAll { listed.append(blocks.count - 1) }
    }
    keys.beginBlock()
    line = EntryLine(stamp: latestStamp)
    if leftCount > 0 {
      groups.append(
        StoredGroup(object: object.id, blocks: firstBlock..<blocks.count, listed: listed, slotCount: leftCount))
    }
  }

  /// - Parameter last: the last key that was read of the object; those of the block are greater.
  private mutating func read(
    _ block: SlotBlock, after last: inout Key?, keys: inout KeyLine
  ) throws(WireError) -> [Snapshot.Slot] {
    let start = reader.offset
    keys.beginBlock()
    line = EntryLine(stamp: latestStamp)
    var slots: [Snapshot.Slot] = []
    slots.reserveCapacity(block.slotCount)
    try readSlots(block.slotCount, keys: &keys, into: &slots)
    if let last, slots[0].key <= last {
      throw reader.error(.outOfOrder, "The keys of a block do not ascend from those before it", at: start)
    }
    last = slots[slots.count - 1].key
    return slots
  }

  /// Notes what a document would refuse of the slots. The bytes that follow may be refused before it.
  private mutating func prove(_ slots: [Snapshot.Slot], of object: Snapshot.Object) {
    guard contradiction == nil else { return }
    do throws(MergeError) {
      let snapshot = Snapshot(version: version, frontier: [], latestStamp: latestStamp, objects: [])
      try snapshot.checkLeft(slots, in: object.id)
    } catch {
      contradiction = error
    }
  }

  /// One block by itself.
  mutating func readBlock(slotCount: Int) throws(WireError) -> [Snapshot.Slot] {
    var keys = KeyLine(version: version)
    var slots: [Snapshot.Slot] = []
    slots.reserveCapacity(slotCount)
    try readSlots(slotCount, keys: &keys, into: &slots)
    return slots
  }

  /// The slot under the key, if the block has one.
  mutating func readSlot(_ key: Key, amongFirst slotCount: Int) throws(WireError) -> Snapshot.Slot? {
    var keys = KeyLine(version: version)
    var slots: [Snapshot.Slot] = []
    for _ in 0..<slotCount {
      try readSlots(1, keys: &keys, into: &slots)
      if slots[0].key >= key { return slots[0].key == key ? slots[0] : nil }
      slots.removeAll(keepingCapacity: true)
    }
    return nil
  }

  /// The first key of a block.
  mutating func readFirstKey() throws(WireError) -> Key {
    var keys = KeyLine(version: version)
    let head = try reader.byte()
    return try keys.read(head & SlotHead.keyMask, at: reader.offset, &reader)
  }

  private mutating func readSlots(
    _ count: Int, keys: inout KeyLine, into slots: inout [Snapshot.Slot]
  ) throws(WireError) {
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
        slots.append(Snapshot.Slot(key: key, entry: try readEntry(head)))
      }
    }
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
}
