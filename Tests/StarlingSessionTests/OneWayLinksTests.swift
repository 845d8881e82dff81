import StarlingCore
import Testing

@testable import StarlingSession

@Suite struct `Links that work one way` {
  let store = StoreID(rawValue: 7)
  let accepted = PeerHandle(rawValue: 1)
  let dialled = PeerHandle(rawValue: 2)

  func met(dialable: Bool = true) -> OneWayLinks {
    var links = OneWayLinks()
    links.meet(accepted, store: store, isDialled: false, isDialable: dialable, now: .zero)
    return links
  }

  @Test func `are taken after some patience, once`() {
    var links = met()
    let turns1 = links.review(now: .seconds(2)) { _ in true }
    #expect(turns1 == [])
    let turns2 = links.review(now: .seconds(3)) { _ in true }
    #expect(turns2 == [.take(accepted)])
    #expect(links.isOneWay(accepted))
    let turns3 = links.review(now: .seconds(9)) { _ in true }
    #expect(turns3 == [])
    // Another greeting of the same run is no other connection.
    links.meet(accepted, store: store, isDialled: false, isDialable: true, now: .seconds(9))
    #expect(links.isOneWay(accepted))
  }

  @Test func `are taken after three heartbeats at the earliest`() {
    #expect(OneWayLinks.patience(heartbeat: .milliseconds(100)) == .seconds(3))
    var links = OneWayLinks(patience: OneWayLinks.patience(heartbeat: .seconds(60)))
    links.meet(accepted, store: store, isDialled: false, isDialable: true, now: .zero)
    let early = links.review(now: .seconds(179)) { _ in true }
    #expect(early.isEmpty)
    let late = links.review(now: .seconds(180)) { _ in true }
    #expect(late == [.take(accepted)])
  }

  @Test func `are left once the store was dialled, and taken again once that is lost`() {
    var links = met()
    let turns4 = links.review(now: .seconds(3)) { _ in true }
    #expect(turns4 == [.take(accepted)])
    links.meet(dialled, store: store, isDialled: true, isDialable: true, now: .seconds(4))
    let turns5 = links.review(now: .seconds(4)) { _ in true }
    #expect(turns5 == [.leave(accepted)])
    let turns6 = links.review(now: .seconds(60)) { _ in true }
    #expect(turns6 == [])
    links.end(dialled, now: .seconds(61))
    let turns7 = links.review(now: .seconds(63)) { _ in true }
    #expect(turns7 == [])
    let turns8 = links.review(now: .seconds(64)) { _ in true }
    #expect(turns8 == [.take(accepted)])
  }

  @Test func `are one for each store`() {
    var links = met()
    links.meet(PeerHandle(rawValue: 3), store: store, isDialled: false, isDialable: true, now: .zero)
    links.meet(PeerHandle(rawValue: 4), store: StoreID(rawValue: 8), isDialled: false, isDialable: true, now: .zero)
    let turns9 = links.review(now: .seconds(3)) { _ in true }
    #expect(turns9 == [.take(accepted), .take(PeerHandle(rawValue: 4))])
    links.end(accepted, now: .seconds(4))
    let turns10 = links.review(now: .seconds(5)) { _ in true }
    #expect(turns10 == [.take(PeerHandle(rawValue: 3))])
  }

  @Test func `are none where the peer names no endpoint, or is not to be dialled`() {
    var links = met(dialable: false)
    let turns11 = links.review(now: .seconds(60)) { _ in true }
    #expect(turns11 == [])
    links = met()
    let turns12 = links.review(now: .seconds(60)) { _ in false }
    #expect(turns12 == [])
    let turns13 = links.review(now: .seconds(62)) { _ in true }
    #expect(turns13 == [])
    let turns14 = links.review(now: .seconds(63)) { _ in true }
    #expect(turns14 == [.take(accepted)])
    let turns15 = links.review(now: .seconds(64)) { _ in false }
    #expect(turns15 == [.leave(accepted)])
  }

  @Test func `are given to a peer that asks over the connection that we made, until it asks over its own`() {
    var links = OneWayLinks()
    links.meet(dialled, store: store, isDialled: true, isDialable: true, now: .zero)
    let turns16 = links.hearFollower(on: dialled)
    #expect(turns16 == [.give(dialled)])
    let turns17 = links.hearFollower(on: dialled)
    #expect(turns17 == [])
    links.meet(accepted, store: store, isDialled: false, isDialable: true, now: .zero)
    let turns18 = links.hearFollower(on: accepted)
    #expect(turns18 == [.stop(dialled)])
    #expect(!links.isOneWay(dialled))
    let turns19 = links.hearFollower(on: accepted)
    #expect(turns19 == [])
    // What was under way on the other connection is put right by the next acknowledgement on this one.
    let turns20 = links.hearFollower(on: dialled)
    #expect(turns20 == [.give(dialled)])
    let turns21 = links.hearFollower(on: accepted)
    #expect(turns21 == [.stop(dialled)])
  }

  @Test func `are not given to a peer that was told no endpoint, for it is served there anyway`() {
    var links = OneWayLinks()
    links.meet(dialled, store: store, isDialled: true, isDialable: false, now: .zero)
    let turns22 = links.hearFollower(on: dialled)
    #expect(turns22 == [])
    let turns23 = links.hearFollower(on: PeerHandle(rawValue: 9))
    #expect(turns23 == [])
  }
}
