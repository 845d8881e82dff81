extension Document {
  /// The fingerprint of the state (Protocol/merge.md, "Digests"). No change may be open.
  ///
  /// It is a hash of version, frontier and latest stamp, plus a hash of every entry and share, run and mark: sums
  /// do not care for order.
  ///
  /// - Complexity: O(*n*)
  public func digest() -> Digest {
    if unopened != nil { return opened.digest() }
    precondition(!isWriting, "A digest covers whole changes; commit the open one first.")
    var sum = DigestSum()
    sum.add { hasher in
      hasher.combine(0 as UInt8)
      hasher.combine(UInt64(version.entries.count))
      for entry in version.entries { hasher.combine(Dot(entry.replica, entry.counter)) }
      hasher.combine(UInt64(frontier.count))
      for dot in frontier { hasher.combine(dot) }
      hasher.combine(latestStamp.rawValue)
    }
    for slot in slots.handles where !objects[slots[slot].object].isHeld { add(slot, to: &sum) }
    for sequence in sequenceHandles where !objects[sequences[sequence].object].isHeld {
      addItems(of: sequences[sequence].object, to: &sum)
    }
    return sum.digest
  }

  /// The same of what stands in one assigned object, without the assigned objects that stand in it.
  func digest(ofContentOf top: ObjectHandle) -> Digest {
    var sum = DigestSum()
    var pending = [top]
    while let object = pending.popLast() {
      forEachSlot(of: object) { slot in
        add(slot, to: &sum)
        forEachChild(of: slot) { pending.append($0) }
      }
      addItems(of: object, to: &sum)
    }
    return sum.digest
  }

  private func add(_ slot: SlotHandle, to sum: inout DigestSum) {
    let object = objects[slots[slot].object].id
    let key = keys[slots[slot].key]
    if slots[slot].hasEntry { sum.add(publicEntry(slots.entry(slot)), object, key) }
    if slots[slot].hidesEntries {
      for entry in moves.hidden[slot] ?? [] { sum.add(publicEntry(entry), object, key) }
    }
    guard slots[slot].isCompound else { return }
    for sibling in slots[compound: slot].siblings { sum.add(publicEntry(sibling), object, key) }
    for share in slots[compound: slot].shares { sum.add(publicShare(share), object, key) }
  }

  private func addItems(of object: ObjectHandle, to sum: inout DigestSum) {
    guard let content = sequenceOfSnapshot(object, isCanonical: true) else { return }
    content.forEachRun { sum.add($0, $1, objects[object].id) }
    for mark in content.marks { sum.add(mark, objects[object].id) }
  }
}

/// Adds up 128-bit hashes, modulo 2^128.
private struct DigestSum {
  private var high: UInt64 = 0
  private var low: UInt64 = 0

  var digest: Digest { Digest(high: high, low: low) }

  mutating func add(_ feed: (inout SipHash) -> Void) {
    var hasher = SipHash(key: SipHash.Key("Starling digests"))
    feed(&hasher)
    let (first, second) = hasher.finish()
    let (sum, overflow) = low.addingReportingOverflow(second)
    low = sum
    high = high &+ first &+ (overflow ? 1 : 0)
  }

  mutating func add(_ entry: Entry, _ object: ObjectID, _ key: Key) {
    add { hasher in
      hasher.combine(1 as UInt8)
      hasher.combine(object)
      hasher.combine(key)
      hasher.combine(entry.dot)
      hasher.combine(entry.stamp.rawValue)
      hasher.combine(entry.value)
    }
  }

  mutating func add(_ share: CounterShare, _ object: ObjectID, _ key: Key) {
    add { hasher in
      hasher.combine(2 as UInt8)
      hasher.combine(object)
      hasher.combine(key)
      hasher.combine(Dot(share.replica, share.birth))
      hasher.combine(share.last)
      hasher.combine(UInt64(bitPattern: share.total))
      hasher.combine(share.stamp.rawValue)
    }
  }

  mutating func add(_ run: Snapshot.Run, _ text: ArraySlice<UInt8>, _ object: ObjectID) {
    add { hasher in
      hasher.combine(3 as UInt8)
      hasher.combine(object)
      hasher.combine(run.first)
      hasher.combine(run.anchor)
      switch run.content {
      case .removed(let count):
        hasher.combine(0 as UInt8)
        hasher.combine(UInt64(count))
      case .text:
        hasher.combine(1 as UInt8)
        hasher.combine(counted: text)
      case .elements(let count):
        hasher.combine(2 as UInt8)
        hasher.combine(UInt64(count))
      case .moved(let element, let stamp):
        hasher.combine(3 as UInt8)
        hasher.combine(element)
        hasher.combine(stamp.rawValue)
      }
    }
  }

  mutating func add(_ mark: Mark, _ object: ObjectID) {
    add { hasher in
      hasher.combine(4 as UInt8)
      hasher.combine(object)
      hasher.combine(mark.name)
      hasher.combine(mark.dot)
      hasher.combine(mark.start)
      hasher.combine(mark.end)
      hasher.combine(mark.rank)
      hasher.combine(mark.value)
    }
  }
}

// How words of the core are spelled to be hashed: what may be of any length is led by its length.
extension SipHash {
  fileprivate mutating func combine(_ dot: Dot) {
    combine(dot.replica.rawValue)
    combine(dot.counter)
  }

  fileprivate mutating func combine(_ edge: Edge) {
    combine(edge.item)
    combine(edge.side.rawValue)
  }

  fileprivate mutating func combine(_ id: ObjectID) {
    combine(id.high)
    combine(id.low)
  }

  fileprivate mutating func combine(counted string: String) {
    var string = string
    string.withUTF8 {
      combine(UInt64($0.count))
      combine(bytes: UnsafeRawBufferPointer($0))
    }
  }

  fileprivate mutating func combine(counted bytes: ArraySlice<UInt8>) {
    combine(UInt64(bytes.count))
    bytes.withUnsafeBytes { combine(bytes: $0) }
  }

  fileprivate mutating func combine(_ key: StarlingCore.Key) {
    switch key {
    case .name(let name):
      combine(0 as UInt8)
      combine(counted: name)
    case .integer(let integer):
      combine(1 as UInt8)
      combine(UInt64(bitPattern: integer))
    case .bytes(let bytes):
      combine(2 as UInt8)
      combine(counted: bytes[...])
    case .element(let dot):
      combine(3 as UInt8)
      combine(dot)
    }
  }

  fileprivate mutating func combine(_ value: Value) {
    switch value {
    case .null:
      combine(0 as UInt8)
    case .bool(let value):
      combine(1 as UInt8)
      combine(value ? 1 : 0 as UInt8)
    case .integer(let value):
      combine(2 as UInt8)
      combine(UInt64(bitPattern: value))
    case .unsigned(let value):
      combine(3 as UInt8)
      combine(value)
    case .double(let value):
      combine(4 as UInt8)
      combine(value.bitPattern)
    case .string(let value):
      combine(5 as UInt8)
      combine(counted: value)
    case .bytes(let value):
      combine(6 as UInt8)
      combine(counted: value[...])
    case .json(let value):
      combine(7 as UInt8)
      combine(counted: value)
    case .date(let value):
      combine(8 as UInt8)
      combine(value.bitPattern)
    case .object(let kind):
      combine(9 as UInt8)
      combine(kind.rawValue)
    case .derived(let kind):
      combine(10 as UInt8)
      combine(kind.rawValue)
    case .reference(let id):
      combine(11 as UInt8)
      combine(id)
    case .unknown(let tag, let payload):
      combine(255 as UInt8)
      combine(tag)
      combine(counted: payload[...])
    }
  }
}
