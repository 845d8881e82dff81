import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

@Suite struct `Endpoints that are dialled` {
  let ada = StoreID(rawValue: 1)
  let bob = StoreID(rawValue: 2)

  /// A link whose peers are numbered as they are dialled, and what it was told.
  struct Link {
    var endpoints = Endpoints(bound: ["tcp://us:1"])
    var nextPeer: UInt64 = 1
    /// Peers that are connected, each with the relation whose streams it sends.
    var taken: [PeerHandle: Relation] = [:]
    var refused: Set<String> = []

    mutating func perform(_ effects: [Endpoints.Effect]) {
      for effect in effects {
        switch effect {
        case .dial(let endpoint, let attempt):
          if refused.contains(endpoint) {
            endpoints.failed(endpoint, attempt: attempt)
          } else {
            defer { nextPeer += 1 }
            perform(endpoints.connected(endpoint, attempt: attempt, as: PeerHandle(rawValue: nextPeer)))
          }
        case .subscribe(let peer, let relation):
          #expect(taken.updateValue(relation, forKey: peer) == nil)
        case .hangUp(let peer, let relation): #expect(taken.removeValue(forKey: peer) == relation)
        case .follow(let peer, let former, let relation):
          #expect(taken.updateValue(relation, forKey: peer) == former)
        }
      }
    }

    mutating func dial(_ endpoint: String, as origin: Endpoints.Origin, now: Duration = .zero) {
      perform(endpoints.dial(endpoint, as: origin, now: now))
    }

    var dialled: [String] { endpoints.inOrder.map(\.key) }

    func peer(at endpoint: String) -> PeerHandle? { endpoints.dialled[endpoint]?.peer }
  }

  @Test func `are dialled once, and not where this replica is dialled itself`() {
    var link = Link()
    link.dial("tcp://a:1", as: .byHand)
    link.dial("tcp://a:1", as: .learned)
    link.dial("tcp://us:1", as: .byHand)
    #expect(link.dialled == ["tcp://a:1"])
    #expect(link.taken == [PeerHandle(rawValue: 1): .plain])
    link.perform(link.endpoints.metOurselves(at: "tcp://a:1"))
    link.dial("tcp://a:1", as: .byHand)
    #expect(link.endpoints.isEmpty && link.taken.isEmpty)
  }

  @Test func `that the link refuses are dialled again`() {
    var link = Link(refused: ["tcp://a:1"])
    link.dial("tcp://a:1", as: .byHand)
    #expect(link.endpoints.isEmpty)
    link.refused = []
    link.dial("tcp://a:1", as: .byHand)
    #expect(link.dialled == ["tcp://a:1"])
  }

  @Test func `follow the directory, which leaves alone what is dialled by hand`() {
    var link = Link()
    link.dial("ipc:hand", as: .byHand)
    link.dial("ipc:learned", as: .learned)
    link.perform(link.endpoints.discovered(["ipc:b", "ipc:a"], now: .zero))
    #expect(link.dialled == ["ipc:a", "ipc:b", "ipc:hand"])
    #expect(link.endpoints.recentlyLost(now: .seconds(2)) == ["ipc:a", "ipc:b"])
    link.endpoints.setUnreachable(link.peer(at: "ipc:a")!, since: nil)
    #expect(link.endpoints.recentlyLost(now: .seconds(2)) == ["ipc:b"])
    #expect(link.endpoints.recentlyLost(now: .seconds(3)) == [])
    #expect(link.endpoints.unreachableCount == 2)
    link.perform(link.endpoints.discovered(["ipc:b"], now: .zero))
    #expect(link.dialled == ["ipc:b", "ipc:hand"])
  }

  @Test func `that were learned are given up once nobody answers, sooner where the peer left`() {
    var link = Link()
    link.dial("tcp://a:1", as: .learned)
    link.dial("tcp://b:1", as: .learned)
    _ = link.endpoints.met(ada, serving: .whole, isMeshPeer: true, at: link.peer(at: "tcp://a:1")!)
    link.perform(link.endpoints.left(PeerHandle(rawValue: 99), store: ada, endpoints: [], now: .seconds(5)))
    link.perform(link.endpoints.expire(.learned, now: .seconds(1)))
    #expect(link.dialled == ["tcp://a:1", "tcp://b:1"])
    link.perform(link.endpoints.expire(.learned, now: .seconds(2)))
    #expect(link.dialled == ["tcp://b:1"])
    link.perform(link.endpoints.expire(.learned, now: .seconds(10)))
    #expect(link.dialled == ["tcp://b:1"])
    link.perform(link.endpoints.expire(.learned, now: .seconds(11)))
    #expect(link.endpoints.isEmpty)
  }

  @Test func `of a peer that leaves by its own connection are hung up on if they were learned`() {
    for origin in [Endpoints.Origin.learned, .byHand] {
      var link = Link()
      link.dial("tcp://a:1", as: origin)
      link.perform(link.endpoints.left(PeerHandle(rawValue: 1), store: ada, endpoints: ["tcp://a:1"], now: .zero))
      #expect(link.endpoints.isEmpty == (origin == .learned))
    }
  }

