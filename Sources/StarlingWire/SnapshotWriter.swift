import StarlingCore

/// Writes one snapshot, front to back.
struct SnapshotWriter {
  var bytes: [UInt8]
  let version: VersionVector
  /// Whether a replica keeps it for itself.
  private let isKept: Bool
  private var replicas: ReplicaNumbers
  private let latestStamp: Stamp
  private var line: EntryLine

  init(version: VersionVector, latestStamp: Stamp, isKept: Bool = false) {
    bytes = [isKept ? keptSnapshotVersion : snapshotVersion]
    self.isKept = isKept
    self.version = version
    self.latestStamp = latestStamp
    line = EntryLine(stamp: latestStamp)
    replicas = ReplicaNumbers(version)
  }

  /// - Parameter order: that of a text which is written leaf by leaf; such a snapshot is kept.
  mutating func write(
    _ snapshot: some SnapshotSource, order: (Snapshot.Outline) -> OrderToStore? = { _ in nil }
  ) {
    bytes.append(version)
    bytes.append(varint: snapshot.frontier.count)
    for dot in snapshot.frontier { write(dot) }
    bytes.append(fixed64: snapshot.latestStamp.rawValue)

    let family = Family(snapshot.outlines)
    writeStanding(family)
    let derived = writeDerived(family)
    var keys = KeyLine(version: version)
    for object in family.standing.compactMap(\.object) + derived {
      write(snapshot.slots(of: object), of: object, keys: &keys)
      if isKept, object.origin.isText {
        if let order = order(object) {
          bytes.append(TextForm.byLeaf)
          write(order)
          continue
        }
        bytes.append(TextForm.asItTravels)
      }
      let sequence = snapshot.sequence(of: object)
      if object.origin.isSequence {
        write(sequence)
      } else {
        precondition(sequence == nil, "The object \(object.id) is no list or text and holds a sequence.")
      }
    }
    bytes.append(fixed64: bytes.withUnsafeBytes { $0.checksum })
  }

  // MARK: Objects

  /// Which objects stand under which.
  private struct Family {
    /// The root and the assigned objects, and those that are only parents, ascending by id with the root first.
    var standing: [(id: ObjectID, object: Snapshot.Outline?)]
    /// By parent, ascending by key and kind.
    var children: [ObjectID: [(definition: ObjectDefinition, object: Snapshot.Outline)]] = [:]
    var derivedCount = 0

    init(_ objects: [Snapshot.Outline]) {
      var listed: [ObjectID: Snapshot.Outline] = [:]
      for object in objects {
        if case .derived(let definition) = object.origin {
          derivedCount += 1
          children[definition.parent, default: []].append((definition, object))
        } else {
          listed[object.id] = object
        }
      }
      let parents = children.keys.filter { $0 == .root || !$0.isDerived }
      let ids = Set(listed.keys).union(parents).sorted { $1 != .root && ($0 == .root || $0 < $1) }
      standing = ids.map { ($0, listed[$0]) }
      for parent in children.keys {
        children[parent]!.sort { ($0.definition.key, $0.definition.kind) < ($1.definition.key, $1.definition.kind) }
      }
    }
  }

  private mutating func writeStanding(_ family: Family) {
    bytes.append(varint: family.standing.count)
    for (id, object) in family.standing {
      guard let dot = id.dot else {
        bytes.append(object == nil ? StandingForm.rootAsParent : StandingForm.root)
        continue
      }
      if case .assigned(let kind) = object?.origin {
        bytes.append(StandingForm.firstKind + kind.rawValue)
      } else if case .orphan(let kind) = object?.origin {
        bytes.append(StandingForm.firstOrphan + kind.rawValue)
      } else {
        bytes.append(StandingForm.assignedAsParent)
      }
      write(dot)
    }
  }

  /// The derived objects in the order written.
  private mutating func writeDerived(_ family: Family) -> [Snapshot.Outline] {
    bytes.append(varint: family.derivedCount)
    var written: [Snapshot.Outline] = []
    written.reserveCapacity(family.derivedCount)
    var keys = KeyLine(version: version)
    var lastParent = 0
    var parent = 0
    let standingCount = family.standing.count
    while parent < standingCount + written.count {
      let id = parent < standingCount ? family.standing[parent].id : written[parent - standingCount].id
      if let children = family.children[id] {
        keys.beginGroup()
        for (definition, object) in children {
          var spelling: [UInt8] = []
          let form = keys.write(definition.key, into: &spelling)
          bytes.append(
            varint: UInt64(parent - lastParent) << 6 | UInt64(definition.kind.rawValue) << 3 | UInt64(form))
          bytes.append(contentsOf: spelling)
          lastParent = parent
          written.append(object)
        }
      }
      parent += 1
    }
    precondition(
      written.count == family.derivedCount,
      "A snapshot holds \(family.derivedCount) derived objects; only \(written.count) have all their ancestors.")
    return written
  }

  // MARK: Slots

