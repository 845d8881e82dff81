import StarlingCore
public import StarlingEngine

/// What simulated replicas write when nothing else is given.
public enum Workload {
  /// Something small at random, in maps, sets, dictionaries, counters and assigned objects, now and
  /// then several in one transaction.
  public static func everyday(_ handle: DocumentHandle, using generator: inout SeededGenerator) {
    guard generator.chance(0.15) else { return write(to: handle, using: &generator) }
    handle.beginTransaction()
    for _ in 0..<Int.random(in: 1...4, using: &generator) { write(to: handle, using: &generator) }
    handle.endTransaction(message: nil)
  }

  private static func write(to handle: DocumentHandle, using generator: inout SeededGenerator) {
    handle.write { document, patch in
      let object = anyObject(of: document, using: &generator)
      let key = anyKey(using: &generator)
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<3: document.set(anyValue(using: &generator), for: key, in: object, patch: &patch)
      case 3: document.remove(key, in: object, patch: &patch)
      case 4: document.increment("count", in: object, by: .random(in: -3...3, using: &generator), patch: &patch)
      case 5:
        let tags = document.declare(.set, for: "tags", in: object)
        let member = Key.integer(.random(in: 0..<4, using: &generator))
        if generator.chance(0.6) {
          document.set(.bool(true), for: member, in: tags, patch: &patch)
        } else {
          document.remove(member, in: tags, patch: &patch)
        }
      case 6:
        let people = document.declare(.dictionary, for: "people", in: object)
        let person = document.declare(.map, for: key, in: people)
        document.set(anyValue(using: &generator), for: "name", in: person, patch: &patch)
      case 7:
        let made = document.assignObject(.map, for: key, in: object, patch: &patch)
        if generator.chance(0.7) { document.set(anyValue(using: &generator), for: "name", in: made, patch: &patch) }
      case 8:
        // The same key as another kind, or everything beneath it gone.
        if generator.chance(0.5) {
          document.remove("people", in: object, patch: &patch)
        } else {
          document.increment(key, in: object, by: 1, patch: &patch)
        }
      default: document.remove(generator.chance(0.5) ? "tags" : "count", in: object, patch: &patch)
      }
    }
  }

  private static func anyKey(using generator: inout SeededGenerator) -> Key {
    ["a", "b", "c", "d"].randomElement(using: &generator).map(Key.name)!
  }

  private static func anyValue(using generator: inout SeededGenerator) -> Value {
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: .null
    case 1: .bool(generator.chance(0.5))
    case 2: .string(["", "one", "two", "drei"].randomElement(using: &generator)!)
    case 3: .double(0.5)
    default: .integer(.random(in: 0..<100, using: &generator))
    }
  }

  /// The root, or an object that stands beneath it, not too deep.
  private static func anyObject(of document: borrowing Document, using generator: inout SeededGenerator) -> ObjectID {
    var object = ObjectID.root
    for _ in 0..<2 {
      guard generator.chance(0.3) else { break }
      let key = anyKey(using: &generator)
      guard case .value(.object, let dot) = document.visible(key, in: object) else { continue }
      object = .assigned(by: dot)
    }
    return object
  }
}
