import StarlingCore
import Testing

// What is known to go wrong with lists and texts elsewhere, each by its name.

/// A few replicas that edit one list and one text.
private struct Editors {
  var group: Group
  let list = ObjectID.derived(parent: .root, key: "list", kind: .list)
  let text = ObjectID.derived(parent: .root, key: "text", kind: .text)

  init(_ count: Int) {
    group = Group(count)
    for place in 0..<count { declare(place) }
  }

  mutating func declare(_ place: Int) {
    group.documents[place].declare(.list, for: "list", in: .root)
    group.documents[place].declare(.text, for: "text", in: .root)
  }

  @discardableResult
  mutating func type(_ place: Int, _ string: String, at index: Int) -> Change? {
    group.write(place) { $0.insert(string, at: index, in: text, patch: &$1) }
  }

  @discardableResult
  mutating func erase(_ place: Int, _ range: Range<Int>) -> Change? {
    group.write(place) { $0.removeItems(range, in: text, patch: &$1) }
  }

  mutating func insert(_ place: Int, _ values: [Value], at index: Int) {
    group.write(place) { $0.insert(values, at: index, in: list, patch: &$1) }
  }

  mutating func move(_ place: Int, from: Int, to: Int) {
    group.write(place) { $0.move(from: from, to: to, in: list, patch: &$1) }
  }

  mutating func removeElement(_ place: Int, at index: Int) {
    group.write(place) { $0.removeItems(index..<index + 1, in: list, patch: &$1) }
  }

  mutating func mark(_ place: Int, _ range: Range<Int>, _ value: Value, left: Bool = false, right: Bool = true) {
    group.write(place) {
      $0.mark(range, "bold", value: value, expandsLeft: left, expandsRight: right, in: text, patch: &$1)
    }
  }

  func shown(_ place: Int) -> String { group.documents[place].text(in: text) }

  func values(_ place: Int) -> [Value] {
    let document = group.documents[place]
    return document.elements(in: list).map { element in
      if case .value(let value, _) = document.visible(.element(element), in: list) { value } else { .null }
    }
  }

  func bold(_ place: Int) -> [Range<Int>] { group.documents[place].marks(in: text).map(\.range) }
}

@Suite struct `Concurrent writers of a text` {
  @Test(arguments: [2, 3])
  func `do not interleave, writing forward`(_ count: Int) throws {
    var editors = Editors(count)
    let words = ["one", "two", "six"].prefix(count)
    for (place, word) in words.enumerated() {
      for (index, letter) in word.enumerated() { editors.type(place, String(letter), at: index) }
    }
    try editors.group.sync()
    #expect(editors.group.agrees)
    #expect(words.allSatisfy { editors.shown(0).contains($0) }, "\(editors.shown(0))")
  }

  @Test(arguments: [2, 3])
  func `do not interleave, writing backward`(_ count: Int) throws {
    var editors = Editors(count)
    editors.type(0, "()", at: 0)
    try editors.group.sync()
    let words = ["one", "two", "six"].prefix(count)
    for (place, word) in words.enumerated() {
      for letter in word.reversed() { editors.type(place, String(letter), at: 1) }
    }
    try editors.group.sync()
    #expect(editors.group.agrees)
    #expect(words.allSatisfy { editors.shown(0).contains($0) }, "\(editors.shown(0))")
  }

  @Test func `make one operation and one edit of a thousand keystrokes`() throws {
    var editors = Editors(2)
    let text = editors.text
    let change = editors.group.write(0) { document, patch in
      for index in 0..<1_000 { document.insert("x", at: index, in: text, patch: &patch) }
    }
    #expect(change?.operations.count == 1 && change?.lastCounter == 1_000)
    #expect(editors.group.patches[0].sequences.map(\.edits) == [[.insert(at: 0, count: 1_000)]])
    try editors.group.deliver(change, to: 1)
    #expect(editors.shown(1).count == 1_000)
    let erased = editors.group.write(0) { document, patch in
      for index in (0..<1_000).reversed() { document.removeItems(index..<index + 1, in: text, patch: &patch) }
    }
    #expect(erased?.operations.count == 1)
    #expect(editors.group.patches[0].sequences.map(\.edits) == [[.remove(at: 0, count: 1_000)]])
  }