  private mutating func write(_ slots: some SnapshotSlots, of object: Snapshot.Outline, keys: inout KeyLine) {
    bytes.append(varint: slots.count)
    guard SlotBlock.has(object.origin, slotCount: slots.count) else {
      keys.beginGroup()
      return write(slots[0..<slots.count], &keys)
    }
    for start in stride(from: 0, to: slots.count, by: SlotBlock.slotCount) {
      let block = slots[start..<min(slots.count, start + SlotBlock.slotCount)]
      beginBlock(&keys)
      let place = bytes.count
      write(block, &keys)
      var head: [UInt8] = []
      head.append(varint: 2 * (bytes.count - place) + (block.contains { $0.holdsObject } ? 1 : 0))
      bytes.insert(contentsOf: head, at: place)
    }
    beginBlock(&keys)
  }

  /// What comes next is spelled as if nothing stood before it.
  private mutating func beginBlock(_ keys: inout KeyLine) {
    keys.beginBlock()
    line = EntryLine(stamp: latestStamp)
  }

  private mutating func write(_ slots: ArraySlice<Snapshot.Slot>, _ keys: inout KeyLine) {
    for slot in slots {
      let place = bytes.count
      bytes.append(0)
      var head = keys.write(slot.key, into: &bytes)
      if let element = keys.coveredElement { line.follow(element) }
      if let entry = slot.plainEntry {
        head |= write(entry)
      } else {
        head |= SlotHead.counts
        write(slot.entries, slot.shares)
      }
      bytes[place] = head
    }
  }

  private mutating func write(_ entries: Snapshot.Entries, _ shares: [CounterShare]) {
    bytes.append(varint: entries.count)
    bytes.append(varint: shares.count)
    for entry in entries {
      let place = bytes.count
      bytes.append(0)
      bytes[place] = write(entry)
    }
    for share in shares {
      write(Dot(share.replica, share.last))
      bytes.append(varint: share.last - share.birth)
      bytes.append(signedVarint: share.total)
      writeDifference(of: share.stamp)
    }
  }

  /// Appends what `entry` needs beside its bits of the head, and returns those.
  private mutating func write(_ entry: Entry) -> UInt8 {
    var head: UInt8
    let replica = number(of: entry.dot.replica)
    if replica == line.replica {
      if entry.dot.counter == line.counter + 1 {
        head = SlotHead.dotNext
      } else {
        head = SlotHead.dotDifference
        bytes.append(signedVarint: Int64(bitPattern: entry.dot.counter &- line.counter))
      }
    } else {
      head = SlotHead.wholeDot
      write(entry.dot)
    }
    line.replica = replica
    line.counter = entry.dot.counter
    if entry.stamp != line.stamp {
      head |= SlotHead.stamp
      writeDifference(of: entry.stamp)
    }
    return head | write(entry.value)
  }

  mutating func writeDifference(of stamp: Stamp) {
    bytes.append(signedVarint: Int64(stamp.milliseconds) - Int64(line.stamp.milliseconds))
    bytes.append(varint: stamp.logical)
    line.stamp = stamp
  }

  /// A shorter spelling is taken only where it is shorter.
  private mutating func write(_ value: Value) -> UInt8 {
    if value == line.value { return SlotHead.sameValue }
    line.value = value
    let place = bytes.count
    bytes.append(value)
    let wholeCount = bytes.count - place
    switch value {
    case .integer(let integer):
      let difference = integer &- line.integer
      line.integer = integer
      let raw = UInt64(bitPattern: difference << 1 ^ difference >> 63)
      guard varintByteCount(raw) < wholeCount else { return SlotHead.wholeValue }
      bytes.removeLast(wholeCount)
      bytes.append(varint: raw)
      return SlotHead.integerDifference
    case .string(let string):
      let text = [UInt8](string.utf8)
      let shared = text.sharedPrefixCount(with: line.text)
      defer { line.text = text }
      guard endingByteCount(text, after: line.text, sharing: shared) < wholeCount else { return SlotHead.wholeValue }
      bytes.removeLast(wholeCount)
      bytes.append(ending: text, after: line.text, sharing: shared)
      return SlotHead.textEnding
    default: return SlotHead.wholeValue
    }
  }

  // MARK: Dots

  /// A replica's number, and how far the counter lies below the version's.
  mutating func write(_ dot: Dot) {
    let replica = number(of: dot.replica)
    bytes.append(varint: replica)
    writeCounter(of: dot, replica: replica)
  }

  mutating func writeCounter(of dot: Dot, replica: Int) {
    let covered = version.entries[replica].counter
    precondition(1...covered ~= dot.counter, "A snapshot at \(version) holds the dot \(dot).")
    bytes.append(varint: covered - dot.counter)
  }

  mutating func number(of replica: ReplicaID) -> Int {
    guard let number = replicas.number(of: replica) else {
      preconditionFailure("A snapshot at \(version) holds a dot of \(replica).")
    }
    return number
  }
}
