import StarlingCore
import StarlingEngine
import StarlingTestSupport
import Testing

@Suite struct `Edits of a sequence, folded` {
  /// Items that were there before, by number, and what came since; what went stays as a trace of where it was.
  private struct Items: Equatable {
    struct Item: Equatable {
      var number: Int?
      var isGone = false
      var isMarked = false
    }

    var items: [Item]

    init(_ count: Int) {
      items = (0..<count).map { Item(number: $0) }
    }

    var standing: [Item] { items.filter { !$0.isGone } }

    /// The first place with so many standing items before it.
    private func place(of index: Int) -> Int {
      var before = 0
      for place in items.indices {
        if before == index { return place }
        if !items[place].isGone { before += 1 }
      }
      return items.count
    }

    mutating func perform(_ edit: SequenceEdit) {
      switch edit {
      case .insert(let index, let count):
        items.insert(contentsOf: Array(repeating: Item(), count: count), at: place(of: index))
      case .remove(let index, let count):
        for _ in 0..<count {
          let place = items.indices.filter { !items[$0].isGone }[index]
          if items[place].number == nil { items.remove(at: place) } else { items[place].isGone = true }
        }
      case .move(let from, let to):
        perform(.remove(at: from, count: 1))
        perform(.insert(at: to, count: 1))
      case .mark(let index, let count):
        for place in items.indices.filter({ !items[$0].isGone })[index..<index + count] { items[place].isMarked = true }
      }
    }

    func after(_ edits: [SequenceEdit]) -> Items {
      var copy = self
      for edit in edits { copy.perform(edit) }
      return copy
    }

    var unmarked: Items {
      var copy = self
      for place in items.indices { copy.items[place].isMarked = false }
      return copy
    }
  }

  private func edits(of count: Int) -> [SequenceEdit] {
    var edits: [SequenceEdit] = (0...count).map { .insert(at: $0, count: 1 + $0 % 2) }
    for index in 0..<count {
      edits += (1...count - index).prefix(2).map { .remove(at: index, count: $0) }
      edits += (0..<count).filter { $0 != index }.map { .move(from: index, to: $0) }
      edits.append(.mark(at: index, count: 1))
    }
    return edits
  }

  private func edit(of count: Int, mayInsert: Bool, _ random: inout Dice) -> SequenceEdit {
    if count == 0 { return .insert(at: 0, count: 2) }
    let index = Int.random(in: 0..<count, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0 where mayInsert: return .insert(at: index, count: Int.random(in: 1...3, using: &random))
    case 1: return .move(from: index, to: Int.random(in: 0..<count, using: &random))
    case 2: return .mark(at: index, count: 1)
    default: return .remove(at: index, count: 1)
    }
  }

  private func check(_ edits: [SequenceEdit], upon before: Items, _ comment: @autoclosure () -> Comment) {
    let after = before.after(edits)
    let condensed = EditScript.condensed(edits)
    let found = before.after(condensed)
    let isMarked = zip(found.standing, after.standing).allSatisfy { found, expected in
      !expected.isMarked || found.isMarked || found.number == nil
    }
    // Most hold, and an expectation costs more than what it looks at.
    if found.unmarked == after.unmarked, isMarked, condensed.count <= before.items.count + after.standing.count + 1 {
      return
    }
    Issue.record(comment())
  }

  @Test func `lead to the same as all of them, whatever three there are`() {
    let before = Items(2)
    for first in edits(of: 2) {
      for second in edits(of: before.after([first]).standing.count) {
        for third in edits(of: before.after([first, second]).standing.count) {
          check([first, second, third], upon: before, "\(first), \(second), \(third)")
        }
      }
    }
  }

  @Test(arguments: 0..<20) func `are as many as differ, of how many ever`(seed: UInt64) {
    var random = Dice(seed: seed)
    let before = Items(30)
    var present = before
    var all: [SequenceEdit] = []
    for _ in 0..<1_000 {
      let count = present.standing.count
      let edit = edit(of: count, mayInsert: count < 40, &random)
      present.perform(edit)
      all.append(edit)
    }
    check(all, upon: before, "seed \(seed)")
  }
}
