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
