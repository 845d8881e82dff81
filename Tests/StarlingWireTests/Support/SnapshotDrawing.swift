import StarlingCore

extension Dice {
  /// A snapshot in canonical form: every dot covered by its version, everything in order.
  mutating func snapshot() -> Snapshot {
    let version = Version(
      (0..<roll(1..<5)).map { _ in Version.Entry(replica: replica(), counter: 100_000 + spread() >> 8) })
    var ids: [ObjectID] = [.root]
    var origins: [ObjectID: Snapshot.Origin] = oneIn(6) ? [:] : [.root: .root]
    for _ in 0..<roll(0..<5) {
      let id = ObjectID.assigned(by: dot(in: version))
      if origins[id] == nil { ids.append(id) }
      if !oneIn(4) { origins[id] = .assigned(pick(Kind.allCases)) }
    }
    for _ in 0..<roll(0..<12) {
      let definition = ObjectDefinition(parent: pick(ids), key: key(), kind: pick(Kind.allCases))
      if origins[definition.id] == nil { ids.append(definition.id) }
      origins[definition.id] = .derived(definition)
    }
    let objects = origins.sorted { $0.key < $1.key }.map { id, origin in
      Snapshot.Object(id: id, origin: origin, slots: slots(in: version))
    }
    return Snapshot(
      version: version, frontier: Set((0..<roll(0..<3)).map { _ in dot(in: version) }).sorted(),
      latestStamp: Stamp(milliseconds: 1_700_000_000_000), objects: objects)
  }

  private mutating func dot(in version: Version) -> Dot {
    let entry = pick(version.entries)
    return Dot(entry.replica, entry.counter - UInt64(roll(0..<50_000)))
  }

  private mutating func slots(in version: Version) -> [Snapshot.Slot] {
    var keys = Set((0..<roll(0..<8)).map { _ in key() })
    if oneIn(2) { keys.formUnion((0..<roll(0..<30)).map { .name("row-\($0)") }) }
    if oneIn(3) { keys.formUnion(["author", "title", "year"]) }
    return keys.sorted().map { key in
      var slot = Snapshot.Slot(key: key, entries: [], shares: [])
      let entryCount = oneIn(5) ? roll(0..<4) : 1
      for dot in Set((0..<entryCount).map { _ in self.dot(in: version) }).sorted() {
        let value = oneIn(3) ? .string("value\(roll(0..<1000))") : self.value()
        slot.entries.append(Entry(dot: dot, stamp: stamp(), value: value))
      }
      let shareCount = slot.entries.isEmpty ? roll(1..<4) : oneIn(5) ? roll(0..<3) : 0
      let births = Set((0..<shareCount).map { _ in self.dot(in: version) }).sorted()
      for birth in births {
        slot.shares.append(
          CounterShare(
            replica: birth.replica, birth: birth.counter,
            last: birth.counter + UInt64(roll(0..<Int(min(100, version[birth.replica] - birth.counter + 1)))),
            total: Int64(bitPattern: spread()), stamp: stamp()))
      }
      return slot
    }
  }

  private mutating func stamp() -> Stamp {
    oneIn(2) ? Stamp(milliseconds: 1_700_000_000_000) : Stamp(rawValue: 1_700_000_000_000 << 16 - spread() >> 20)
  }
}
