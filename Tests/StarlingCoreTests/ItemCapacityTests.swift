import Testing

@testable import StarlingCore

@Suite struct `A text that is all but full` {
  private let text = ObjectDefinition(parent: .root, key: "text", kind: .text)
  private let writer = ReplicaID(rawValue: 1)
  /// Tombstones cost nothing, so that there may be as many as there can.
  private let count = ChangeLimits.itemCountMax - 2

  private func document() throws -> Document {
    let last = Dot(writer, UInt64(count))
    let run = Snapshot.Run(first: Dot(writer, 1), anchor: .start, content: .removed(count: count))
    let object = Snapshot.Object(
      id: text.id, origin: .derived(text), slots: [], sequence: Snapshot.Sequence(runs: [run]))
    var version = VersionVector()
    version[writer] = last.counter
    return try Document(
      Snapshot(version: version, frontier: [last], latestStamp: Stamp(rawValue: 1), objects: [object]))
  }

  private func insertion(_ string: String) -> Change {
    Change(
      replica: ReplicaID(rawValue: 2), firstCounter: 1, stamp: Stamp(rawValue: 2), frontier: [], objects: [text],
      operations: [
        Operation(object: text.id, key: .element(.origin), action: .insert(.text(Scalars(string)), side: .right))
      ])
  }

  private func refusal(_ merge: (inout Document, inout Patch) throws(MergeError) -> Void) throws -> MergeError.Code? {
    var document = try document()
    var patch = Patch()
    do throws(MergeError) {
      try merge(&document, &patch)
      return nil
    } catch {
      #expect(patch.isEmpty)
      #expect(try document.version == self.document().version)
      return error.code
    }
  }

  @Test func `takes what fits, and refuses more by name wherever it comes from`() throws {
    for (string, expected) in [("ab", nil), ("abc", MergeError.Code.tooManyItems)] {
      let change = insertion(string)
      #expect(
        try refusal { document, patch throws(MergeError) in _ = try document.merge(change, patch: &patch) } == expected)
      let history = try #require([change].withBorrowed { TextHistory(prefixOf: $0, in: $0.indices) })
      #expect(
        try refusal { document, patch throws(MergeError) in _ = try document.merge(history, patch: &patch) } == expected
      )
    }
    var other = Document()
    var patch = Patch()
    _ = try other.merge(insertion("abc"), patch: &patch)
    let snapshot = other.snapshot()
    #expect(
      try refusal { document, patch throws(MergeError) in try document.merge(snapshot, patch: &patch) } == .tooManyItems
    )
  }

  @Test func `refuses a write of more before it is made`() throws {
    var document = try document()
    var patch = Patch()
    document.begin(as: ReplicaID(rawValue: 2), now: 3)
    document.insert("abc", at: 0, in: text.id, patch: &patch)
    let refusal = document.takeRefusal()
    #expect(refusal?.part == .items && refusal?.limit == ChangeLimits.itemCountMax)
    #expect(refusal?.size == ChangeLimits.itemCountMax + 1)
    document.insert("ab", at: 0, in: text.id, patch: &patch)
    #expect(document.takeRefusal() == nil)
    #expect(document.commit()?.operations.count == 1)
  }
}

@Suite struct `A change with many values` {
  private var document = Document()
  private var patch = Patch()

  @Test mutating func `counts each as an operation`() throws {
    document.begin(as: ReplicaID(rawValue: 1), now: 1)
    let list = document.declare(.list, for: "list", in: .root)
    document.insert([.null, .null, .null], at: 0, in: list, patch: &patch)
    let values = [Value](repeating: .null, count: ChangeLimits.operationCountMax - 4)
    document.insert(values, at: 0, in: list, patch: &patch)
    let refusal = document.takeRefusal()
    #expect(refusal?.part == .transactionOperations)
    #expect(refusal?.size == ChangeLimits.operationCountMax + 1)
    #expect(document.commit()?.operations.count == 1)
  }

  @Test mutating func `has no text that a frame cannot hold`() {
    document.begin(as: ReplicaID(rawValue: 1), now: 1)
    let text = document.declare(.text, for: "text", in: .root)
    document.insert(String(repeating: "x", count: ChangeLimits.byteCountMax), at: 0, in: text, patch: &patch)
    #expect(document.takeRefusal()?.part == .value)
    #expect(document.commit() == nil)
  }
}

@Suite struct `A place in a text` {
  @Test func `is lost once its item is collected`() throws {
    var document = Document()
    var patch = Patch()
    document.begin(as: ReplicaID(rawValue: 1), now: 1)
    let text = document.declare(.text, for: "text", in: .root)
    document.insert("abcd", at: 0, in: text, patch: &patch)
    let places = [document.edge(at: 3, .left, in: text), document.edge(at: 4, .right, in: text)]
    document.removeItems(3..<4, in: text, patch: &patch)
    _ = document.commit()
    #expect(places.map { document.index(of: $0, in: text) } == [3, 3])
    document.collectTombstones(stable: document.version)
    #expect(places.map { document.index(of: $0, in: text) } == [nil, nil])
    // The ends stay.
    #expect(document.index(of: .start, in: text) == 0 && document.index(of: .end, in: text) == 3)
  }
}