  @Test func `write nothing where nothing is altered`() {
    var editors = Editors(1)
    editors.type(0, "abc", at: 0)
    editors.mark(0, 0..<2, .bool(true))
    editors.insert(0, [.null, .null], at: 0)
    let count = editors.group.log.count
    editors.type(0, "", at: 1)
    editors.erase(0, 1..<1)
    editors.mark(0, 0..<1, .bool(true))
    editors.mark(0, 2..<3, .null)
    editors.insert(0, [], at: 0)
    editors.move(0, from: 1, to: 1)
    #expect(editors.group.log.count == count)
  }
}

@Suite struct `An element of a list` {
  @Test func `keeps an edit that was made while it moved`() throws {
    var editors = Editors(2)
    editors.insert(0, [.integer(1), .integer(2), .integer(3)], at: 0)
    try editors.group.sync()
    let (list, element) = (editors.list, editors.group.documents[0].element(at: 0, in: editors.list)!)
    editors.move(0, from: 0, to: 2)
    editors.group.set(1, .element(element), .integer(9), in: list)
    try editors.group.sync()
    #expect(editors.group.agrees && editors.values(0) == [.integer(2), .integer(3), .integer(9)])
  }

  @Test func `stands once though two moved it, where the last mover put it`() throws {
    var editors = Editors(2)
    editors.insert(0, [.integer(1), .integer(2), .integer(3)], at: 0)
    try editors.group.sync()
    editors.move(0, from: 0, to: 1)
    editors.move(1, from: 0, to: 2)
    try editors.group.sync()
    #expect(editors.group.agrees && editors.values(1) == [.integer(2), .integer(3), .integer(1)])
  }

  @Test func `is gone if one moved it and another removed it`() throws {
    var editors = Editors(2)
    editors.insert(0, [.integer(1), .integer(2)], at: 0)
    try editors.group.sync()
    editors.move(0, from: 0, to: 1)
    editors.removeElement(1, at: 0)
    try editors.group.sync()
    #expect(editors.group.agrees && editors.values(0) == [.integer(2)])
  }

  @Test func `does not come back by an edit to it, nor by one beneath it`() throws {
    var editors = Editors(2)
    editors.insert(0, [.object(.map)], at: 0)
    try editors.group.sync()
    let (list, element) = (editors.list, editors.group.documents[0].element(at: 0, in: editors.list)!)
    editors.removeElement(0, at: 0)
    editors.group.write(1) { document, patch in
      document.set(.integer(1), for: "title", in: .assigned(by: element), patch: &patch)
      document.increment("n", in: document.declare(.map, for: .element(element), in: list), by: 1, patch: &patch)
      document.set(.integer(2), for: .element(element), in: list, patch: &patch)
    }
    try editors.group.sync()
    #expect(editors.group.agrees && editors.values(1).isEmpty)
    #expect(!editors.group.documents[0].isLive(.assigned(by: element)))
    #expect(editors.group.set(0, .element(element), .null, in: list) == nil)
  }
}

@Suite struct `A mark` {
  @Test func `is overruled by one that saw it, and shares the rest with others`() throws {
    var editors = Editors(2)
    editors.type(0, "abcdef", at: 0)
    try editors.group.sync()
    editors.mark(0, 0..<4, .bool(true))
    editors.mark(1, 2..<6, .bool(true))
    try editors.group.sync()
    #expect(editors.group.agrees && editors.bold(0) == [0..<6])
    editors.mark(0, 1..<3, .null)
    try editors.group.sync()
    #expect(editors.group.agrees && editors.bold(1) == [0..<1, 3..<6])
  }

  @Test(arguments: [false, true], [false, true])
  func `takes in what is written at its ends if it expands`(_ left: Bool, _ right: Bool) throws {
    var editors = Editors(2)
    editors.type(0, "a bold b", at: 0)
    try editors.group.sync()
    editors.mark(0, 2..<6, .bool(true), left: left, right: right)
    // Written by one who sees no mark.
    editors.type(1, ">", at: 6)
    editors.type(1, "<", at: 2)
    try editors.group.sync()
    #expect(editors.group.agrees && editors.bold(0) == [(left ? 2 : 3)..<(right ? 8 : 7)])
  }

  @Test func `holds its ends though their scalars are removed`() throws {
    var editors = Editors(2)
    editors.type(0, "abcdef", at: 0)
    try editors.group.sync()
    editors.mark(0, 1..<4, .bool(true), right: false)
    editors.erase(1, 1..<2)
    editors.erase(1, 2..<3)
    try editors.group.sync()
    #expect(editors.group.agrees && editors.shown(0) == "acef" && editors.bold(0) == [1..<2])
    let former = editors.group.documents[0].rowCount.items
    editors.group.documents[0].collectTombstones(stable: editors.group.documents[0].version)
    #expect(editors.group.documents[0].rowCount.items == former)
    editors.group.documents[0].checkInvariants()
  }
}

