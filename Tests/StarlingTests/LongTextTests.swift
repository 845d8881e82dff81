import Starling
import StarlingTestSupport
import Testing

@Replicated final class LongPaper: Sendable {
  var body: ReplicatedText = ""
}

/// A text whose order lies in the log leaf by leaf, as users open it.
@Suite struct `A long text of a replica` {
  @Test(arguments: [EngineConfiguration.History.everything, .stateOnly(byteCountMin: 1)])
  func `is the same each time it is opened, and goes on`(_ history: EngineConfiguration.History) async throws {
    let group = try Group()
    var expected: [Character] = []
    var dice = Dice(seed: 1)
    for round in 0..<4 {
      let replica = try await group.open("writer") { $0.history = history }
      let body = try replica.model(LongPaper.self, named: "paper", isolation: nil).body
      #expect(body.string == String(expected), "round \(round)")
      // Few at first, so that the next round opens what this one wrote down: no two letters follow each other.
      for _ in 0..<(round == 0 ? 3000 : 40) {
        let place = dice.roll(0..<expected.count + 1)
        if round > 0, place + 5 <= expected.count, dice.oneIn(3) {
          body.replace(place..<place + 5, with: "")
          expected.removeSubrange(place..<place + 5)
        } else {
          body.insert("é", at: place)
          expected.insert("é", at: place)
        }
      }
      #expect(body.string == String(expected), "round \(round)")
      let reader = try await group.open("reader") { $0.history = history }
      let seen = try reader.model(LongPaper.self, named: "paper", isolation: nil).body
      while reader.version != replica.version { await reader.synchronize() }
      // The version is the document's, before models show it.
      #expect(eventually { seen.string == String(expected) }, "round \(round)")
      #expect(reader.digest == replica.digest, "round \(round)")
      try await reader.close()
      try await replica.close()
    }
  }

  /// The other began the text by itself: what it wrote names nothing that was there.
  @Test func `keeps what lies in the log where it meets what another wrote in it from its beginning`() async throws {
    let group = try Group()
    let writer = try await group.open("writer")
    let body = try writer.model(LongPaper.self, named: "paper", isolation: nil).body
    var dice = Dice(seed: 2)
    for count in 0..<3000 { body.insert("é", at: dice.roll(0..<count + 1)) }
    try await writer.close()
    let other = try await group.open("other")
    let seen = try other.model(LongPaper.self, named: "paper", isolation: nil).body
    for _ in 0..<8 { seen.append("o") }
    let again = try await group.open("writer")
    while again.version != other.version { await again.synchronize() }
    let kept = try again.model(LongPaper.self, named: "paper", isolation: nil).body.string
    #expect(kept.count == 3008)
    #expect(eventually { seen.string == kept })
    #expect(again.digest == other.digest)
    try await again.close()
    try await other.close()
  }
}
