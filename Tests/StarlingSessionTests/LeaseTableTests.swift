import StarlingCore
import StarlingSession
import StarlingWire
import Testing

@Suite struct `Replica ids that are leased` {
  private let ada = LeaseTable.Holder(store: StoreID(rawValue: 1), user: nil)
  private let bob = LeaseTable.Holder(store: StoreID(rawValue: 2), user: nil)
  private let first = ReplicaID(rawValue: 10)
  private let second = ReplicaID(rawValue: 20)
  private let third = ReplicaID(rawValue: 30)

  private func version(_ counters: [ReplicaID: UInt64]) -> VersionVector {
    VersionVector(counters.map { VersionVector.Entry(replica: $0.key, counter: $0.value) })
  }

  /// A table in which `first` was leased to Ada, used up to 5 and returned.
  private func bookWithOneFree(isDurableUpTo durable: UInt64 = 5) -> LeaseTable {
    var book = LeaseTable(continues: true)
    _ = book.ask(by: ada, fresh: first, version: VersionVector())
    _ = book.giveBack(Message.LeaseGrant(replica: first, number: 1, counter: 5), by: ada)
    _ = book.settle(durable: version([first: durable]), version: version([first: 5]))
    return book
  }

  @Test func `are leased again from where their holder left off, under the next number`() {
    var book = bookWithOneFree()
    let granted = book.ask(by: bob, fresh: second, version: version([first: 5]))
    #expect(granted == .granted(Message.LeaseGrant(replica: first, number: 2, counter: 5)))
    #expect(book.entries.count == 1)
  }

