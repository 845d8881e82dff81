import StarlingCore
import Testing

/// A mark that takes away what nobody gives is forgotten once all known members have it. A writer that they did not
/// know of may give it all the same: then those who forgot see other marks than those who did not, at one version.
@Suite struct `A mark that some forgot and that takes something away after all` {
  /// The first has forgotten a mark of null over "b", the second holds it; the third is not known to either.
  private var group = Group(3)
  private let text = ObjectID.derived(parent: .root, key: "text", kind: .text)
  private let given: Change?

  init() throws {
    let text = text
    let typed = group.write(0) { document, patch in
      document.insert("abcd", at: 0, in: document.declare(.text, for: "text", in: .root), patch: &patch)
    }
    for place in 1...2 { try group.deliver(typed, to: place) }
    let bold = group.write(0) { $0.mark(1..<2, "bold", value: .bool(true), in: text, patch: &$1) }
    let plain = group.write(0) { $0.mark(1..<2, "bold", value: .null, in: text, patch: &$1) }
    for change in [bold, plain] { try group.deliver(change, to: 1) }
    given = group.write(2) { $0.mark(0..<4, "bold", value: .integer(2), in: text, patch: &$1) }
    #expect(group.documents[0].collectTombstones(stable: group.documents[1].version) == 1)
  }

  /// Each of two replicas merges what the other held.
  private mutating func exchangeStates(_ left: Int = 0, _ right: Int = 1) throws {
    let (there, here) = (group.documents[left].snapshot(), group.documents[right].snapshot())
    try group.documents[left].merge(here, patch: &group.patches[left])
    try group.documents[right].merge(there, patch: &group.patches[right])
    for place in [left, right] { group.documents[place].checkInvariants() }
  }

