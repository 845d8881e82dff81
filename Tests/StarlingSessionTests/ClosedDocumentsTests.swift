import StarlingCore
import Testing

@testable import StarlingSession

/// A relay that closes what nobody uses, and what other daemons have of it.
private struct Shelf {
  var closed = ClosedDocuments()
  var versions: [DocumentID: Int] = [:]
  /// What each daemon has; those that are here get what is opened.
  var daemons: [StoreID: (epoch: UInt64, isHere: Bool, versions: [DocumentID: Int])] = [:]

  /// Open for a moment, in which daemons that are here take what there is.
  mutating func use(_ document: DocumentID, changing: Bool) {
    closed.remove(document)
    if changing { versions[document, default: 0] += 1 }
    for store in daemons.keys where daemons[store]?.isHere == true {
      daemons[store]?.versions[document] = versions[document]
    }
    closed.closed(document)
  }

  mutating func come(_ store: StoreID, epoch: UInt64) {
    if daemons[store]?.epoch != epoch { daemons[store] = (epoch, true, [:]) }
    daemons[store]?.isHere = true
    closed.arrived(store, epoch: epoch)
  }

  mutating func go(_ store: StoreID) {
    daemons[store]?.isHere = false
    closed.left(store)
  }

  /// Opens one of those whose turn it is.
  ///
  /// - Returns: false where it is nobody's.
  mutating func takeTurn() -> Bool {
    guard let document = closed.next() else { return false }
    use(document, changing: false)
    return true
  }

  var areAllToldOf: Bool { daemons.values.allSatisfy { !$0.isHere || $0.versions == versions } }
}

@Suite struct `Documents that are closed` {
  private let stores = (1...3).map { StoreID(rawValue: $0) }
  private let documents = (0..<8).map { DocumentID("\($0)")! }

  @Test(arguments: 0..<200)
  func `are told to every daemon that is here, whoever came and went`(seed: Int) {
    var generator = SmallGenerator(state: UInt64(seed) &* 7919 &+ 1)
    var shelf = Shelf()
    for document in documents.prefix(seed % 4) {
      shelf.versions[document] = 1
      shelf.closed.found(document)
    }
    for _ in 0..<60 {
      let (document, store) = (documents[generator.next(8)], stores[generator.next(3)])
      switch generator.next(8) {
      case 0, 1, 2: shelf.use(document, changing: true)
      case 3 where shelf.daemons[store]?.isHere != true:
        let epoch = shelf.daemons[store]?.epoch ?? 0
        shelf.come(store, epoch: generator.next(3) == 0 ? epoch + 1 : epoch)
      case 4 where shelf.daemons[store]?.isHere == true: shelf.go(store)
      default: _ = shelf.takeTurn()
      }
    }
    while shelf.takeTurn() {}
    #expect(shelf.areAllToldOf && !shelf.closed.isRoundUnderWay, "seed \(seed)")
    // Those who were here in between hear of nothing twice.
    for store in stores where shelf.daemons[store]?.isHere == true {
      let epoch = shelf.daemons[store]!.epoch
      shelf.go(store)
      shelf.come(store, epoch: epoch)
    }
    #expect(!shelf.closed.isRoundUnderWay, "seed \(seed)")
  }

  @Test func `are told to a daemon again where it could not be opened, once it is back`() {
    var shelf = Shelf()
    shelf.use(documents[0], changing: true)
    shelf.come(stores[0], epoch: 1)
    #expect(shelf.closed.next() == documents[0])
    shelf.closed.failed(documents[0])
    #expect(shelf.closed.next() == nil)
    shelf.go(stores[0])
    shelf.come(stores[0], epoch: 1)
    #expect(shelf.takeTurn() && shelf.areAllToldOf)
  }

  @Test func `are told one after the other, though the daemon greets again in between`() {
    var shelf = Shelf()
    for document in documents { shelf.use(document, changing: true) }
    shelf.come(stores[0], epoch: 1)
    var turns = 0
    while shelf.takeTurn() {
      turns += 1
      shelf.closed.arrived(stores[0], epoch: 1)
      guard turns < 100 else { break }
    }
    #expect(turns == documents.count && shelf.areAllToldOf)
  }

  @Test func `are all told to a daemon that missed too many of them`() {
    var shelf = Shelf()
    for document in documents { shelf.use(document, changing: true) }
    shelf.come(stores[0], epoch: 1)
    while shelf.takeTurn() {}
    shelf.go(stores[0])
    for _ in 0...ClosedDocuments.outstandingCountMax { shelf.use(documents[1], changing: true) }
    shelf.come(stores[0], epoch: 1)
    var turns = 0
    while shelf.takeTurn() { turns += 1 }
    #expect(turns == documents.count && shelf.areAllToldOf)
  }

  @Test func `remember as many daemons as they may`() {
    var shelf = Shelf()
    shelf.use(documents[0], changing: true)
    for number in 1...UInt64(2 * ClosedDocuments.daemonCountMax) {
      shelf.come(StoreID(rawValue: number), epoch: 1)
      while shelf.takeTurn() {}
      shelf.go(StoreID(rawValue: number))
    }
    // The first of them is a stranger by now.
    shelf.closed.arrived(StoreID(rawValue: 1), epoch: 1)
    #expect(shelf.closed.isRoundUnderWay)
  }
}

/// Small numbers of one seed.
private struct SmallGenerator {
  var state: UInt64

  mutating func next(_ bound: UInt64) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % bound)
  }
}

@Suite struct `Places of documents` {
  private func state(_ name: String) -> DocumentState {
    DocumentState(
      id: DocumentID(name)!, version: VersionVector(), replica: ReplicaID(rawValue: 1), stream: 1,
      members: Members(now: 0), own: OwnWrites(), recipients: Recipients(openSince: .zero, now: 0),
      leases: LeaseTable(continues: true))
  }

  @Test func `are taken by others under other numbers`() {
    var catalogue = Catalogue()
    let (first, second) = (catalogue.insert(state("a")), catalogue.insert(state("b")))
    catalogue.remove(first)
    let third = catalogue.insert(state("c"))
    #expect(third.place == first.place && third != first)
    #expect(!catalogue.contains(first) && catalogue.contains(second) && catalogue.contains(third))
    #expect(catalogue.inOrder == [second, third])
    let again = catalogue.insert(state("a"))
    #expect(catalogue.inOrder == [again, second, third])
    catalogue.remove(third)
    #expect(catalogue.insert(state("d")).place == first.place)
    #expect(!catalogue.contains(third))
  }

  @Test func `rest one after the other, and later where they were used`() {
    var catalogue = Catalogue()
    let numbers = ["a", "b", "c"].map { catalogue.insert(state($0)) }
    for number in numbers { catalogue.activate(number) }
    catalogue.review(isLogFailing: false) { _ in VersionVector() }
    #expect(catalogue.restingCount == 3)
    catalogue.activate(numbers[0])
    catalogue.review(isLogFailing: false) { _ in VersionVector() }
    // It was used since, and goes to the end.
    #expect(catalogue.takeResting() == nil)
    #expect((0..<3).map { _ in catalogue.takeResting() } == [numbers[1], numbers[2], numbers[0]])
    #expect(catalogue.takeResting() == nil)
  }
}
