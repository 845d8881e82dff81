import Foundation
import StarlingCore
import StarlingEngine
import StarlingModel
import StarlingModelTestSupport
import StarlingTestSupport
import Synchronization
import Testing

/// One replica twice, with the same done to both: of one a dictionary and a set are read key by key, of the other all
/// of them at once. Both must show the same, write the same and wake the same observers.
@MainActor private final class Twins {
  private struct Twin {
    let handle: DocumentHandle
    let space: ModelSpace
    var book: Book?
    var watches: [Watch<Int?>] = []
    var memberWatches: [Watch<Bool>] = []

    init(_ document: Document) {
      let clock = Atomic<UInt64>(1_700_000_000_000)
      handle = DocumentHandle(id: DocumentID("library")!, replica: ReplicaID(rawValue: 2), document: document) {
        clock.wrappingAdd(1, ordering: .relaxed).newValue
      }
      space = ModelSpace(handle)
    }
  }

  private struct Refused: Error {}

  private let remote = Pair.Replica(1)
  private let remoteBook: Book
  private var twins: [Twin]
  /// Written here, and not at the remote replica yet.
  private var unsent: [Change] = []
  /// Whether the model is at home on the main actor, or anywhere.
  private let isOnActor: Bool
  private let keys: [String]
  private var round = 0
  private var dice: Dice
  /// What was found first that is not the same.
  private(set) var fault: String?

  init(seed: UInt64, isOnActor: Bool) throws {
    dice = Dice(seed: seed)
    self.isOnActor = isOnActor
    let keyCount = dice.pick([0, 3, 12, 400])
    // Some that are there, in the first block of a snapshot and others, and some that are not.
    keys = Array(Set([0, 1, 2, keyCount / 2, keyCount - 1, keyCount, keyCount + 1])).sorted().map { "\($0)" }
    remoteBook = try remote.space.model(Book.self, named: "book", isolation: nil)
    withTransaction { [remoteBook] in
      for number in 0..<keyCount {
        remoteBook.loans["\(number)"] = number
        if number % 2 == 0 { remoteBook.keywords.insert("\(number)") }
      }
    }
    _ = remote.handle.takeOutbox()
    let document = try #require(remote.handle.copy())
    // From the log, where most of it is left in a snapshot, or as it was merged.
    twins =
      try dice.oneIn(2) ? [Twin(reopened(document)), Twin(reopened(document))] : [Twin(document), Twin(document)]
    try reopen()
  }

  /// Releases the model, and opens it again.
  private func reopen() throws {
    for index in twins.indices {
      twins[index].watches = []
      twins[index].memberWatches = []
      twins[index].book = nil
      let space = twins[index].space
      twins[index].book =
        isOnActor
        ? try space.model(Book.self, named: "book", isolation: MainActor.shared)
        : try space.model(Book.self, named: "book", isolation: nil)
    }
    _ = twins[1].book.map { ($0.loans.count, $0.keywords.count) }
  }

  private func key() -> String { dice.pick(keys) }

  /// Does it to both, and compares what comes of it.
  private func call(_ name: String, _ body: (Book) throws -> String) rethrows {
    let answers = try twins.map { try body($0.book!) }
    let changes = twins.map { $0.handle.takeOutbox() }
    unsent += changes[0]
    if answers[0] != answers[1] { note("\(name): \(answers[0]) for \(answers[1])") }
    if changes[0] != changes[1] { note("\(name) wrote \(changes[0]) for \(changes[1])") }
    let seen = twins.map { $0.watches.map(\.seen) }
    if seen[0] != seen[1] { note("\(name): observers saw \(seen[0]) for \(seen[1])") }
    let members = twins.map { $0.memberWatches.map(\.seen) }
    if members[0] != members[1] { note("\(name): observers of members saw \(members[0]) for \(members[1])") }
  }

  private func note(_ found: String) { fault = fault ?? "round \(round): \(found)" }

  func play() async throws {
    for _ in 0..<dice.roll(4..<30) where fault == nil {
      round += 1
      switch dice.roll(10) {
      case 0..<4: try local()
      case 4: try transaction()
      case 5: try taken()
      case 6..<9: try await merge()
      default: if dice.oneIn(3) { try reopen() } else { watch() }
      }
    }
    call("at last") { "\(shown($0)) \($0.keywords.sorted())" }
    let documents = twins.map { $0.handle.copy()?.opened.snapshot() }
    if documents[0] != documents[1] { note("the documents differ") }
  }

