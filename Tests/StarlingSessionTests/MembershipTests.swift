import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

/// Daemons of a small world, and what they do.
private struct Daemons {
  static let policy = Membership.Policy(
    beatInterval: .seconds(5), silence: .seconds(20), goneLifetime: .seconds(100), memberCountMax: 4)
  var members: [Membership]
  var incarnations: [UInt64]
  var now = Duration.zero

  init(_ count: Int) {
    members = (0..<count).map { Self.fresh($0, incarnation: 10) }
    incarnations = Array(repeating: 10, count: count)
  }

  static func store(_ index: Int) -> StoreID { StoreID(rawValue: UInt64(index + 1)) }

  private static func fresh(_ index: Int, incarnation: UInt64) -> Membership {
    Membership(
      store: store(index), incarnation: incarnation, endpoints: ["tcp://10.0.0.\(index):1"], tier: .either,
      policy: policy)
  }

  /// `listener` hears all that `speaker` knows.
  mutating func tell(_ speaker: Int, _ listener: Int) {
    _ = members[listener].hear(members[speaker].everything(now: now), now: now)
  }

  /// A new run of the store, which knows nobody.
  mutating func restart(_ index: Int, clockIsBehind: Bool = false) {
    if !clockIsBehind { incarnations[index] += 100 }
    members[index] = Self.fresh(index, incarnation: clockIsBehind ? 1 : incarnations[index])
  }

  /// Everybody hears everybody, and answers what is said of it, until nothing is left to say.
  mutating func settle() {
    for _ in 0..<4 {
      for index in members.indices { _ = members[index].tick(now: now) }
      for speaker in members.indices {
        for listener in members.indices where listener != speaker { tell(speaker, listener) }
      }
    }
  }

  /// What each says of all.
  var views: [[Message.Member]] { members.map { $0.everything(now: now) } }
}

@Suite struct `The words about one daemon` {
  private static let store = StoreID(rawValue: 9)

  private static func word(
    _ incarnation: UInt64, _ beat: UInt64, at endpoint: String, left: Bool = false, tier: Message.Member.Tier = .either
  ) -> Message.Member {
    Message.Member(
      store: store, incarnation: incarnation, beat: beat, tier: tier, hasLeft: left, endpoints: [endpoint])
  }

  /// Every order of a few, each heard once or twice.
  private static func expectAgreement(_ words: [Message.Member], on expected: Message.Member) {
    var outcomes: Set<[Message.Member]> = []
    for order in permutations(words) {
      for repeated in order.indices {
        var membership = Membership(store: StoreID(rawValue: 1), incarnation: 1, endpoints: [], tier: .either)
        for word in order + [order[repeated]] { _ = membership.hear([word], now: .seconds(1)) }
        outcomes.insert(membership.everything(now: .seconds(1)).filter { $0.store == store })
      }
    }
    #expect(outcomes == [[expected]])
  }

  private static func permutations<Element>(_ elements: [Element]) -> [[Element]] {
    guard elements.count > 1 else { return [elements] }
    return elements.indices.flatMap { index in
      var rest = elements
      let first = rest.remove(at: index)
      return permutations(rest).map { [first] + $0 }
    }
  }

  @Test func `come to the same in every order of joining, living, leaving, returning and moving`() {
    Self.expectAgreement(
      [
        Self.word(1, 0, at: "a"), Self.word(1, 1, at: "a"), Self.word(1, 2, at: "a", left: true),
        Self.word(2, 0, at: "a"), Self.word(3, 0, at: "b"),
      ], on: Self.word(3, 0, at: "b"))
  }

  @Test func `keep that it left, whatever its beat`() {
    Self.expectAgreement(
      [Self.word(1, 2, at: "a", left: true), Self.word(1, 7, at: "a"), Self.word(1, 1, at: "a")],
      on: Self.word(1, 7, at: "a", left: true))
  }

  @Test func `that contradict each other in one incarnation are chosen from alike`() {
    Self.expectAgreement(
      [Self.word(5, 1, at: "a"), Self.word(5, 3, at: "b"), Self.word(5, 2, at: "a", tier: .upper)],
      on: Self.word(5, 3, at: "a", tier: .upper))
  }
}