  @Test func `are leased again only once all of the last lease is durable`() {
    var book = bookWithOneFree(isDurableUpTo: 4)
    #expect(
      book.ask(by: bob, fresh: second, version: version([first: 5]))
        == .granted(Message.LeaseGrant(replica: second, number: 1, counter: 0)))
    let freed = book.settle(durable: version([first: 5]), version: version([first: 5]))
    #expect(freed.map(\.holder) == [ada.store])
    #expect(freed.map(\.grant) == [Message.LeaseGrant(replica: first, number: 1, counter: 5)])
  }

  @Test func `are refused by name under an older number`() {
    var book = bookWithOneFree()
    _ = book.ask(by: bob, fresh: second, version: version([first: 5]))
    let late = Message.LeaseGrant(replica: first, number: 1, counter: 5)
    let over = Message.Leased.Answer.over(Message.LeaseGrant(replica: first, number: 2, counter: 5))
    #expect(book.goOn(late, by: ada) == over)
    #expect(book.giveBack(late, by: ada) == over)
    // Nor does the present number help who is not its holder.
    let stolen = Message.LeaseGrant(replica: first, number: 2, counter: 9)
    #expect(book.goOn(stolen, by: ada) == over)
    #expect(book.giveBack(stolen, by: ada) == over)
    #expect(book.goOn(stolen, by: bob) == .granted(Message.LeaseGrant(replica: first, number: 2, counter: 5)))
  }

  @Test func `are given back once, however often that is said`() {
    var book = bookWithOneFree()
    let grant = Message.LeaseGrant(replica: first, number: 1, counter: 5)
    #expect(book.giveBack(grant, by: ada) == .returned(grant))
    #expect(book.entries == [LogLease(replica: first, number: 1, counter: 5, holder: nil, user: nil)])
  }

  @Test func `are the same for a peer that asks again, because an answer may be lost`() {
    var book = LeaseTable(continues: true)
    let grant = Message.Leased.Answer.granted(Message.LeaseGrant(replica: first, number: 1, counter: 0))
    #expect(book.ask(by: ada, fresh: first, version: VersionVector()) == grant)
    #expect(book.ask(by: ada, fresh: second, version: VersionVector()) == grant)
  }

  @Test func `are free again where an answer reached nobody, unless their holder has heard of them`() {
    let grant = Message.LeaseGrant(replica: first, number: 1, counter: 0)
    for isTold in [false, true] {
      var book = LeaseTable(continues: true)
      _ = book.ask(by: ada, fresh: first, version: VersionVector())
      if isTold { _ = book.told(grant) }
      book.untold(grant, by: ada)
      #expect(book.settle(durable: VersionVector(), version: VersionVector()).isEmpty == isTold)
    }
    // What its holder says of it shows that it has heard; and what an earlier run leased may have been told.
    var book = LeaseTable(continues: true)
    _ = book.ask(by: ada, fresh: first, version: VersionVector())
    _ = book.goOn(grant, by: ada)
    var later = LeaseTable(book.takeRemembered() ?? [], continues: true)
    book.untold(grant, by: ada)
    later.untold(grant, by: ada)
    for table in [book, later] { #expect(table.entries.first?.holder == ada.store) }
    book.holderEnded(ada.store, version: VersionVector())
    #expect(book.settle(durable: VersionVector(), version: VersionVector()).count == 1, "it is not ending before")
  }

  @Test func `stay within a key`() {
    let key = LeaseTable.Holder(store: StoreID(rawValue: 3), user: "key")
    let same = LeaseTable.Holder(store: StoreID(rawValue: 4), user: "key")
    let other = LeaseTable.Holder(store: StoreID(rawValue: 5), user: "other")
    for stranger in [other, bob] {
      var book = LeaseTable(continues: true)
      _ = book.ask(by: key, fresh: first, version: VersionVector())
      let grant = Message.LeaseGrant(replica: first, number: 1, counter: 0)
      // A stranger under the holder's own store is none.
      let disguised = LeaseTable.Holder(store: key.store, user: stranger.user)
      #expect(book.ask(by: disguised, fresh: second, version: VersionVector()) == .nothing)
      #expect(book.giveBack(grant, by: disguised) == .over(grant))
      _ = book.giveBack(grant, by: key)
      _ = book.settle(durable: VersionVector(), version: VersionVector())
      let answer = book.ask(by: stranger, fresh: second, version: VersionVector())
      #expect(answer == .granted(Message.LeaseGrant(replica: second, number: 1, counter: 0)))
      #expect(
        book.ask(by: same, fresh: second, version: VersionVector())
          == .granted(Message.LeaseGrant(replica: first, number: 2, counter: 0)))
    }
  }

  @Test func `come back from a holder that provably ended, as far as it was heard`() {
    var book = LeaseTable(continues: true)
    _ = book.ask(by: ada, fresh: first, version: VersionVector())
    #expect(book.provableHolders == [ada.store])
    book.holderEnded(ada.store, version: version([first: 3]))
    #expect(book.settle(durable: version([first: 2]), version: version([first: 3])).isEmpty)
    #expect(book.settle(durable: version([first: 3]), version: version([first: 3])).count == 1)
    #expect(
      book.ask(by: bob, fresh: second, version: version([first: 3]))
        == .granted(Message.LeaseGrant(replica: first, number: 2, counter: 3)))
    // It had not ended after all: its lease is over.
    #expect(book.goOn(Message.LeaseGrant(replica: first, number: 1, counter: 3), by: ada) != .nothing)
  }

  @Test func `do not come back by a proof that belongs to an earlier run`() {
    var book = LeaseTable(continues: true)
    _ = book.ask(by: ada, fresh: first, version: VersionVector())
    var later = LeaseTable(book.takeRemembered() ?? [], continues: true)
    later.holderEnded(ada.store, version: VersionVector())
    _ = later.settle(durable: VersionVector(), version: VersionVector())
    #expect(later.entries.map(\.holder) == [ada.store])
    // Its holder may still give it back.
    _ = later.giveBack(Message.LeaseGrant(replica: first, number: 1, counter: 0), by: ada)
    #expect(later.settle(durable: VersionVector(), version: VersionVector()).count == 1)
  }

  @Test func `are forgotten by a store that was put back, if they were free`() {
    var book = bookWithOneFree()
    _ = book.ask(by: bob, fresh: second, version: VersionVector([VersionVector.Entry(replica: first, counter: 4)]))
    let stored = [
      LogLease(replica: first, number: 1, counter: 5, holder: nil, user: nil),
      LogLease(replica: second, number: 3, counter: 7, holder: bob.store, user: nil),
    ]
    var restored = LeaseTable(stored, continues: false)
    #expect(restored.entries == [stored[1]])
    #expect(restored.takeRemembered() == [stored[1]])
    #expect(LeaseTable(stored, continues: true).entries == stored)
    // A number that is not known yet shows that the store is behind.
    #expect(restored.goOn(Message.LeaseGrant(replica: second, number: 4, counter: 9), by: ada) == .nothing)
    #expect(restored.isEmpty)
  }

  @Test func `are forgotten by a store that learns late that it was put back, if it found them free`() {
    let stored = [
      LogLease(replica: first, number: 1, counter: 5, holder: nil, user: nil),
      LogLease(replica: second, number: 3, counter: 0, holder: bob.store, user: nil),
    ]
    var book = LeaseTable(stored, continues: true)
    let leased = Message.LeaseGrant(replica: first, number: 2, counter: 5)
    #expect(book.ask(by: ada, fresh: third, version: version([first: 5])) == .granted(leased))
    let cleo = LeaseTable.Holder(store: StoreID(rawValue: 9), user: nil)
    let fresh = Message.LeaseGrant(replica: third, number: 1, counter: 0)
    #expect(book.ask(by: cleo, fresh: third, version: version([first: 5])) == .granted(fresh))
    let over = book.doubt()
    #expect(over.map(\.holder) == [ada.store] && over.map(\.grant) == [leased])
    #expect(book.entries.map(\.replica).sorted() == [second, third].sorted())
    let (isOldTold, isFreshTold) = (book.told(leased), book.told(fresh))
    #expect(!isOldTold && isFreshTold, "an answer that is under way says nothing any more")
    #expect(book.goOn(leased, by: ada) == .nothing)
  }

  @Test func `are forgotten where somebody writes under one that rests`() {
    var book = bookWithOneFree()
    let isAdmitted = book.admits(Dot(first, 6), from: ada.store, held: 5) { _ in true }
    #expect(isAdmitted && book.isEmpty)
    // So is one if more is held under it than its holder said.
    var behind = bookWithOneFree()
    _ = behind.ask(by: bob, fresh: second, version: version([first: 6]))
    #expect(behind.entries.map(\.replica) == [second])
  }

  @Test func `are written under by their holder alone while it says everything here`() {
    var book = LeaseTable(continues: true)
    _ = book.ask(by: ada, fresh: first, version: VersionVector())
    func admits(_ counter: UInt64, from store: StoreID?, isProvable: Bool = true) -> Bool {
      book.admits(Dot(first, counter), from: store, held: 2) { _ in isProvable }
    }
    #expect(admits(3, from: ada.store))
    #expect(!admits(3, from: bob.store))
    #expect(admits(2, from: bob.store))
    #expect(admits(3, from: bob.store, isProvable: false))
    #expect(book.admits(Dot(second, 3), from: bob.store, held: 2) { _ in true })
  }

  @Test func `are so many at most`() {
    var book = LeaseTable(continues: true, countMax: 2)
    for store in 1...3 as ClosedRange<UInt64> {
      let holder = LeaseTable.Holder(store: StoreID(rawValue: store), user: nil)
      let answer = book.ask(by: holder, fresh: ReplicaID(rawValue: 100 + store), version: VersionVector())
      #expect((answer == .nothing) == (store == 3))
    }
  }
}