  @Test func `that nobody trusts are dialled again once somebody does`() {
    var link = Link()
    link.endpoints.wantByHand("tcp://a:1")
    link.dial("tcp://a:1", as: .byHand)
    link.dial("tcp://b:1", as: .learned)
    for endpoint in ["tcp://a:1", "tcp://b:1"] { link.perform(link.endpoints.distrust(endpoint, .unknown, now: .zero)) }
    link.dial("tcp://a:1", as: .byHand)
    #expect(link.endpoints.isEmpty && link.endpoints.hasUntrusted)
    let isDue1 = link.endpoints.isReviewDue(now: .seconds(1), interval: .seconds(1))
    #expect(isDue1)
    let none = link.endpoints.reviewTrust(now: .seconds(1)) { _ in false }
    #expect(none == [])
    let isDue2 = link.endpoints.isReviewDue(now: .milliseconds(1999), interval: .seconds(1))
    #expect(!isDue2)
    let some = link.endpoints.reviewTrust(now: .seconds(1)) { _ in true }
    #expect(some == ["tcp://a:1"])
    #expect(!link.endpoints.hasUntrusted)
    let isDue3 = link.endpoints.isReviewDue(now: .milliseconds(1999), interval: .seconds(1))
    #expect(isDue3)
    link.dial("tcp://a:1", as: .byHand)
    #expect(link.dialled == ["tcp://a:1"])
  }

  /// A process that stood still met the former key of a member whose key was replaced since: that key is never let in
  /// again, and the new one answers.
  @Test func `that nobody trusts are dialled again after pauses that double, in case another answers`() {
    var link = Link()
    link.endpoints.wantByHand("tcp://a:1")
    var now = Duration.zero
    for pause in [5, 10, 20, 40, 80, 160, 300, 300].map({ Duration.seconds($0) }) {
      link.dial("tcp://a:1", as: .byHand)
      link.perform(link.endpoints.distrust("tcp://a:1", .key("former"), now: now))
      let early = link.endpoints.reviewTrust(now: now + pause - .milliseconds(1)) { _ in false }
      now += pause
      let due = link.endpoints.reviewTrust(now: now) { _ in false }
      #expect(early == [] && due == ["tcp://a:1"])
    }
    link.dial("tcp://a:1", as: .byHand)
    link.perform(link.endpoints.met(ada, serving: .whole, isMeshPeer: true, at: link.peer(at: "tcp://a:1")!))
    link.perform(link.endpoints.distrust("tcp://a:1", .key("former"), now: now))
    let due = link.endpoints.reviewTrust(now: now + .seconds(5)) { _ in false }
    #expect(due == ["tcp://a:1"])
  }

  @Test func `that somebody announces are tried a few at a time`() {
    var link = Link(refused: ["tcp://0:1"])
    for number in 0...6 { link.perform(link.endpoints.announced("tcp://\(number):1", nil, now: .zero)) }
    #expect(link.dialled == ["tcp://1:1", "tcp://2:1", "tcp://3:1", "tcp://4:1"])
    link.perform(link.endpoints.expire(.announced, now: .seconds(11)))
    #expect(link.endpoints.isEmpty)
  }

  @Test func `are told by transport, and not those at every address`() {
    let endpoints = Endpoints(
      bound: ["ipc:/x", "tcp://0.0.0.0:7", "tcp://us:1", "tcp://key@[::]:7"], advertised: ["tcp://us:1", "tcp://far:1"])
    #expect(endpoints.told == ["tcp://us:1", "tcp://far:1", "ipc:/x"])
    #expect(endpoints.dialable(from: "ipc:/y") == ["ipc:/x"])
    #expect(endpoints.toldToMembers == ["tcp://us:1", "tcp://far:1"])
  }

  // MARK: The plan

  func contact(_ store: StoreID, _ endpoints: String...) -> Membership.Contact {
    Membership.Contact(store: store, endpoints: endpoints)
  }

  @Test func `of one daemon are tried in turn`() {
    var link = Link()
    let plan = Membership.Plan(isUpper: true, meshPeers: [contact(ada, "tcp://a:1", "tcp://a:2")])
    func arrange(_ seconds: Int) {
      link.perform(
        link.endpoints.arrange(plan, now: .seconds(seconds), isHere: { _ in true }, isTalking: { _ in false }))
    }
    arrange(0)
    #expect(link.dialled == ["tcp://a:1"])
    #expect(Array(link.taken.values) == [.meshPeer])
    arrange(5)
    #expect(link.dialled == ["tcp://a:1"])
    arrange(6)
    #expect(link.dialled == ["tcp://a:2"])
    arrange(12)
    #expect(link.dialled == ["tcp://a:1"])
    #expect(link.taken.count == 1)
  }

