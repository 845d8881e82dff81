import StarlingCore
import StarlingSession
import Testing

/// Groups of relays and of those behind them, who tell each other what they hold.
@Suite struct `What a relay tells of those behind it` {
  /// One store of a group, and the stores that it talks to.
  private struct Store {
    var isRelay = false
    /// Relays that are beside this one, or above it.
    var beside: Set<Int> = []
    var others: Set<Int> = []
    var durable = VersionVector()
    var members = Members(now: 0)
  }

  private let writer = ReplicaID(rawValue: 1)

  private func version(_ counter: UInt64) -> VersionVector {
    VersionVector([VersionVector.Entry(replica: writer, counter: counter)])
  }

  private func store(_ number: Int) -> StoreID { StoreID(rawValue: UInt64(number) + 1) }

  /// Relays first. `beside` are pairs of relays that each are beside the other, `below` pairs of a store and the relay
  /// that it dials.
  private func group(_ count: Int, relays: Int, beside: [(Int, Int)] = [], below: [(Int, Int)]) -> [Store] {
    var stores = [Store](repeating: Store(), count: count)
    for relay in 0..<relays { stores[relay].isRelay = true }
    for (left, right) in beside {
      stores[left].beside.insert(right)
      stores[right].beside.insert(left)
    }
    for (lower, upper) in below {
      stores[lower].beside.insert(upper)
      stores[upper].others.insert(lower)
    }
    return stores
  }

  /// Each store acknowledges to those that it talks to, as often as it takes until nothing changes any more.
  private func talk(_ stores: inout [Store]) {
    for _ in 0..<(2 * stores.count + 2) {
      for speaker in stores.indices {
        let version = stores[speaker].durable
        let isRelay = stores[speaker].isRelay
        let side = isRelay ? stores[speaker].members.behind(.side, version: version) : nil
        let all = isRelay ? stores[speaker].members.behind(.all, version: version) : nil
        for hearer in stores[speaker].beside.union(stores[speaker].others) {
          let isTold = stores[speaker].beside.contains(hearer) && stores[hearer].isRelay ? side : all
          stores[hearer].members.acknowledge(
            store(speaker), version, behind: isTold, isDurable: true,
            isBeside: isRelay && stores[hearer].beside.contains(speaker), now: 0)
        }
      }
    }
  }

  private func stable(_ stores: inout [Store], _ place: Int) -> VersionVector {
    let version = stores[place].durable
    return stores[place].members.stable(durable: version, version: version, now: 0)
  }

  private static let groups = [
    "a relay", "two relays in a row", "two mesh peers", "three mesh peers", "a lower relay under two upper ones",
    "a ring of three relays",
  ]

  private func group(_ name: String) -> [Store] {
    switch name {
    case "a relay": group(4, relays: 1, below: [(1, 0), (2, 0), (3, 0)])
    case "two relays in a row": group(5, relays: 2, below: [(1, 0), (2, 0), (3, 1), (4, 1)])
    case "two mesh peers": group(6, relays: 2, beside: [(0, 1)], below: [(2, 0), (3, 0), (4, 1), (5, 1)])
    case "three mesh peers", "a ring of three relays":
      group(6, relays: 3, beside: [(0, 1), (1, 2), (2, 0)], below: [(3, 0), (4, 1), (5, 2)])
    default: group(7, relays: 3, beside: [(0, 1)], below: [(2, 0), (2, 1), (3, 0), (4, 1), (5, 2), (6, 2)])
    }
  }

  /// Everybody in every combination holds the first change alone, or the second as well.
  @Test(arguments: groups) func `is what the least of them holds, and keeps nobody waiting`(_ name: String) {
    let empty = group(name)
    for lagging in 0..<(1 << empty.count) {
      var stores = empty
      for place in stores.indices { stores[place].durable = version(1) }
      talk(&stores)
      for place in stores.indices { #expect(stable(&stores, place) == version(1), "\(name), store \(place)") }
      for place in stores.indices { stores[place].durable = version(lagging >> place & 1 == 1 ? 1 : 2) }
      talk(&stores)
      for place in stores.indices {
        #expect(stable(&stores, place) == version(lagging == 0 ? 2 : 1), "\(name): \(lagging), store \(place)")
      }
      for place in stores.indices { stores[place].durable = version(2) }
      talk(&stores)
      for place in stores.indices {
        #expect(stable(&stores, place) == version(2), "\(name): \(lagging), store \(place), all caught up")
      }
    }
  }

  @Test func `is no more than what was said last, for somebody may come who lacks more`() {
    var members = Members(now: 0)
    members.acknowledge(store(1), version(3), behind: version(3), isDurable: true, now: 0)
    #expect(members.stable(durable: version(3), version: version(3), now: 0) == version(3))
    members.acknowledge(store(1), version(3), behind: version(1), isDurable: true, now: 0)
    #expect(members.stable(durable: version(3), version: version(3), now: 0) == version(1))
    members.acknowledge(store(1), version(3), behind: VersionVector(), isDurable: true, now: 0)
    #expect(members.stable(durable: version(3), version: version(3), now: 0).isEmpty)
    members.acknowledge(store(1), version(3), isDurable: true, now: 0)
    #expect(members.stable(durable: version(3), version: version(3), now: 0) == version(3))
  }

  @Test func `counts once it is held here, and at once where it is less`() {
    var members = Members(now: 0)
    members.acknowledge(store(1), version(2), behind: version(2), isDurable: true, now: 0)
    #expect(members.stable(durable: version(2), version: version(2), now: 0) == version(2))
    members.acknowledge(store(1), version(4), behind: version(4), isDurable: true, now: 0)
    #expect(members.stable(durable: version(3), version: version(3), now: 0) == version(2))
    members.acknowledge(store(1), version(4), behind: version(1), isDurable: true, now: 0)
    #expect(members.stable(durable: version(4), version: version(4), now: 0) == version(1))
  }

  @Test func `is remembered, as far as it was said`() {
    var members = Members(now: 0)
    members.acknowledge(store(1), version(3), behind: version(1), isDurable: true, now: 0)
    var later = Members(members.takeRemembered(now: 0) ?? [], now: 0)
    #expect(later.stable(durable: version(3), version: version(3), now: 0) == version(1))
    #expect(later.behind(.all, version: version(3)) == version(1))
  }

  @Test func `is nothing where nobody is behind it`() {
    var members = Members(now: 0)
    #expect(members.behind(.all, version: version(3)) == nil && members.behind(.side, version: version(3)) == nil)
    members.acknowledge(store(1), version(3), isDurable: true, isBeside: true, now: 0)
    #expect(members.behind(.side, version: version(3)) == nil)
    #expect(members.behind(.all, version: version(3)) == version(3))
  }
}
