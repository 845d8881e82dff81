import StarlingTestSupport
import StarlingGraph
import Testing

/// What the graph tells is compared with what a reader without a graph would compute.
@Suite struct `In every small world` {
  private enum Step: CaseIterable {
    case a, b, c, ab, bc, ca
  }

  /// Three switches, a derived value over two of them, one over that and the third, and two observers that read
  /// one thing or another.
  private final class World {
    let a = Book()
    let b = Book()
    let c = Book()
    let choices = Log<Int>()
    let glances = Log<[Int]>()
    var observing: [ObservationToken] = []

    init() {
      let (a, b, c, choices, glances) = (a, b, c, choices, glances)
      let either = Derived { a.year ^ b.year }
      let choice = Derived { c.year == 1 ? either.read() : a.year }
      observing.append(observe { choices.add(choice.read()) })
      observing.append(observe { glances.add(b.year == 1 ? [1, choice.read()] : [0]) })
    }

    func take(_ step: Step) {
      switch step {
      case .a: a.year ^= 1
      case .b: b.year ^= 1
      case .c: c.year ^= 1
      case .ab:
        batch {
          a.year ^= 1
          b.year ^= 1
        }
      case .bc:
        batch {
          b.year ^= 1
          c.year ^= 1
        }
      case .ca:
        batch {
          c.year ^= 1
          a.year ^= 1
        }
      }
    }

    var choice: Int { c.year == 1 ? a.year ^ b.year : a.year }
    var glance: [Int] { b.year == 1 ? [1, choice] : [0] }
  }

  @Test func `observers see what stands, and run once if and only if it changed`() {
    var count = 0
    func walk(_ path: [Step]) {
      if path.count == 4 { return }
      for step in Step.allCases {
        let world = World()
        for step in path { world.take(step) }
        let (choices, glances) = (world.choices.entries, world.glances.entries)
        let readsB = world.b.year
        world.take(step)
        let isChoiceNew = world.choice != choices.last
        let isGlanceNew = world.glance != glances.last || world.b.year != readsB
        #expect(world.choices.entries == choices + (isChoiceNew ? [world.choice] : []), "\(path + [step])")
        #expect(world.glances.entries == glances + (isGlanceNew ? [world.glance] : []), "\(path + [step])")
        count += 1
        walk(path + [step])
      }
    }
    walk([])
    #expect(count == 6 + 36 + 216 + 1_296)
  }
}

@Suite struct `In a large world` {
  /// Reads one of two earlier things, as a third decides.
  private struct Formula {
    let decides: Int
    let left: Int
    let right: Int
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func `observers see what stands after every step`(seed: UInt64) {
    let before = Census.ofThisThread.readers
    var dice = Dice(seed: seed)
    let books = (0..<12).map { _ in Book(year: dice.roll(4)) }
    let formulas = (12..<30).map { place in
      Formula(decides: dice.roll(place), left: dice.roll(place), right: dice.roll(place))
    }
    let derived = Slot<[Derived<Int>]>([])
    let read: @Sendable (Int) -> Int = { place in
      place < 12 ? books[place].year : derived.value[place - 12].read()
    }
    for formula in formulas {
      derived.value.append(
        Derived { read(formula.decides) % 2 == 0 ? read(formula.left) : read(formula.right) + 1 })
    }
    /// The same without a graph.
    func truth(_ place: Int) -> Int {
      if place < 12 { return books[place].year }
      let formula = formulas[place - 12]
      return truth(formula.decides) % 2 == 0 ? truth(formula.left) : truth(formula.right) + 1
    }

    var watches: [(place: Int, log: Log<Int>, observing: ObservationToken)] = []
    for _ in 0..<200 {
      switch dice.roll(10) {
      case 0:
        let place = dice.roll(30)
        let log = Log<Int>()
        watches.append((place, log, observe { log.add(read(place)) }))
      case 1 where !watches.isEmpty: watches.remove(at: dice.roll(watches.count)).observing.cancel()
      case 2: #expect(read(20) == truth(20), "seed \(seed)")
      case 3...5:
        batch { for _ in 0..<4 { books[dice.roll(12)].year = dice.roll(4) } }
      default: books[dice.roll(12)].year = dice.roll(4)
      }
      for watch in watches {
        #expect(watch.log.entries.last == truth(watch.place), "seed \(seed)")
        // A derived value wakes only for another result.
        if watch.place >= 12 {
          #expect(!zip(watch.log.entries, watch.log.entries.dropFirst()).contains { $0 == $1 }, "seed \(seed)")
        }
      }
    }
    for watch in watches { watch.observing.cancel() }
    derived.value = []
    #expect(Census.ofThisThread.readers == before)
  }
}