  @Test func `dialled by hand are dropped once a planned daemon is linked, and dialled again once none is`() {
    var link = Link()
    let plan = Membership.Plan(isUpper: true, meshPeers: [contact(ada, "tcp://a:1")])
    link.endpoints.wantByHand("tcp://lb:1")
    link.perform(link.endpoints.dialByHand("tcp://lb:1", nil, now: .zero))
    _ = link.endpoints.met(ada, serving: .whole, isMeshPeer: true, at: PeerHandle(rawValue: 1))
    _ = link.endpoints.met(bob, serving: .whole, isMeshPeer: true, at: PeerHandle(rawValue: 1))
    for isLinked in [false, true, true, false] {
      link.perform(
        link.endpoints.arrange(plan, now: .zero, isHere: { _ in true }, isTalking: { _ in isLinked }))
      #expect(link.dialled == (isLinked ? ["tcp://a:1"] : ["tcp://a:1", "tcp://lb:1"]))
    }
  }

  @Test func `of two upper daemons give one stream, the other's once the first is lost`() {
    var link = Link()
    let plan = Membership.Plan(isUpper: false, uplinks: [contact(bob, "tcp://b:1"), contact(ada, "tcp://a:1")])
    link.perform(link.endpoints.arrange(plan, now: .zero, isHere: { _ in true }, isTalking: { _ in false }))
    let (b, a) = (PeerHandle(rawValue: 1), PeerHandle(rawValue: 2))
    #expect(link.taken == [b: .standby, a: .standby])
    func choose(_ talking: Set<PeerHandle>) {
      link.perform(
        link.endpoints.chooseUplink(planned: { [bob, ada] }, isRelay: { talking.contains($0) }))
    }
    for (peer, store) in [(a, ada), (b, bob)] {
      _ = link.endpoints.met(store, serving: .whole, isMeshPeer: true, at: peer)
    }
    choose([])
    #expect(link.taken == [b: .standby, a: .standby])
    choose([a, b])
    #expect(link.taken == [b: .uplink, a: .standby])
    choose([a])
    #expect(link.taken == [b: .standby, a: .uplink])
    // The one that gives it goes on.
    choose([a, b])
    #expect(link.taken == [b: .standby, a: .uplink])
    link.perform(link.endpoints.met(ada, serving: .whole, isMeshPeer: false, at: a))
    #expect(link.taken == [b: .standby, a: .plain])
  }

  /// Everything that may happen in four steps to two endpoints. `checkInvariants` runs within, and the link takes
  /// exactly the streams that it is to.
  @Test func `keep to what the link does, whatever happens in whatever order`() {
    let (one, two) = ("tcp://a:1", "tcp://a:2")
    let plans = [
      Membership.Plan(isUpper: true, meshPeers: [contact(ada, one, two), contact(bob, two)]),
      Membership.Plan(isUpper: false, uplinks: [contact(ada, two, one)], lost: contact(bob, one)),
    ]
    func step(_ number: Int, _ link: inout Link, _ now: Duration) {
      switch number {
      case 0: link.dial(one, as: .learned, now: now)
      case 1: link.perform(link.endpoints.dialByHand(two, plans[1], now: now))
      case 2: link.perform(link.endpoints.discovered([two], now: now))
      case 3:
        link.perform(
          link.endpoints.arrange(plans[0], now: now, isHere: { $0 == ada }, isTalking: { $0.rawValue % 2 == 0 }))
      case 4:
        link.perform(
          link.endpoints.arrange(plans[1], now: now, isHere: { _ in true }, isTalking: { _ in true }))
      case 5: link.perform(link.endpoints.chooseUplink(planned: { [ada] }, isRelay: { _ in true }))
      case 6:
        if let peer = link.peer(at: one) {
          link.perform(link.endpoints.met(ada, serving: .whole, isMeshPeer: true, at: peer))
        }
      case 7:
        if let peer = link.peer(at: two) {
          link.perform(link.endpoints.met(bob, serving: .whole, isMeshPeer: false, at: peer))
        }
      case 8:
        if let peer = link.peer(at: two) { link.perform(link.endpoints.dialAgain(peer, now: now) ?? []) }
      case 9: link.perform(link.endpoints.distrust(one, .unknown, now: now))
      case 10: link.refused = [one]
      default: link.perform(link.endpoints.hangUpAll())
      }
    }
    let stepCount = 12
    let worldCount = stepCount * stepCount * stepCount * stepCount
    for world in 0..<worldCount {
      var link = Link()
      link.endpoints.wantByHand(two)
      var code = world
      for place in 1...4 {
        step(code % stepCount, &link, .seconds(place * 3))
        code /= stepCount
      }
      let wanted = link.endpoints.connections.map { ($0.peer, $0.relation) }
      #expect(link.taken == Dictionary(uniqueKeysWithValues: wanted), "world \(world)")
      #expect(wanted.count == link.endpoints.count, "world \(world)")
    }
  }
}