@Suite struct `A removed item` {
  @Test func `is let go of once it is stable, and the digest does not tell`() throws {
    var editors = Editors(2)
    editors.type(0, String(repeating: "x", count: 500), at: 0)
    try editors.group.sync()
    editors.erase(0, 0..<500)
    editors.insert(0, [.null, .null], at: 0)
    editors.removeElement(0, at: 1)
    let unstable = editors.group.documents[1].version
    try editors.group.sync()
    #expect(editors.group.documents[0].rowCount.items == 502)
    #expect(editors.group.documents[0].collectTombstones(stable: unstable) == 0)
    #expect(editors.group.documents[0].collectTombstones(stable: editors.group.documents[1].version) == 501)
    #expect(editors.group.documents[0].rowCount.items == 1)
    #expect(editors.group.documents[1].rowCount.items == 502)
    #expect(editors.group.agrees)
    editors.group.documents[0].checkInvariants()
  }

  @Test func `is let go of in parts, between which the text is written`() throws {
    var editors = Editors(2)
    editors.type(0, String(repeating: "x", count: 2000), at: 0)
    for _ in 0..<190 { editors.erase(0, 100..<110) }
    try editors.group.sync()
    let stable = editors.group.documents[1].version
    #expect(editors.group.documents[1].collectTombstones(stable: stable) == 1900)
    var collection = TombstoneCollection(stable: stable)
    var partCount = 1
    while !editors.group.documents[0].collectTombstones(collection: &collection, workMax: 50), partCount < 1000 {
      if partCount.isMultiple(of: 10) { editors.type(0, "y", at: partCount) }
      editors.group.documents[0].checkInvariants()
      partCount += 1
    }
    #expect(collection.count == 1900 && partCount > 50 && partCount < 1000)
    try editors.group.sync()
    #expect(editors.group.agrees)
  }

  @Test func `that a collection was given up at goes with the next one`() throws {
    var editors = Editors(1)
    editors.type(0, String(repeating: "x", count: 300), at: 0)
    for _ in 0..<30 { editors.erase(0, 0..<10) }
    let stable = editors.group.documents[0].version
    for workMax in [10, 40, 100] {
      var collection = TombstoneCollection(stable: stable)
      let isDone = editors.group.documents[0].collectTombstones(collection: &collection, workMax: workMax)
      #expect(!isDone)
      editors.group.documents[0].checkInvariants()
    }
    editors.group.documents[0].collectTombstones(stable: stable)
    #expect(editors.group.documents[0].rowCount.items == 0)
  }

  @Test func `that came with a snapshot is stable with what that covers`() throws {
    var editors = Editors(1)
    editors.type(0, "abc", at: 0)
    editors.erase(0, 0..<2)
    var copy = try Document(editors.group.documents[0].snapshot())
    #expect(copy.collectTombstones(stable: VersionVector()) == 0)
    #expect(copy.collectTombstones(stable: copy.version) == 0)
    editors.erase(0, 0..<1)
    copy = try Document(editors.group.documents[0].snapshot())
    #expect(copy.collectTombstones(stable: copy.version) == 3)
    #expect(copy.digest() == editors.group.documents[0].digest())
  }

  @Test func `on which a late returner wrote comes back with their state, and nothing is lost`() throws {
    var editors = Editors(2)
    let first = editors.type(0, "abc", at: 0)
    try editors.group.deliver(first, to: 1)
    editors.erase(0, 0..<3)
    editors.type(0, "new", at: 0)
    // The other is given up for lost.
    editors.group.documents[0].collectTombstones(stable: editors.group.documents[0].version)
    let late = editors.type(1, "late", at: 2)!
    #expect(try editors.group.deliver(late, to: 0) == .lacksAnchors([Dot(Group.replica(0), 3)]))
    #expect(editors.shown(0) == "new")
    var patch = Patch()
    try editors.group.documents[0].merge(editors.group.documents[1].snapshot(), patch: &patch)
    editors.group.documents[0].checkInvariants()
    try editors.group.documents[1].merge(editors.group.documents[0].snapshot(), patch: &patch)
    editors.group.documents[1].checkInvariants()
    #expect(editors.group.agrees)
    #expect(editors.shown(0).contains("late") && editors.shown(0).contains("new") && editors.shown(0).count == 7)
  }
}
