import StarlingTestSupport
import StarlingCore

/// Three replicas that mostly set, some keys over and over, and hear of each other now and then.
struct GroupDrawing {
  var dice: Dice
  /// All changes, each after those that it rests on.
  private(set) var log: [Change] = []
  private var documents = [Document(), Document(), Document()]
  /// How much of the log each has heard.
  private var heard = [0, 0, 0]

  init(seed: UInt64) {
    dice = Dice(seed: seed)
  }

  mutating func write() throws {
    let place = dice.roll(0..<documents.count)
    var patch = Patch()
    if dice.oneIn(4) {
      for change in log[heard[place]...] { _ = try documents[place].merge(change, patch: &patch) }
      heard[place] = log.count
    }
    // Several in a row, which is what a batch has together.
    for _ in 0..<dice.roll(1..<5) {
      documents[place].begin(as: ReplicaID(rawValue: UInt64(place + 1)), now: 1000 + UInt64(dice.roll(0..<5)))
      for _ in 0..<dice.roll(1..<4) { act(place, &patch) }
      if let change = documents[place].commit(message: dice.oneIn(20) ? "a step" : nil) { log.append(change) }
    }
  }

  /// Now and then the change as somebody would say it who has seen less than it was written upon, or replaces something
  /// else.
  mutating func altered(_ change: Change) -> Change {
    guard dice.oneIn(40), case .set(let value, _, nil) = change.operations[0].action else { return change }
    var (frontier, operations) = (change.frontier, change.operations)
    if dice.oneIn(2) {
      frontier = []
    } else {
      let replaced = Dot(ReplicaID(rawValue: UInt64(dice.roll(1..<4))), UInt64(dice.roll(1..<60)))
      operations[0] = Operation(
        object: operations[0].object, key: operations[0].key,
        action: .set(value, replacing: DotSet(replaced), clearing: nil))
    }
    return Change(
      replica: change.replica, firstCounter: change.firstCounter, stamp: change.stamp, frontier: frontier,
      objects: change.objects, operations: operations, message: change.message)
  }

  private mutating func act(_ place: Int, _ patch: inout Patch) {
    let object = object(place)
    let key = key()
    switch dice.roll(0..<20) {
    case 0: documents[place].assignObject(.map, for: key, in: object, patch: &patch)
    case 1: documents[place].remove(key, in: object, patch: &patch)
    case 2: documents[place].increment(key, in: object, by: 1, patch: &patch)
    case 3:
      let list = documents[place].declare(.list, for: "rows", in: .root)
      documents[place].insert([value()], at: 0, in: list, patch: &patch)
    case 4...6:
      let list = documents[place].declare(.list, for: "rows", in: .root)
      if let element = documents[place].elements(in: list).first {
        documents[place].set(value(), for: .element(element), in: list, patch: &patch)
      }
    default: documents[place].set(value(), for: key, in: object, patch: &patch)
    }
  }

  private mutating func object(_ place: Int) -> ObjectID {
    switch dice.roll(0..<4) {
    case 0: return documents[place].declare(.map, for: key(), in: .root)
    case 1:
      let key = key()
      let made = documents[place].entries(key, in: .root).first { $0.value == .object(.map) }
      return made.map { .assigned(by: $0.dot) } ?? .root
    default: return .root
    }
  }

  private mutating func key() -> Key {
    dice.oneIn(3) ? .integer(Int64(dice.roll(0..<2))) : .name(dice.pick(["a", "b", "title", "größe"]))
  }

  private mutating func value() -> Value {
    switch dice.roll(0..<12) {
    case 0: .derived(.map)
    case 1: .reference(.root)
    case 2: .string("größer als sieben")
    case 3: .string(String(repeating: "long ", count: 20))
    case 4: .double(0.5)
    case 5: .integer(-1)
    case 6: .unknown(tag: 99, payload: [1, 2])
    case 7, 8: .integer(Int64(dice.roll(0..<10_000)))
    default: .string("v\(dice.roll(0..<100))")
    }
  }
}