  private func shown(_ book: Book) -> [String] { book.loans.map { "\($0.key)=\($0.value)" } }

  private func watch() {
    let key = key()
    for index in twins.indices {
      let book = twins[index].book!
      if key.count % 2 == 0 {
        twins[index].memberWatches.append(Watch { book.keywords.contains(key) })
      } else {
        twins[index].watches.append(Watch { book.loans[key] })
      }
    }
  }

  /// One read or write.
  private func local() throws {
    let (key, number) = (key(), dice.roll(3))
    switch dice.roll(22) {
    case 0..<3: call("read \(key)") { "\($0.loans[key] as Int?)" }
    case 3: call("contains \(key)") { "\($0.loans.contains(key)) \($0.keywords.contains(key))" }
    case 4..<8:
      call("write \(key)") {
        $0.loans[key] = number; return ""
      }
    case 8..<10:
      call("remove \(key)") {
        $0.loans[key] = nil; return ""
      }
    case 10: call("update \(key)") { "\($0.loans.updateValue(number, forKey: key) as Int?)" }
    case 11: call("take \(key)") { "\($0.loans.removeValue(forKey: key) as Int?)" }
    case 12..<14: call("insert \(key)") { "\($0.keywords.insert(key))" }
    case 14..<16: call("remove member \(key)") { "\($0.keywords.remove(key) as String?)" }
    case 16: call("count") { "\($0.loans.count) \($0.keywords.count)" }
    case 17: call("keys") { "\($0.loans.keys) \(Array($0.keywords))" }
    case 18: call("walk") { "\(shown($0))" }
    case 19:
      call("merge") {
        $0.loans.merge([(key: key, value: 1), (key: "0", value: 2)], uniquingKeysWith: +); return ""
      }
    case 20:
      if dice.oneIn(4) {
        call("remove where") {
          $0.loans.removeAll { $0.value % 3 == number }; return ""
        }
      }
    default:
      if dice.oneIn(8) {
        call("remove all") {
          $0.keywords.removeAll(); return ""
        }
      }
    }
  }

  private func transaction() throws {
    let (first, second, count) = (key(), key(), dice.oneIn(4))
    call("transaction") { book in
      withTransaction {
        book.loans[first] = 7
        book.loans[second] = nil
        if count { _ = book.loans.count }
        book.keywords.insert(second)
      }
      return ""
    }
  }

  private func taken() throws {
    let (first, second, readsAll) = (key(), key(), dice.oneIn(4))
    call("taken back") { book in
      try? withTransaction {
        book.loans[first] = 9
        book.loans[second] = nil
        book.keywords.remove(first)
        if readsAll { _ = book.loans.keys }
        throw Refused()
      }
      return "\(book.loans[first] as Int?)"
    }
  }

  /// Something written elsewhere arrives, and is read before and after it is delivered.
  private func merge() async throws {
    if dice.oneIn(2) {
      remote.handle.merge(unsent)
      unsent = []
    }
    for _ in 0..<dice.roll(1..<4) {
      let key = key()
      switch dice.roll(4) {
      case 0: remoteBook.loans[key] = nil
      case 1: remoteBook.keywords.remove(key)
      case 2: remoteBook.keywords.insert(key)
      default: remoteBook.loans[key] = dice.roll(3)
      }
    }
    let title = "round \(round)"
    remoteBook.title = title
    let changes = remote.handle.takeOutbox()
    let readCount = dice.roll(3)
    try twins[0].space.withConsistentRead {
      try twins[1].space.withConsistentRead {
        for twin in twins { twin.handle.merge(changes) }
        for _ in 0..<readCount { try local() }
      }
    }
    #expect(await Turns.pass { twins.allSatisfy { $0.book!.title == title } })
    if !twins.allSatisfy({ $0.book!.title == title }) { note("a merge is not shown") }
    call("merged") { $0.title }
  }
}

@MainActor @Suite struct `A dictionary with some keys read` {
  static let first = ProcessInfo.processInfo.environment["STARLING_SEED"].flatMap { UInt64($0) } ?? 1

  @Test(arguments: [false, true])
  func `shows, writes and tells the same as one that was read whole`(isOnActor: Bool) async throws {
    var faults = 0
    for seed in Self.first..<Self.first + 60 where faults < 3 {
      let twins = try Twins(seed: seed, isOnActor: isOnActor)
      try await twins.play()
      if let fault = twins.fault {
        faults += 1
        Issue.record("STARLING_SEED=\(seed): \(fault)")
      }
    }
  }
}