@Suite struct `Daemons that tell each other who is there` {
  private enum Act: CaseIterable {
    case firstMoves, firstLeaves, firstReturns, firstReturnsWithItsClockBehind, secondMoves, firstTellsSecond,
      secondTellsThird, thirdTellsFirst
  }

  @Test func `all agree in the end, whatever they do and whoever heard of it in between`() {
    var worlds = 0
    for first in Act.allCases {
      for second in Act.allCases {
        for third in Act.allCases {
          for fourth in Act.allCases {
            var daemons = Daemons(3)
            for (index, act) in [first, second, third, fourth].enumerated() {
              switch act {
              case .firstMoves: daemons.members[0].become(endpoints: ["moved-\(index)"], tier: .either)
              case .firstLeaves: _ = daemons.members[0].leave()
              case .firstReturns: daemons.restart(0)
              case .firstReturnsWithItsClockBehind: daemons.restart(0, clockIsBehind: true)
              case .secondMoves: daemons.members[1].become(endpoints: ["other-\(index)"], tier: .upper)
              case .firstTellsSecond: daemons.tell(0, 1)
              case .secondTellsThird: daemons.tell(1, 2)
              case .thirdTellsFirst: daemons.tell(2, 0)
              }
            }
            daemons.settle()
            worlds += 1
            let views = daemons.views
            #expect(views[0] == views[1] && views[1] == views[2], "\(first), \(second), \(third), \(fourth)")
            #expect(views[1].first == daemons.members[0].own, "\(first), \(second), \(third), \(fourth)")
          }
        }
      }
    }
    #expect(worlds == 4096)
  }

  @Test func `find all from one that all know`() {
    var daemons = Daemons(4)
    for index in 1..<4 { daemons.tell(index, 0) }
    for index in 1..<4 { daemons.tell(0, index) }
    #expect(daemons.views.allSatisfy { $0.map(\.store) == (0..<4).map(Daemons.store) })
  }
}

@Suite struct `A daemon that is not heard of` {
  @Test func `is gone after the time of silence, told of no more, and back with its next beat`() {
    var daemons = Daemons(2)
    daemons.tell(1, 0)
    daemons.now = .seconds(20)
    #expect(daemons.members[0].tick(now: daemons.now) == [])
    daemons.now = .seconds(21)
    #expect(daemons.members[0].tick(now: daemons.now) == [.gone(Daemons.store(1))])
    #expect(daemons.members[0].tick(now: daemons.now) == [])
    #expect(daemons.views[0].map(\.store) == [Daemons.store(0)])
    #expect(daemons.members[0].plan(now: daemons.now) { _ in true }.lost?.store == Daemons.store(1))
    _ = daemons.members[1].tick(now: daemons.now)
    let events = daemons.members[0].hear(daemons.members[1].everything(now: daemons.now), now: daemons.now)
    #expect(events == [.came(Daemons.store(1))])
    #expect(daemons.members[0].isHere(Daemons.store(1)))
  }

  @Test func `is not kept alive by others who pass on its last word in turn`() {
    var daemons = Daemons(3)
    daemons.tell(0, 1)
    var lastHeld = Duration.zero
    // The first says nothing more; the others tell each other without end.
    for step in 1..<600 {
      daemons.now = .milliseconds(step * 100)
      for index in 1...2 { _ = daemons.members[index].tick(now: daemons.now) }
      daemons.tell(1, 2)
      daemons.tell(2, 1)
      if (1...2).contains(where: { daemons.members[$0].isHere(Daemons.store(0)) }) { lastHeld = daemons.now }
    }
    #expect(lastHeld > .seconds(19) && lastHeld <= .seconds(21), "\(lastHeld)")
  }

  @Test func `is as old as its word, though somebody tells it as a fresh one`() {
    var member = Membership(
      store: Daemons.store(0), incarnation: 10, endpoints: [], tier: .either, policy: Daemons.policy)
    var word = Message.Member(
      store: Daemons.store(1), incarnation: 10, beat: 1, tier: .either, endpoints: [])
    _ = member.hear([word], now: .zero)
    word.quietMilliseconds = 0
    _ = member.hear([word], now: .seconds(15))
    #expect(member.tick(now: .seconds(21)).contains(.gone(Daemons.store(1))))
  }

