/// What the users of a group mostly do: what goes wrong between two sorts of edit is rare among all of them.
public enum Theme: String, CaseIterable, Hashable, Sendable {
  /// Registers and counters, now and then a clear.
  case registers
  /// Sets, dictionaries, nested objects.
  case collections
  /// Objects that are assigned, referred to, moved between parents and removed.
  case objects
  case lists
  /// Insertions, deletions and marks.
  case texts
  /// Little of everything, much of it undone and done again.
  case undo
  /// Transactions that stay open, and end or are taken back.
  case transactions
  /// History is read, versions are restored, forks are merged.
  case history
  /// Observers write when something arrives, and what is said for a while changes.
  case observers
  case everything

  /// How often a user does something else than write, in a thousand doings.
  struct Habits {
    var transactions = 50
    var undos = 20
    var histories = 5
    var forks = 5
    var sayings = 10
    var flushes = 150
    /// Of a hundred writes those that bear a witness.
    var witnesses = 15
    /// Of a hundred replicas those whose observer writes.
    var writingObservers = 10
  }

  var habits: Habits {
    var habits = Habits()
    switch self {
    case .undo: habits.undos = 350
    case .transactions: habits.transactions = 300
    case .history: (habits.histories, habits.forks) = (120, 80)
    case .observers: (habits.sayings, habits.writingObservers) = (200, 60)
    case .registers, .collections, .objects, .lists, .texts, .everything: break
    }
    return habits
  }
}

extension Theme {
  /// One edit at random.
  func edit(using generator: inout SeededGenerator) -> Edit {
    switch self {
    case .registers: Self.register(using: &generator)
    case .collections: Self.collection(using: &generator)
    case .objects: Self.object(using: &generator)
    case .lists: Self.list(using: &generator)
    case .texts: Self.text(using: &generator)
    case .undo, .transactions, .history, .observers, .everything:
      Self.kinds.randomElement(using: &generator)!.edit(using: &generator)
    }
  }

  private static let kinds = [Theme.registers, .collections, .objects, .lists, .texts]

  private static func roll(_ count: Int, _ generator: inout SeededGenerator) -> Int {
    Int.random(in: 0..<count, using: &generator)
  }

  /// Few holders: what two do in one place meets.
  private static func holder(_ generator: inout SeededGenerator) -> Int {
    [0, 0, 0, 1, 1, 2, 3, 4][roll(8, &generator)]
  }

  private static func register(using generator: inout SeededGenerator) -> Edit {
    let holder = holder(&generator)
    return switch roll(10, &generator) {
    case 0..<5: .set(holder: holder, key: roll(4, &generator), value: roll(32, &generator))
    case 5: .remove(holder: holder, key: roll(4, &generator))
    case 6, 7: .increment(holder: holder, by: roll(7, &generator) - 3)
    case 8: .incrementRegister(holder: holder, key: roll(4, &generator))
    default: .clear(holder: holder, kind: roll(6, &generator))
    }
  }

  private static func collection(using generator: inout SeededGenerator) -> Edit {
    let holder = holder(&generator)
    return switch roll(10, &generator) {
    case 0, 1: .addMember(holder: holder, member: roll(4, &generator))
    case 2: .removeMember(holder: holder, member: roll(4, &generator))
    case 3, 4: .putEntry(holder: holder, key: roll(4, &generator), value: roll(32, &generator))
    case 5: .removeEntry(holder: holder, key: roll(4, &generator))
    case 6: .present(holder: holder, kind: roll(6, &generator))
    case 7: .clear(holder: holder, kind: roll(6, &generator))
    case 8: .set(holder: 1, key: roll(4, &generator), value: roll(32, &generator))
    default: .assignAt(holder: holder, key: roll(4, &generator))
    }
  }

  private static func object(using generator: inout SeededGenerator) -> Edit {
    let (holder, object) = (holder(&generator), roll(8, &generator))
    return switch roll(14, &generator) {
    case 0, 1: .assign(holder: holder)
    case 2: .assignAt(holder: holder, key: roll(4, &generator))
    case 3: .insertObject(holder: holder, at: roll(8, &generator))
    case 4: .refer(holder: holder, object: object)
    case 5, 6, 7: .moveObject(object, holder: holder, key: roll(4, &generator))
    case 8, 9, 10: .moveObjectIntoList(object, holder: holder, at: roll(8, &generator))
    case 11: .setAside(object, holder: generator.chance(0.8) ? holder : nil)
    case 12: .removeObject(object)
    default: .set(holder: 3 + object, key: roll(4, &generator), value: roll(32, &generator))
    }
  }

  private static func list(using generator: inout SeededGenerator) -> Edit {
    let (holder, place) = (holder(&generator), roll(16, &generator))
    return switch roll(12, &generator) {
    case 0..<4: .insert(holder: holder, at: place, count: 1 + roll(3, &generator))
    case 4: .insertObject(holder: holder, at: place)
    case 5, 6: .removeElements(holder: holder, at: place, count: 1 + roll(3, &generator))
    case 7..<10: .move(holder: holder, from: place, to: roll(16, &generator))
    case 10: .setElement(holder: holder, at: place, value: roll(32, &generator))
    default: .incrementElement(holder: holder, at: place)
    }
  }

  private static func text(using generator: inout SeededGenerator) -> Edit {
    let (holder, place) = (holder(&generator), roll(32, &generator))
    return switch roll(12, &generator) {
    case 0..<5: .type(holder: holder, at: place, text: roll(6, &generator))
    case 5..<8: .erase(holder: holder, at: place, count: 1 + roll(4, &generator))
    case 8, 9:
      .mark(
        holder: holder, at: place, count: 1 + roll(8, &generator), name: roll(8, &generator), value: roll(2, &generator)
      )
    case 10: .unmark(holder: holder, at: place, count: 1 + roll(8, &generator), name: roll(8, &generator))
    default: generator.chance(0.2) ? .clear(holder: holder, kind: 4) : .type(holder: holder, at: 0, text: 4)
    }
  }
}
