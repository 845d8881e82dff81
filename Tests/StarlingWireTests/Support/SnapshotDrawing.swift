import StarlingTestSupport
import StarlingCore

extension Dice {
  /// A snapshot in canonical form: every dot covered by its version, everything in order.
  mutating func snapshot() -> Snapshot {
    let version = VersionVector(
      (0..<roll(1..<5)).map { _ in VersionVector.Entry(replica: replica(), counter: 100_000 + spread() >> 8) })
    var ids: [ObjectID] = [.root]
    var origins: [ObjectID: Snapshot.Origin] = oneIn(6) ? [:] : [.root: .root]
    for _ in 0..<roll(0..<5) {
      let id = ObjectID.assigned(by: dot(in: version))
      if origins[id] == nil { ids.append(id) }
      if !oneIn(4) { origins[id] = .assigned(pick(Kind.known)) }
    }
    for _ in 0..<roll(0..<12) {
      let definition = ObjectDefinition(parent: pick(ids), key: key(), kind: pick(Kind.known))
      if origins[definition.id] == nil { ids.append(definition.id) }
      origins[definition.id] = .derived(definition)
    }
    let objects = origins.sorted { $0.key < $1.key }.map { id, origin in
      let kind: Kind? =
        switch origin {
        case .root: nil
        case .derived(let definition): definition.kind
        case .assigned(let kind), .orphan(let kind): kind
        }
      let isSequence = (kind == .list || kind == .text) && !oneIn(4)
      return Snapshot.Object(
        id: id, origin: origin, slots: slots(in: version), sequence: isSequence ? sequence(in: version) : nil)
    }
    return Snapshot(
      version: version, frontier: Set((0..<roll(0..<3)).map { _ in dot(in: version) }).sorted(),
      latestStamp: Stamp(milliseconds: 1_700_000_000_000), objects: objects)
  }

  private mutating func dot(in version: VersionVector) -> Dot {
    let entry = pick(version.entries)
    return Dot(entry.replica, entry.counter - UInt64(roll(0..<50_000)))
  }

  private mutating func slots(in version: VersionVector) -> [Snapshot.Slot] {
    var keys = Set((0..<roll(0..<8)).map { _ in key() })
    if oneIn(2) { keys.formUnion((0..<roll(0..<30)).map { .name("row-\($0)") }) }
    if oneIn(3) { keys.formUnion(["author", "title", "year"]) }
    if oneIn(2) {
      let first = self.dot(in: version)
      let count = min(version[first.replica] - first.counter + 1, 20)
      keys.formUnion((0..<count).map { .element(Dot(first.replica, first.counter + $0)) })
    }
    return keys.sorted().map { key in
      var slot = Snapshot.Slot(key: key, entries: [], shares: [])
      let entryCount = oneIn(5) ? roll(0..<4) : 1
      var dots = Set((0..<entryCount).map { _ in self.dot(in: version) })
      if case .element(let element) = key, version.covers(element), !oneIn(4) { dots = [element] }
      for dot in dots.sorted() {
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

  /// Runs that hang together as those of a document do, and some that do not.
  private mutating func sequence(in version: VersionVector) -> Snapshot.Sequence {
    var sequence = Snapshot.Sequence(runs: [])
    var last = Dot.origin
    for _ in 0..<roll(0..<30) {
      var first = dot(in: version)
      if version.covers(Dot(last.replica, last.counter + 1)), !oneIn(3) { first = Dot(last.replica, last.counter + 1) }
      if let anchor = sequence.runs.last?.anchor, anchor.side == .left, anchor.item != .origin, oneIn(2) {
        first = anchor.item
      }
      let most = Int(min(40, version[first.replica] - first.counter + 1))
      let content = runContent(of: oneIn(3) ? 1 : roll(1..<most + 1), in: version)
      if case .text(let count) = content {
        let text = String((0..<count).map { _ in Character(pick(["a", "b", "ß", "–", "🪶"])) })
        sequence.text = Scalars(sequence.text.text + text)
      }
      let before = first.counter > 1 ? Dot(first.replica, first.counter - 1) : .origin
      let next = Dot(last.replica, last.counter + 1)
      let item = pick([.origin, last, before, dot(in: version), version.covers(next) ? next : last])
      sequence.runs.append(
        Snapshot.Run(first: first, anchor: Edge(oneIn(2) ? .left : .right, of: item), content: content))
      last = Dot(first.replica, first.counter + UInt64(sequence.runs.last!.content.count) - 1)
    }
    for dot in Set((0..<roll(0..<4)).map { _ in dot(in: version) }).sorted() {
      sequence.marks.append(
        Mark(
          dot: dot, name: oneIn(2) ? "bold" : key(), start: edge(in: version), end: edge(in: version),
          rank: spread(), value: value()))
    }
    return sequence
  }

  private mutating func edge(in version: VersionVector) -> Edge {
    Edge(oneIn(2) ? .left : .right, of: oneIn(3) ? .origin : dot(in: version))
  }

  private mutating func runContent(of count: Int, in version: VersionVector) -> Snapshot.Run.Content {
    switch roll(0..<4) {
    case 0: .removed(count: count)
    case 1: .elements(count: count)
    case 2: .moved(element: dot(in: version), stamp: stamp())
    default: .text(count: count)
    }
  }

  private mutating func stamp() -> Stamp {
    oneIn(2) ? Stamp(milliseconds: 1_700_000_000_000) : Stamp(rawValue: 1_700_000_000_000 << 16 - spread() >> 20)
  }
}