  @Test func `is forgotten in the end, and not taken in again on an old word`() {
    var daemons = Daemons(2)
    daemons.tell(1, 0)
    let old = Message.Member(
      store: Daemons.store(1), incarnation: 10, beat: 0, quietMilliseconds: 20_001, endpoints: ["x"])
    daemons.now = .seconds(101)
    _ = daemons.members[0].tick(now: daemons.now)
    #expect(daemons.members[0].goneCount == 0)
    #expect(daemons.members[0].hear([old], now: daemons.now) == [])
    #expect(daemons.members[0].hereCount == 0)
  }

  @Test func `that left is told as one that left, and dialled no more`() {
    var daemons = Daemons(2)
    daemons.tell(1, 0)
    let last = daemons.members[1].leave()
    #expect(daemons.members[0].hear(last, now: .zero) == [.left(Daemons.store(1))])
    #expect(daemons.members[0].plan(now: .zero) { _ in true }.meshPeers.isEmpty)
    // What somebody else still says of it changes nothing.
    let stale = Message.Member(store: Daemons.store(1), incarnation: 10, beat: 0, endpoints: ["tcp://10.0.0.1:1"])
    #expect(daemons.members[0].hear([stale], now: .zero) == [])
    _ = daemons.members[0].tick(now: .seconds(61))
    #expect(daemons.members[0].everything(now: .seconds(61)).count == 1)
  }
}

@Suite struct `What is known of daemons` {
  @Test func `does not grow by flapping`() {
    var daemons = Daemons(2)
    for step in 0..<1000 {
      daemons.now += .milliseconds(10)
      if step.isMultiple(of: 2) {
        daemons.restart(1)
      } else {
        daemons.members[1].become(endpoints: ["e\(step)"], tier: .lower)
      }
      daemons.tell(1, 0)
      #expect(daemons.members[0].hereCount == 1)
    }
    #expect(daemons.members[0].takeNews(now: daemons.now).count <= 2)
    #expect(daemons.members[0].plan(now: daemons.now) { _ in true }.isUpper)
  }

  @Test func `is bounded: newcomers take the place of members that are gone, and of no other`() {
    var daemons = Daemons(1)
    func hear(_ stores: ClosedRange<UInt64>, at now: Duration) -> [Membership.Event] {
      daemons.members[0].hear(
        stores.map { Message.Member(store: StoreID(rawValue: $0), incarnation: 1, beat: 1, endpoints: ["e"]) }, now: now
      )
    }
    #expect(hear(100...200, at: .zero).count == 4)
    #expect(daemons.members[0].refusedCount == 97)
    _ = daemons.members[0].tick(now: .seconds(21))
    #expect(hear(300...300, at: .seconds(21)) == [.came(StoreID(rawValue: 300))])
    #expect(daemons.members[0].hereCount == 1)
    #expect(daemons.members[0].goneCount == 3)
  }

  @Test func `is told once to all where it is new, and whole with every beat`() {
    var daemons = Daemons(3)
    #expect(daemons.members[0].takeNews(now: .zero).map(\.store) == [Daemons.store(0)])
    #expect(daemons.members[0].takeNews(now: .zero).isEmpty)
    daemons.tell(1, 0)
    #expect(daemons.members[0].takeNews(now: .zero).map(\.store) == [Daemons.store(1)])
    daemons.tell(1, 0)
    #expect(daemons.members[0].takeNews(now: .zero).isEmpty)
    _ = daemons.members[0].tick(now: .seconds(5))
    #expect(daemons.members[0].takeNews(now: .seconds(5)).count == 2)
  }