  private func expectHealed(sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(group.documents[0].version == group.documents[1].version, sourceLocation: sourceLocation)
    #expect(group.documents[0].digest() == group.documents[1].digest(), sourceLocation: sourceLocation)
    #expect(
      group.documents[0].canonicalSnapshot() == group.documents[1].canonicalSnapshot(), sourceLocation: sourceLocation)
    #expect(
      group.documents[0].marks(in: text).map(\.range) == [0..<1, 2..<4], "as a replica sees it that forgot nothing",
      sourceLocation: sourceLocation)
  }

  @Test mutating func `is taken over from a state of the same version`() throws {
    for place in 0...1 { try group.deliver(given, to: place) }
    #expect(group.documents[0].version == group.documents[1].version)
    #expect(group.documents[0].digest() != group.documents[1].digest(), "that is the fault to heal")
    let former = group.documents[0].marks(in: text)
    group.patches[0] = Patch()
    try exchangeStates()
    expectHealed()
    #expect(former != group.documents[0].marks(in: text))
    #expect(group.patches[0].sequences.first?.edits == [.mark(at: 1, count: 1)])
    #expect(group.documents[0].collectTombstones(stable: group.documents[0].version) == 0, "it is not idle now")
    expectHealed()
  }

  @Test mutating func `is taken over with the tombstones that it rests on`() throws {
    var group = Group(3)
    let text = text
    let typed = group.write(0) { document, patch in
      let text = document.declare(.text, for: "text", in: .root)
      // Each hangs on the one behind it, so that the first ones can go.
      for scalar in ["d", "c", "b", "a"] { document.insert(scalar, at: 0, in: text, patch: &patch) }
    }
    for place in 1...2 { try group.deliver(typed, to: place) }
    let bold = group.write(0) { $0.mark(1..<2, "bold", value: .bool(true), in: text, patch: &$1) }
    let plain = group.write(0) { $0.mark(1..<2, "bold", value: .null, in: text, patch: &$1) }
    let removed = group.write(0) { $0.removeItems(0..<3, in: text, patch: &$1) }
    for change in [bold, plain, removed] { try group.deliver(change, to: 1) }
    let given = group.write(2) { $0.mark(3..<4, "bold", value: .integer(2), in: text, patch: &$1) }
    group.documents[0].collectTombstones(stable: group.documents[1].version)
    #expect(group.documents[0].rowCount.items == 1 && group.documents[1].rowCount.items == 4)
    for place in 0...1 { #expect(try group.deliver(given, to: place) == .merged) }
    #expect(!group.agreesAmong(0...1))
    self.group = group
    try exchangeStates()
    #expect(self.group.agreesAmong(0...1))
    #expect(self.group.documents[0].rowCount.items == 3, "the edges of the mark, and none that it does not rest on")
    self.group.documents[0].collectTombstones(stable: group.documents[0].version)
    #expect(self.group.agreesAmong(0...1))
  }

  @Test mutating func `is taken over from a state that knows all we know and more`() throws {
    for place in 0...1 { try group.deliver(given, to: place) }
    let more = group.set(1, "title", .string("Dune"))
    try exchangeStates()
    try group.deliver(more, to: 0)
    expectHealed()
  }

  @Test mutating func `is kept beside a state that knows less than we do`() throws {
    for place in 0...1 { try group.deliver(given, to: place) }
    let more = group.set(1, "title", .string("Dune"))
    try group.documents[1].merge(group.documents[0].snapshot(), patch: &group.patches[1])
    try group.deliver(more, to: 0)
    try exchangeStates()
    expectHealed()
  }

  /// A replica that lacks it may have seen it go: nothing comes back that somebody took away by name.
  @Test mutating func `does not come back where it was removed by name`() throws {
    let text = text
    for place in 0...1 { try group.deliver(given, to: place) }
    // A mark over all of it replaces the null one where that is held.
    let over = group.write(1) { $0.mark(0..<4, "bold", value: .bool(false), in: text, patch: &$1) }
    try group.documents[1].merge(group.documents[0].snapshot(), patch: &group.patches[1])
    try group.documents[0].merge(group.documents[1].snapshot(), patch: &group.patches[0])
    #expect(group.agreesAmong(0...1))
    #expect(group.documents[0].marks(in: text).map(\.value) == [.bool(false)])
    try group.deliver(over, to: 2)
  }

  /// While somebody writes, what he has replaced in the open change must not come back.
  @Test mutating func `is not taken over in the middle of a change`() throws {
    for place in 0...1 { try group.deliver(given, to: place) }
    let text = text
    let theirs = group.documents[1].snapshot()
    var (document, patch) = (group.documents[1], Patch())
    document.begin(as: Group.replica(1), now: 9_000)
    document.mark(0..<4, "bold", value: .null, in: text, patch: &patch)
    try document.merge(theirs, patch: &patch)
    #expect(document.commit() != nil)
    document.checkInvariants()
    #expect(document.marks(in: text).isEmpty)
    #expect(document.snapshot().objects.flatMap { $0.sequence?.marks ?? [] }.count == 1)
  }

  /// One round of states between all pairs.
  @Test mutating func `ends up with everybody after one round of states`() throws {
    var group = Group(5)
    let text = text
    let typed = group.write(0) { document, patch in
      document.insert("abcd", at: 0, in: document.declare(.text, for: "text", in: .root), patch: &patch)
    }
    for place in 1..<5 { try group.deliver(typed, to: place) }
    var known: [Change?] = []
    for (range, name) in [(0..<1, "bold"), (1..<3, "bold"), (2..<4, "font")] as [(Range<Int>, Key)] {
      known.append(group.write(0) { $0.mark(range, name, value: .bool(true), in: text, patch: &$1) })
      known.append(group.write(0) { $0.mark(range, name, value: .null, in: text, patch: &$1) })
    }
    let strange = group.write(4) { document, patch in
      document.mark(0..<4, "bold", value: .integer(2), in: text, patch: &patch)
      document.mark(0..<4, "font", value: .integer(2), in: text, patch: &patch)
    }
    // Each forgets as much as it has when it collects.
    for (place, count) in [(1, 0), (2, 2), (3, 6)] {
      for change in known.prefix(count) { try group.deliver(change, to: place) }
      group.documents[place].collectTombstones(stable: group.documents[place].version)
      for change in known.dropFirst(count) { try group.deliver(change, to: place) }
    }
    for place in 0..<4 { try group.deliver(strange, to: place) }
    for change in known { try group.deliver(change, to: 4) }
    #expect(!group.agrees)
    for left in 0..<5 {
      for right in 0..<5 where left != right {
        try group.documents[left].merge(group.documents[right].snapshot(), patch: &group.patches[left])
      }
    }
    #expect(group.agrees)
    for place in 0..<5 { group.documents[place].collectTombstones(stable: group.documents[place].version) }
    #expect(group.agrees)
  }
}

extension Group {
  /// Whether these hold the same state.
  func agreesAmong(_ places: ClosedRange<Int>) -> Bool {
    let documents = places.map { self.documents[$0] }
    return documents.allSatisfy {
      $0.canonicalSnapshot() == documents[0].canonicalSnapshot() && $0.digest() == documents[0].digest()
    }
  }
}
