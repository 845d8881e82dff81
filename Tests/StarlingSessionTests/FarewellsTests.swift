import StarlingSession
import Testing

@Suite struct `Peers that said goodbye` {
  private let one = Farewells.Leaver(PeerHandle(rawValue: 1), store: nil, endpoints: ["memory:one"])
  private let two = Farewells.Leaver(PeerHandle(rawValue: 2), store: nil, endpoints: [])

  @Test func `are followed for a moment, and seen off once`() {
    var farewells = Farewells()
    farewells.add(one, now: .zero)
    farewells.add(two, now: .milliseconds(1))
    // Said twice, it is the first that counts.
    farewells.add(one, now: .milliseconds(2))
    let left = [249, 250, 9000, 99_000].map { farewells.takeLeft(by: .milliseconds($0)) }
    #expect(left == [[], [one], [two], []])
  }

  @Test func `stay where they come back first`() {
    var farewells = Farewells()
    farewells.add(one, now: .zero)
    let (first, second) = (farewells.remove(one.peer), farewells.remove(one.peer))
    #expect(first && !second)
    let left = farewells.takeLeft(by: .seconds(9))
    #expect(left.isEmpty)
  }
}