  @Test func `of ourselves is ours to say: who speaks in our name is outdone`() {
    var daemons = Daemons(1)
    let claim = Message.Member(store: Daemons.store(0), incarnation: 5000, beat: 3, endpoints: ["elsewhere"])
    #expect(daemons.members[0].hear([claim], now: .zero) == [])
    #expect(daemons.members[0].tick(now: .zero) == [.contested])
    #expect(daemons.members[0].own.incarnation == 5001)
    #expect(daemons.members[0].tick(now: .zero) == [])
    // Beyond the last there is none: it stays there.
    let last = Message.Member(store: Daemons.store(0), incarnation: Message.Member.numberMax - 1, beat: 0)
    _ = daemons.members[0].hear([last], now: .zero)
    _ = daemons.members[0].tick(now: .zero)
    #expect(daemons.members[0].own.incarnation == Message.Member.numberMax - 1)
  }
}

@Suite struct `The tiers` {
  /// What each of so many daemons plans, all knowing all.
  private static func plans(_ count: Int, tier: (Int) -> Message.Member.Tier = { _ in .either }) -> [Membership.Plan] {
    let words = (0..<count).map {
      Message.Member(store: Daemons.store($0), incarnation: 1, beat: 0, tier: tier($0), endpoints: ["e\($0)"])
    }
    return words.map { word in
      var membership = Membership(
        store: word.store, incarnation: 1, endpoints: word.endpoints, tier: word.tier)
      _ = membership.hear(words, now: .zero)
      return membership.plan(now: .zero) { _ in true }
    }
  }

  @Test func `are one of up to sixteen, who all dial each other`() {
    for count in 1...16 {
      let plans = Self.plans(count)
      #expect(plans.allSatisfy { $0.isUpper && $0.meshPeers.count == count - 1 && $0.uplinks.isEmpty }, "\(count)")
    }
  }

  @Test func `are two beyond, and each lower daemon dials two different uppers`() {
    for count in [17, 64, 200] {
      let plans = Self.plans(count)
      #expect(plans.count(where: \.isUpper) == 16)
      #expect(plans.filter(\.isUpper).allSatisfy { $0.meshPeers.count == 15 })
      let lower = plans.filter { !$0.isUpper }
      #expect(
        lower.allSatisfy { plan in
          plan.meshPeers.isEmpty && plan.uplinks.count == 2 && plan.uplinks[0].store != plan.uplinks[1].store
        })
    }
  }

  @Test func `spread the lower daemons over the uppers`() {
    let first = Self.plans(200).filter { !$0.isUpper }.map { $0.uplinks[0].store }
    let loads = Dictionary(grouping: first) { $0 }.values.map(\.count)
    // 184 over 16 are 11.5 each; that of a chance choice stays below three times as much.
    #expect(loads.count == 16 && loads.max()! < 35, "\(loads.sorted())")
  }

  @Test func `are as configured where that was said, down to a group of nothing but lower ones`() {
    let two = Self.plans(6) { $0 < 2 ? .upper : .lower }
    #expect(two.map(\.isUpper) == [true, true, false, false, false, false])
    #expect(two[5].uplinks.count == 2)
    let full = Self.plans(20) { $0 >= 18 ? .upper : .either }
    #expect(full.count(where: \.isUpper) == 16 && full[18].isUpper && full[19].isUpper && !full[14].isUpper)
    #expect(Self.plans(3) { _ in .lower }.map(\.isUpper) == [true, true, true])
  }

  @Test func `change for one daemon at most where one comes`() {
    for count in 16...20 {
      let before = Self.plans(count).map(\.isUpper)
      let after = Self.plans(count + 1).map(\.isUpper)
      #expect(zip(before, after).count { $0 != $1 } <= 1)
    }
  }

  @Test func `dial only where that is allowed, and nobody who cannot be dialled`() {
    var membership = Membership(store: StoreID(rawValue: 9), incarnation: 1, endpoints: ["e"], tier: .either)
    let words = [
      Message.Member(store: StoreID(rawValue: 1), incarnation: 1, beat: 0, endpoints: ["stranger", "friend"]),
      Message.Member(store: StoreID(rawValue: 2), incarnation: 1, beat: 0, endpoints: ["stranger"]),
      Message.Member(store: StoreID(rawValue: 3), incarnation: 1, beat: 0),
    ]
    _ = membership.hear(words, now: .zero)
    #expect(
      membership.plan(now: .zero) { $0 == "friend" }.meshPeers
        == [Membership.Contact(store: StoreID(rawValue: 1), endpoints: ["friend"])])
  }
}
