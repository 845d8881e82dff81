import StarlingTestSupport
import StarlingCore
import StarlingWire
import Testing

@Suite struct `A live stream` {
  @Test(arguments: 0..<60) func `gives back every change that was put in`(seed: Int) throws {
    var drawing = ChangeDrawing(seed: UInt64(seed))
    var encoder = LiveEncoder()
    var decoder = LiveDecoder()
    for _ in 0..<40 {
      let changes = drawing.changes(drawing.dice.roll(1..<6))
      var payload: [UInt8] = []
      for change in changes { encoder.encode(change, into: &payload) }
      let decoded = try decoder.decode(payload)
      let isSame = decoded == changes
      try #require(isSame, "seed \(seed)")
    }
  }

  @Test(arguments: 0..<20) func `goes on alike for one who takes over its tables in between`(seed: Int) throws {
    var drawing = ChangeDrawing(seed: UInt64(seed))
    var encoder = LiveEncoder()
    for cut in 0..<30 {
      var joined = try LiveDecoder(tables: encoder.tables())
      var further = encoder
      var later = drawing
      for _ in 0..<5 {
        let changes = later.changes(3)
        var payload: [UInt8] = []
        for change in changes { further.encode(change, into: &payload) }
        let isSame = try joined.decode(payload) == changes
        try #require(isSame, "seed \(seed), cut \(cut)")
      }
      var payload: [UInt8] = []
      encoder.encode(drawing.change(), into: &payload)
    }
  }
}

@Suite struct `A stream that lives for long` {
  /// One set of its own key, `number` counted from 1.
  private func set(_ number: UInt64, key: Key) -> Change {
    Samples.change(number, [.set(.integer(1), replacing: [], clearing: nil)], key: key)
  }

  @Test func `begins a new generation once its tables weigh too much, at both ends`() throws {
    var encoder = LiveEncoder()
    var decoder = LiveDecoder()
    var largest = 0
    // Three generations, a hundred changes a payload.
    for start in stride(from: 1, to: 140_000, by: 100) {
      let changes = (start..<start + 100).map { set(UInt64($0), key: .integer(Int64($0 % 70_000))) }
      var payload: [UInt8] = []
      for change in changes { encoder.encode(change, into: &payload) }
      let isSame = try decoder.decode(payload) == changes
      try #require(isSame, "change \(start)")
      if start % 20_000 == 1 {
        let tables = encoder.tables()
        largest = max(largest, tables.count)
        #expect(throws: Never.self) { try LiveDecoder(tables: tables) }
      }
    }
    #expect(largest < 1 << 20)
  }

  @Test func `forgets long names before they are many`() throws {
    var encoder = LiveEncoder()
    var decoder = LiveDecoder()
    for number in 1...300 as ClosedRange<UInt64> {
      let change = set(number, key: .name("\(number)" + String(repeating: "n", count: 50_000)))
      var payload: [UInt8] = []
      encoder.encode(change, into: &payload)
      let isSame = try decoder.decode(payload) == [change]
      try #require(isSame, "change \(number)")
      #expect(encoder.tables().count < 5 << 20)
    }
  }

  @Test func `says a name once and its number from then on`() throws {
    var encoder = LiveEncoder()
    var counts: [Int] = []
    for number in 1...3 as ClosedRange<UInt64> {
      var payload: [UInt8] = []
      encoder.encode(set(number, key: "a rather long name of a key"), into: &payload)
      counts.append(payload.count)
    }
    #expect(counts[0] > 40)
    #expect(counts[1] < 8)
    #expect(counts[1] == counts[2])
  }

  @Test func `hands out complete definitions though it says each once`() throws {
    var encoder = LiveEncoder()
    var decoder = LiveDecoder()
    var payloads: [[UInt8]] = []
    for number in 1...3 as ClosedRange<UInt64> {
      let change = Samples.change(
        number, [.increment(1, birth: number)], object: Samples.tags.id,
        objects: [Samples.books, Samples.dune, Samples.tags])
      var payload: [UInt8] = []
      encoder.encode(change, into: &payload)
      #expect(try decoder.decode(payload).first?.objects == change.objects)
      payloads.append(payload)
    }
    #expect(payloads[0].count > payloads[1].count + 15)
  }

  /// What is encoded gathers in a space of some hundred bytes first.
  @Test(arguments: [1, 2, 9]) func `is the same wherever that space ends in it`(operationCount: Int) throws {
    for length in 0...1100 {
      var counter: UInt64 = 0
      let changes = (0..<3).map { number in
        let actions = (0..<operationCount).map { place in
          Action.set(
            .string(String(repeating: "ü", count: length / operationCount + place)),
            replacing: place == 0 && counter > 0 ? [Dot(Samples.ada, counter)] : [], clearing: nil)
        }
        defer { counter += UInt64(operationCount) }
        return Samples.change(counter + 1, actions, key: "title")
      }
      var (encoder, decoder) = (LiveEncoder(), LiveDecoder())
      var together: [UInt8] = []
      for change in changes {
        let start = together.count
        encoder.encode(change, into: &together)
        let isSame = try decoder.decode(Array(together[start...])) == [change]
        try #require(isSame, "\(length) bytes")
      }
      var atOnce = LiveDecoder()
      let isSame = try atOnce.decode(together) == changes
      try #require(isSame, "\(length) bytes")
    }
  }
}
