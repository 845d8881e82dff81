import StarlingCore
import StarlingWire
import Testing

/// The coding leaves out the definitions that operations imply, so it must agree with the documents
/// that write them about which those are and in which order.
@Suite struct `The changes that a document writes` {
  @Test func `define their objects once a stream, however deep and many`() throws {
    var document = Document()
    var patch = Patch()
    var encoder = LiveEncoder()
    var decoder = LiveDecoder()
    func write(_ body: (inout Document) -> Void) throws -> Int {
      document.begin(as: Samples.ada, now: 1_700_000_000_000 + document.version[Samples.ada])
      body(&document)
      let committed = document.commit()
      let change = try #require(committed)
      var payload: [UInt8] = []
      encoder.encode(change, into: &payload)
      #expect(try decoder.decode(payload) == [change])
      return payload.count
    }
    func fill(_ number: Int64) throws -> Int {
      try write { document in
        let books = document.declare(.dictionary, for: "books", in: .root)
        for place in 0..<3 {
          let book = document.declare(.map, for: .integer(Int64(place)), in: books)
          document.set(.integer(number), for: "year", in: book, patch: &patch)
          let tags = document.declare(.set, for: "tags", in: book)
          document.set(.bool(true), for: .integer(number), in: tags, patch: &patch)
        }
        document.set(.integer(number), for: "count", in: .root, patch: &patch)
      }
    }
    let first = try fill(1)
    let second = try fill(2)
    #expect(first > second + 30)
    // Seven operations: known fields at three bytes or so, a new member of each set at some more.
    #expect(second <= 50)
  }

  @Test func `cost 12 bytes in a model within a dictionary`() throws {
    var document = Document()
    var patch = Patch()
    var encoder = LiveEncoder()
    for number in 1...20 as ClosedRange<UInt64> {
      document.begin(as: Samples.ada, now: 1_700_000_000_000 + 20 * number)
      let books = document.declare(.dictionary, for: "books", in: .root)
      let book = document.declare(.map, for: "dune", in: books)
      document.set(.string("v\(number)"), for: "title", in: book, patch: &patch)
      var payload: [UInt8] = []
      let change = document.commit()
      encoder.encode(try #require(change), into: &payload)
      if number > 1 { #expect(payload.count <= 12) }
    }
    // A joiner's state arrives as it stands here.
    let snapshot = document.snapshot()
    #expect(try SnapshotCoding.decode(SnapshotCoding.encode(snapshot)) == snapshot)
  }

  @Test func `of a text and a list travel in a batch and in a snapshot`() throws {
    var document = Document()
    var patch = Patch()
    var changes: [Change] = []
    func write(_ body: (inout Document) -> Void) throws {
      document.begin(as: Samples.ada, now: 1_700_000_000_000 + UInt64(changes.count))
      body(&document)
      let committed = document.commit()
      changes.append(try #require(committed))
    }
    for (place, letter) in "The house – mouse".enumerated() {
      try write { $0.insert(String(letter), at: place, in: $0.declare(.text, for: "notes", in: .root), patch: &patch) }
    }
    for place in (9...12).reversed() {
      let range = place..<place + 1
      try write { $0.removeItems(range, in: $0.declare(.text, for: "notes", in: .root), patch: &patch) }
    }
    try write { $0.insert("e, ", at: 4, in: $0.declare(.text, for: "notes", in: .root), patch: &patch) }
    try write { document in
      let rows = document.declare(.list, for: "rows", in: .root)
      _ = document.insert([.integer(1), .string("two"), .object(.map)], at: 0, in: rows, patch: &patch)
      document.move(from: 2, to: 0, in: rows, patch: &patch)
    }

    let bytes = Batch.encode(changes)
    #expect(try Batch.parts(of: bytes).count == 2)
    var other = Document()
    for change in try Batch.decode(bytes) { _ = try other.merge(change, patch: &patch) }
    let snapshot = document.snapshot()
    #expect(other.snapshot() == snapshot)
    let decoded = try SnapshotCoding.decode(SnapshotCoding.encode(snapshot))
    #expect(decoded == snapshot)
    #expect(try Document(decoded).snapshot() == snapshot)
  }
}
