import StarlingCore
import Testing

/// An item that a move made for an element which was removed meanwhile is removed for those alone who know the
/// removal: the others see the element there, and may rest something on the item.
@Suite struct `An element that was moved and concurrently removed` {
  private var group = Group(3)
  private let list = ObjectID.derived(parent: .root, key: "list", kind: .list)
  private let removed: Change?
  private let moved: Change?

  init() throws {
    let inserted = group.write(0) { document, patch in
      document.insert(
        [.integer(1), .integer(2)], at: 0, in: document.declare(.list, for: "list", in: .root), patch: &patch)
    }
    try group.deliver(inserted, to: 1)
    try group.deliver(inserted, to: 2)
    let list = list
    removed = group.write(1) { $0.removeItems(0..<1, in: list, patch: &$1) }
    moved = group.write(0) { $0.move(from: 0, to: 1, in: list, patch: &$1) }
    try group.deliver(moved, to: 2)
  }

  /// The third replica, which sees the element still, inserts behind it.
  private mutating func insertBehind() -> Change? {
    let list = list
    return group.write(2) { $0.insert([.integer(3)], at: 2, in: list, patch: &$1) }
  }

  private mutating func expectAgreement() throws {
    try group.sync()
    #expect(group.agrees)
    let stable = group.documents[0].version
    for place in 0..<3 { group.documents[place].collectTombstones(stable: stable) }
    #expect(group.agrees)
    #expect(group.documents.allSatisfy { $0.rowCount.items == group.documents[0].rowCount.items })
  }

  @Test mutating func `keeps the place of the move until all know both`() throws {
    try group.deliver(moved, to: 1)
    #expect(group.documents[1].collectTombstones(stable: group.documents[2].version) == 0)
    try group.deliver(removed, to: 0)
    let insertion = insertBehind()
    #expect(try group.deliver(insertion, to: 1) == .merged)
    try expectAgreement()
  }

  @Test mutating func `keeps it also where the move came with a state`() throws {
    try group.documents[1].merge(group.documents[2].snapshot(), patch: &group.patches[1])
    #expect(group.documents[1].collectTombstones(stable: group.documents[2].version) == 0)
    let insertion = insertBehind()
    #expect(try group.deliver(insertion, to: 1) == .merged)
    try expectAgreement()
  }

  @Test mutating func `lets go of it once all know both`() throws {
    try group.deliver(moved, to: 1)
    try group.deliver(removed, to: 2)
    #expect(group.documents[1].collectTombstones(stable: group.documents[2].version) == 1)
    try expectAgreement()
    #expect(group.documents[1].rowCount.items == 2, "the second element's item hangs on the first one's")
  }

  /// By a clear, rather than by name.
  @Test mutating func `keeps it where the whole list was cleared`() throws {
    var group = Group(3)
    let inserted = group.write(0) { document, patch in
      document.insert(
        [.integer(1), .integer(2)], at: 0, in: document.declare(.list, for: "list", in: .root), patch: &patch)
    }
    for place in 1...2 { try group.deliver(inserted, to: place) }
    let list = list
    group.remove(1, "list")
    let moved = group.write(0) { $0.move(from: 0, to: 1, in: list, patch: &$1) }
    for place in 1...2 { try group.deliver(moved, to: place) }
    #expect(group.documents[1].collectTombstones(stable: group.documents[2].version) == 0)
    let insertion = group.write(2) { $0.insert([.integer(3)], at: 2, in: list, patch: &$1) }
    #expect(try group.deliver(insertion, to: 1) == .merged)
    self.group = group
    try expectAgreement()
  }
}
