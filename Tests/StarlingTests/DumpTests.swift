import Foundation
import Starling
import Testing

@Suite(.timeLimit(.minutes(10))) struct `A dump` {
  @Test func `shows models by name, counters as numbers and sets as arrays`() async throws {
    let group = try Group()
    let replica = try await group.open { $0.joinsThisMachine = false }
    let book = try replica.model(Book.self, named: "front-desk", isolation: nil)
    book.title = "Dune"
    book.copies += 3
    book.tags = ["novel", "desert"]
    let flags = try replica.model(Flags.self, named: "flags", isolation: nil)
    flags.enabled["dark-mode"] = true
    let tree = try #require(
      try JSONSerialization.jsonObject(with: Data(replica.dump().utf8)) as? [String: [String: Any]])
    #expect(tree["front-desk"]?["title"] as? String == "Dune")
    #expect(tree["front-desk"]?["copies"] as? Int == 3)
    #expect(tree["front-desk"]?["tags"] as? [String] == ["desert", "novel"])
    #expect(tree["flags"]?["enabled"] as? [String: Bool] == ["dark-mode": true])
    try await replica.close()
  }
}
