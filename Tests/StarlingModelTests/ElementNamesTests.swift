import StarlingCore
import StarlingModel
import StarlingTestSupport
import Testing

@Suite struct `The names of an array's elements` {
  @Test(arguments: 0..<10) func `are replaced anywhere as those of a plain array`(seed: UInt64) {
    var random = Dice(seed: seed)
    var counters: [UInt64] = [0, 0, 0]
    func fresh(_ count: Int) -> [Dot] {
      (0..<count).map { _ in
        let writer = Bool.random(using: &random) ? 0 : Int.random(in: 0..<3, using: &random)
        counters[writer] += 1
        return Dot(ReplicaID(rawValue: UInt64(writer) + 1), counters[writer])
      }
    }
    var plain = fresh(Int.random(in: 0..<2000, using: &random))
    var names = ElementNames(plain)
    for step in 0..<400 {
      let start = Int.random(in: 0...plain.count, using: &random)
      let longest = step % 50 == 0 ? 300 : 3
      let range = start..<min(start + Int.random(in: 0...longest, using: &random), plain.count)
      let dots = fresh(Int.random(in: 0...longest, using: &random))
      names.replaceSubrange(range, with: dots)
      plain.replaceSubrange(range, with: dots)
      #expect(names.count == plain.count)
      #expect(names[0..<names.count] == plain, "seed \(seed), step \(step)")
      guard let place = plain.indices.randomElement(using: &random) else { continue }
      #expect(names[place] == plain[place])
    }
  }
}
