import StarlingCore
import Testing

@Suite struct `A slot's entry` {
  private static let values: [Value] = [
    .null, .bool(true), .bool(false), .integer(-1), .integer(.max), .unsigned(.max), .double(-0.0), .double(.nan),
    .date(0.5), .string(""), .string("Dune"), .string("A text of more than fifteen bytes"), .bytes([]), .bytes([1, 2]),
    .json("{}"), .object(.map), .object(.text), .derived(.set), .reference(.root), .unknown(tag: 99, payload: [7]),
  ]

  @Test(arguments: values) func `holds any value in place of any other`(former: Value) {
    for value in Self.values {
      var group = Group(1)
      group.set(0, "a", former)
      let fork = group.documents[0]
      group.set(0, "a", value)
      #expect(group.documents[0].entries("a", in: .root).map(\.value) == [value])
      #expect(fork.entries("a", in: .root).map(\.value) == [former])
      group.remove(0, "a")
      #expect(group.documents[0].rowCount.values == 0)
      fork.checkInvariants()
    }
  }

  @Test func `gives back the memory of the one before`() {
    var group = Group(1)
    for round in 0..<3 * Self.values.count {
      group.set(0, "a", Self.values[round % Self.values.count])
      group.set(0, .integer(Int64(round % 2)), .string("v\(round)"))
    }
    #expect(group.documents[0].rowExtent.values <= 4)
  }

  @Test func `may have a dot that is too long for a row`() throws {
    let long = Dot(Group.replica(0), 1 << 40)
    let entry = Entry(dot: long, stamp: Stamp(milliseconds: 1), value: .string("long"))
    let slot = Snapshot.Slot(key: "a", entries: [entry], shares: [])
    let snapshot = Snapshot(
      version: VersionVector([VersionVector.Entry(replica: long.replica, counter: long.counter)]), frontier: [long],
      latestStamp: entry.stamp, objects: [Snapshot.Object(id: .root, origin: .root, slots: [slot])])
    var group = Group(2)
    for place in 0..<2 { group.documents[place] = try Document(snapshot) }
    #expect(group.documents[0].snapshot() == snapshot)
    group.documents[0].checkInvariants()
    #expect(group.documents[0].rowCount.compounds == 1)

    // In place of it, beside it, and in place of both.
    group.set(0, "a", .integer(1))
    group.set(1, "a", .integer(2))
    #expect(group.documents[1].rowCount.compounds == 0)
    try group.sync()
    let both = [Dot(long.replica, long.counter + 1), Dot(Group.replica(1), 1)]
    for document in group.documents { #expect(document.entries("a", in: .root).map(\.dot).sorted() == both) }
    group.set(1, "a", .integer(3))
    try group.sync()
    for document in group.documents {
      document.checkInvariants()
      #expect(document.entries("a", in: .root).map(\.value) == [.integer(3)])
      #expect(document.rowCount.compounds == 0)
    }
  }
}
