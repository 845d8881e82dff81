import StarlingTestSupport
import StarlingCore

/// Draws values, changes and snapshots that the format must carry.
extension Dice {
  mutating func text(atMost byteCount: Int = 12) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyzäöüß–🪶é0123456789")
    return String((0..<roll(0..<byteCount + 1)).map { _ in pick(letters) })
  }

  mutating func someBytes(atMost count: Int = 12) -> [UInt8] {
    (0..<roll(0..<count + 1)).map { _ in UInt8(truncatingIfNeeded: next()) }
  }

  mutating func value() -> Value {
    switch roll(0..<16) {
    case 0: .null
    case 1: .bool(oneIn(2))
    case 2: .integer(Int64(bitPattern: spread()))
    case 3: .integer(Int64(roll(0..<10_000)))
    case 4: .integer(-Int64(roll(0..<10_000)))
    case 5: .unsigned(UInt64(Int64.max) + 1 + spread() / 2)
    case 6: .double(Double(bitPattern: next()))
    case 7: .string(text())
    case 8: .string(String(repeating: text() + "x", count: roll(1..<20)))
    case 9: .bytes(someBytes())
    case 10: .json("{\"a\":\(roll(0..<100))}")
    case 11: .date(Double(roll(0..<1_000_000)))
    case 12: .object(pick(Kind.known))
    case 13: .derived(pick(Kind.known))
    case 14: .reference(pick([.root, .assigned(by: dot()), .derived(parent: .root, key: key(), kind: .map)]))
    default: .unknown(tag: spread(), payload: someBytes())
    }
  }

  mutating func key() -> Key {
    switch roll(0..<9) {
    case 0: .integer(Int64(bitPattern: spread()))
    case 1: .integer(Int64(roll(0..<20)))
    case 2: .bytes(someBytes())
    case 3: .name(text(atMost: 80))
    case 4: .element(dot())
    default: .name("k\(roll(0..<40))")
    }
  }

  mutating func replica() -> ReplicaID { ReplicaID(rawValue: UInt64(roll(1..<9)) &* 0x1111_1111_1111_1111) }
  mutating func dot() -> Dot { Dot(replica(), max(1, spread() >> 1)) }
  mutating func dots(atMost count: Int = 3) -> [Dot] { (0..<roll(0..<count + 1)).map { _ in dot() } }

  mutating func version() -> VersionVector {
    VersionVector((0..<roll(0..<6)).map { _ in VersionVector.Entry(replica: replica(), counter: spread() >> 1) })
  }
}

/// A writer's world: objects and slots that its changes come back to, as changes of one document do.
struct ChangeDrawing {
  var dice: Dice
  private var counters: [ReplicaID: UInt64] = [:]
  private var stamp = Stamp(milliseconds: 1_700_000_000_000)
  private var definitions: [ObjectID: ObjectDefinition] = [:]
  private var objects: [ObjectID] = [.root]
  private var last: [ObjectID: [Key: Dot]] = [:]
  private var births: [ObjectID: [Key: Dot]] = [:]
  private var sequences = SequenceDrawing()

  init(seed: UInt64) {
    dice = Dice(seed: seed)
  }

  mutating func changes(_ count: Int) -> [Change] {
    (0..<count).map { _ in change() }
  }

  mutating func change() -> Change {
    let replica = dice.oneIn(4) ? dice.replica() : ReplicaID(rawValue: 0x1111_1111_1111_1111)
    let first = dice.oneIn(30) ? max(1, dice.spread() >> 2) : counters[replica, default: 0] + 1
    advanceStamp()
    let frontier = dice.oneIn(3) ? Set(dice.dots()).sorted() : []
    let count = dice.oneIn(3) ? dice.roll(2..<9) : 1
    var next = first
    let operations = (0..<count).map { _ in
      let operation = self.operation(Dot(replica, next))
      next += operation.counterCount
      return operation
    }
    counters[replica] = next - 1
    return Change(
      replica: replica, firstCounter: first, stamp: stamp, frontier: frontier, objects: listed(operations),
      operations: operations, message: dice.oneIn(10) ? dice.text() : nil)
  }

  private mutating func advanceStamp() {
    switch dice.roll(0..<6) {
    case 0: stamp = Stamp(rawValue: dice.spread())
    case 1: break
    case 2, 3: stamp = stamp.successor
    default: stamp = Stamp(milliseconds: stamp.milliseconds + UInt64(dice.roll(1..<500)))
    }
  }

  private mutating func operation(_ dot: Dot) -> Operation {
    let object = dice.oneIn(4) ? newObject(dot) : dice.pick(objects)
    if dice.oneIn(2) { return sequences.operation(dot, in: object, &dice) }
    let key = dice.oneIn(6) ? .element(sequences.item(in: object, &dice)) : dice.key()
    let before = last[object]?[key]
    let replaced = dice.oneIn(6) ? DotSet(dice.dots()) : before.map { DotSet($0) } ?? []
    let clearing = dice.oneIn(12) ? dice.version() : nil
    switch dice.roll(0..<8) {
    case 0:
      last[object]?[key] = nil
      return Operation(object: object, key: key, action: .remove(replacing: replaced, clearing: clearing))
    case 1, 2:
      let begun = births[object]?[key].flatMap { $0.replica == dot.replica && $0.counter < dot.counter ? $0 : nil }
      births[object, default: [:]][key] = begun ?? dot
      return Operation(
        object: object, key: key,
        action: .increment(Int64(bitPattern: dice.spread()), birth: (begun ?? dot).counter))
    default:
      last[object, default: [:]][key] = dot
      return Operation(
        object: object, key: key, action: .set(dice.value(), replacing: replaced, clearing: clearing))
    }
  }

  private mutating func newObject(_ dot: Dot) -> ObjectID {
    if dice.oneIn(4) {
      objects.append(.assigned(by: dot))
    } else {
      let definition = ObjectDefinition(parent: dice.pick(objects), key: dice.key(), kind: dice.pick(Kind.known))
      definitions[definition.id] = definition
      objects.append(definition.id)
    }
    return objects[objects.count - 1]
  }

  /// Mostly what the operations imply; now and then something else, which the format must carry too.
  private mutating func listed(_ operations: [Operation]) -> [ObjectDefinition] {
    var seen: Set<ObjectID> = []
    var listed: [ObjectDefinition] = []
    for operation in operations {
      var chain: [ObjectDefinition] = []
      var object = operation.object
      while let definition = definitions[object] {
        chain.append(definition)
        object = definition.parent
      }
      for definition in chain.reversed() where seen.insert(definition.id).inserted { listed.append(definition) }
    }
    switch dice.roll(0..<20) {
    case 0: return []
    case 1: return listed.dropLast() + []
    case 2:
      return listed + [ObjectDefinition(parent: .root, key: dice.key(), kind: .map)].filter { !seen.contains($0.id) }
    default: return listed
    }
  }
}
