import StarlingGraph
import StarlingGuard
import StarlingModel
import StarlingModelTestSupport
import Synchronization
import Testing

@Replicated final class Prices: Sendable {
  @ReplicatedIgnored let computed = Count()
  var values: [Int] = [1, 2, 3]

  func count(above limit: Int) -> Int {
    derived { $0.values.count { $0 > limit } }
  }

  func keptCount(above limit: Int) -> Int {
    derived(by: limit) { prices in
      prices.computed.number.add(1, ordering: .relaxed)
      return prices.values.count { $0 > limit }
    }
  }

  final class Count: Sendable {
    let number = Atomic(0)
    var value: Int { number.load(ordering: .relaxed) }
  }
}

@Suite struct `A derived value of a method` {
  private let pair = Pair()

  @Test func `heeds the arguments of each call`() throws {
    let (prices, _) = try pair.models(Prices.self)
    #expect((0...2).map { prices.count(above: $0) } == [3, 2, 1])
    let watch = Watch { [prices.count(above: 0), prices.count(above: 2)] }
    prices.values.append(5)
    #expect(watch.seen == [[3, 1], [4, 2]])
  }

  @Test func `is kept for each of the arguments that it is derived by`() throws {
    let (prices, _) = try pair.models(Prices.self)
    let watch = Watch { (0...2).map { prices.keptCount(above: $0) } }
    #expect(watch.seen == [[3, 2, 1]])
    #expect(prices.computed.value == 3)
    let second = Watch { prices.keptCount(above: 2) }
    #expect(second.seen == [1])
    #expect(prices.computed.value == 3)
    prices.values.append(2)
    #expect(watch.seen.last == [4, 3, 1])
    #expect(second.runs == 1)
  }
}
