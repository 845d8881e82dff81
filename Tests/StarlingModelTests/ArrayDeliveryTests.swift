import StarlingCore
import StarlingEngine
import StarlingModel
import StarlingModelTestSupport
import StarlingTestSupport
import Testing

/// Random writes on both sides, some of them while deliveries are held back: in the end an array shows what its
/// document holds, as one does that was opened only then.
@Suite struct `An array that is brought up to date` {
  private struct Undone: Error {}

  /// What the document holds of the list, as far as it can be read.
  private func numbers(in replica: Pair.Replica) -> [Int] {
    let list = ObjectID.derived(
      parent: .derived(parent: .root, key: "front-desk", kind: .map), key: "numbers", kind: .list)
    return replica.handle.read { document in
      document.elements(in: list).compactMap { element in
        guard case .value(.integer(let number), by: _) = document.visible(.element(element), in: list) else {
          return nil
        }
        return Int(number)
      }
    }
  }

  private func edit(_ novel: Novel, _ random: inout Dice) {
    let count = novel.numbers.count
    let place = Int.random(in: 0...count, using: &random)
    let number = Int.random(in: 0..<100, using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: novel.numbers.append(number)
    case 1, 2: novel.numbers.insert(number, at: place)
    case 3: novel.numbers.removeSubrange(place..<min(place + 2, count))
    case 4: if place < count { novel.numbers[place] = number }
    case 5: if count > 1 { novel.numbers.swapAt(place % count, number % count) }
    case 6: novel.numbers.shuffle(using: &random)
    default:
      try? withTransaction {
        novel.numbers.insert(number, at: place)
        if count > 0 { novel.numbers[place % count] = -number }
        if number % 2 == 0 { throw Undone() }
      }
    }
  }

  @Test(arguments: 0..<30) func `shows what the document holds`(seed: UInt64) throws {
    var random = Dice(seed: seed)
    let pair = Pair()
    let (here, there) = try pair.models(Novel.self)
    for round in 0..<25 {
      pair.here.space.withConsistentRead {
        for _ in 0..<Int.random(in: 0..<6, using: &random) {
          edit(Bool.random(using: &random) ? here : there, &random)
          if Bool.random(using: &random) { pair.exchange() }
        }
        pair.exchange()
      }
      #expect(here.numbers == numbers(in: pair.here), "seed \(seed), round \(round)")
      #expect(there.numbers == numbers(in: pair.there), "seed \(seed), round \(round)")
      #expect(here.numbers == there.numbers, "seed \(seed), round \(round)")
    }
  }

  /// The other side is a program that knows the property with other types.
  @Test(arguments: 0..<20) func `shows what it can read of it`(seed: UInt64) throws {
    let incidents = Incidents()
    var random = Dice(seed: seed)
    let pair = Pair()
    let here = try pair.here.space.model(Novel.self, named: "front-desk", isolation: nil)
    let list = ObjectID.derived(
      parent: .derived(parent: .root, key: "front-desk", kind: .map), key: "numbers", kind: .list)
    here.numbers = [1, 2, 3]
    pair.exchange()
    for round in 0..<40 {
      pair.there.handle.write { document, patch in
        let count = document.count(in: list)
        let value = Bool.random(using: &random) ? Value.integer(Int64(round)) : .string("\(round)")
        let place = Int.random(in: 0...count, using: &random)
        let element = document.element(at: place, in: list)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: _ = document.insert([value, .integer(-1)], at: place, in: list, patch: &patch)
        case 1: if let element { document.set(value, for: .element(element), in: list, patch: &patch) }
        case 2: if element != nil { document.removeItems(place..<place + 1, in: list, patch: &patch) }
        default: if element != nil { document.move(from: place, to: count / 2, in: list, patch: &patch) }
        }
      }
      if Bool.random(using: &random) { pair.exchange() }
      if Int.random(in: 0..<3, using: &random) == 0 { edit(here, &random) }
      pair.exchange()
      #expect(here.numbers == numbers(in: pair.here), "seed \(seed), round \(round)")
    }
    withExtendedLifetime(incidents) {}
  }

  /// Models go from one array to another, and to where another process put them.
  @Test(arguments: 0..<20) func `shows the models that moved into it`(seed: UInt64) throws {
    var random = Dice(seed: seed)
    let pair = Pair()
    let names = ["one", "two"]
    let here = try names.map { try pair.here.space.model(Novel.self, named: $0, isolation: nil) }
    let there = try names.map { try pair.there.space.model(Novel.self, named: $0, isolation: nil) }
    here[0].add("a", "b", "c", "d")
    here[1].add("e", "f")
    pair.exchange()
    for round in 0..<30 {
      pair.here.space.withConsistentRead {
        for _ in 0..<Int.random(in: 0..<4, using: &random) {
          let side = Bool.random(using: &random) ? here : there
          let (from, to) = Bool.random(using: &random) ? (side[0], side[1]) : (side[1], side[0])
          guard let chapter = from.chapters.randomElement(using: &random) else { continue }
          let place = Int.random(in: 0...to.chapters.count, using: &random)
          switch Int.random(in: 0..<3, using: &random) {
          case 0: to.chapters.insert(chapter, at: place)
          case 1:
            withTransaction {
              from.chapters.removeAll { $0 === chapter }
              to.chapters.insert(chapter, at: place)
            }
          default:
            withTransaction {
              from.chapters.removeAll { $0 === chapter }
              from.chapters.append(chapter)
            }
          }
          if Bool.random(using: &random) { pair.exchange() }
        }
        pair.exchange()
      }
      for novel in 0..<2 {
        #expect(here[novel].titles == there[novel].titles, "seed \(seed), round \(round)")
      }
      #expect((here[0].titles + here[1].titles).sorted() == ["a", "b", "c", "d", "e", "f"], "seed \(seed)")
    }
  }
}
