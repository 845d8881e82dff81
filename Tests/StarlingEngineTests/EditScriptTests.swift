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
    var edits: [SequenceEdit] = (0...count).flatMap { [.insert(at: $0, count: 1), .insert(at: $0, count: 2)] }
    for index in 0..<count {
      edits += (1...count - index).prefix(2).map { .remove(at: index, count: $0) }
      edits += (0..<count).map { .move(from: index, to: $0) }
      edits.append(.mark(at: index, count: 1))
    }
    return edits
  }

  private func check(_ edits: [SequenceEdit], upon before: Items, _ comment: Comment) {
    let after = before.after(edits)
    let folded = EditScript.folded(edits)
    let found = before.after(folded)
    #expect(found.unmarked == after.unmarked, comment)
    for (found, expected) in zip(found.standing, after.standing) where expected.isMarked {
      #expect(found.isMarked || found.number == nil, comment)
    }
    #expect(folded.count <= before.items.count + after.standing.count + 1, comment)
  }

  @Test func `lead to the same as all of them, whatever three there are`() {
    let before = Items(3)
    for first in edits(of: 3) {
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
      let edit = edits(of: count).filter { count < 40 || !$0.inserts }.randomElement(using: &random)!
      present.perform(edit)
      all.append(edit)
    }
    check(all, upon: before, "seed \(seed)")
  }
}

extension SequenceEdit {
  fileprivate var inserts: Bool { if case .insert = self { true } else { false } }
}
