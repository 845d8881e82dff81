import Foundation
import Logging
import Starling

/// Where one peer's models live: every write and every delivery happens on the main actor, so each
/// flush is one moment, and what the observers did in it can be compared with what changed.
@MainActor final class Desk {
  private let replica: Replica
  private let library: Library
  private let books: [Book]
  private let noticeboard: Noticeboard
  private var observers: Observers
  private var oracle: WakeOracle
  private var random: SplitMix64
  private let name: String

  private var edits = 0
  private var acknowledgedEdits = 0
  private var acknowledgedCounter: UInt64 = 0
  private var acknowledgedReceipts: [String] = []
  private let run = UInt64.random(in: .min ... .max)
  private var shownConflict: [String] = []
  private var watching: Task<Void, Never>?

  /// Books of four properties each: a thousand keys.
  static let bookCount = 250
  /// A receipt is left, and the log waited for, after this many edits.
  private static let editsPerGroup = 100

  static func make(
    name: String, group: String, sockets: String, directory: String, seed: UInt64
  ) async throws -> Desk {
    var options = Replica.Options()
    options.agent = agentPrefix + name
    options.socketDirectory = sockets
    options.logger.logLevel = .error
    let replica = try await Replica.open(group, in: directory, options: options)
    let recovered = replica.version.entries.reduce(0) { $0 + $1.counter }
    await replica.synchronize()
    return try Desk(replica: replica, name: name, seed: seed, recovered: Int(recovered))
  }

  private init(replica: Replica, name: String, seed: UInt64, recovered: Int) throws {
    self.replica = replica
    self.name = name
    random = SplitMix64(state: seed)
    let library = try replica.model(Library.self, named: "library")
    let books = (0..<Self.bookCount).map { library.books.model(for: "book-\($0)") }
    self.library = library
    self.books = books
    noticeboard = Noticeboard(library: library)
    observers = Observers(books)
    oracle = WakeOracle(books)
    replica.models.onDelivery(on: MainActor.shared) { [weak self] in MainActor.assumeIsolated { self?.delivered() } }
    Self.say(.ready(replica: replica.writer.description, recovered: recovered))
  }

  // MARK: Commands

  /// Carries out commands until it is told to finish, or nobody is there to give any.
  func work() async throws {
    for await line in Self.lines() {
      switch try PeerLine.decode(PeerCommand.self, from: Data(line.utf8)) {
      case .edit(let count): try await edit(count)
      case .rename(let title): write(books[0]) { $0.title = title }
      case .addCopies(let count): write(books[0]) { $0.copies += Int64(count) }
      case .shelve(let shelf): write(books[0]) { $0.shelf = shelf }
      case .borrow: write(books[0]) { $0.isAvailable.toggle() }
      case .watch: watch()
      case .resolve: write(books[0]) { $0.title = $0.title }
      case .post(let notice, let readingList): noticeboard.post(notice, readingList)
      case .insert(let text, let mark): noticeboard.insert(text, before: mark)
      case .readFirst(let title): noticeboard.readFirst(title)
      case .readLast(let title): noticeboard.readLast(title)
      case .recite: Self.say(noticeboard.report)
      case .goOffline: await replica.setOnline(false)
      case .goOnline: await replica.setOnline(true)
      case .report:
        Self.say(.standing(await standing()))
        continue
      case .finish:
        Self.say(.standing(await standing()))
        try await replica.close()
        Self.say(.done)
        return
      }
      Self.say(.done)
    }
  }

  /// Edits at full speed. After each group a receipt is left, and the next begins once all of it is on disk.
  private func edit(_ count: Int) async throws {
    var left = count
    while left > 0 {
      let group = min(left, Self.editsPerGroup)
      for _ in 0..<group { editOnce() }
      left -= group
      edits += group
      let receipt = "\(name)-\(run)-\(edits)"
      library.receipts.insert(receipt)
      let counter = replica.version[replica.writer]
      try await replica.flush(until: .durable)
      acknowledgedEdits += group
      acknowledgedCounter = counter
      acknowledgedReceipts.append(receipt)
      Self.say(.standing(shortStanding()))
    }
  }

  private func editOnce() {
    let choice = Int.random(in: 0..<10, using: &random)
    // The first book is the front desk's, which the story alone edits.
    let book = books[Int.random(in: 1..<books.count, using: &random)]
    write(book) { book in
      switch choice {
      case 0..<4: book.title = "\(name)'s choice \(Int.random(in: 0..<100_000, using: &random))"
      case 4..<6: book.shelf = Int.random(in: 0..<10_000, using: &random)
      case 6..<8: book.isAvailable.toggle()
      default: book.copies += Int64.random(in: 1...3, using: &random)
      }
    }
  }

  private func write(_ book: Book, _ body: (Book) -> Void) {
    body(book)
    oracle.check(book)
    tellOfTheFrontDesk()
  }

  // MARK: Deliveries

  /// Right after remote changes became visible and the observers have run.
  private func delivered() {
    oracle.checkAll()
    tellOfTheFrontDesk()
  }

  private func tellOfTheFrontDesk() {
    let (ran, rested) = observers.takeFrontDeskWakes()
    if !ran.isEmpty {
      Self.say(.woke(ran: ran, rested: rested, title: books[0].title, copies: Int(books[0].copies)))
    }
    let titles = books[0].conflicts(of: \.title).map(\.value)
    if titles.count > 1, titles != shownConflict { Self.say(.conflict(values: titles)) }
    shownConflict = titles
  }

  // MARK: Reporting

  private func shortStanding() -> Standing {
    var standing = Standing()
    standing.edits = edits
    standing.acknowledgedEdits = acknowledgedEdits
    standing.replica = replica.writer.description
    standing.acknowledgedCounter = acknowledgedCounter
    standing.acknowledgedReceipts = acknowledgedReceipts
    for entry in replica.version.entries { standing.version[entry.replica.description] = entry.counter }
    standing.wakesSeen = observers.count
    standing.wakesExpected = oracle.expected
    standing.conflictsSeen = oracle.conflicts
    return standing
  }

  private func standing() async -> Standing {
    let status = await replica.status()
    var standing = shortStanding()
    standing.receipts = Array(library.receipts)
    standing.digest = replica.digest?.description ?? ""
    standing.framesPublished = status.counters.framesPublished
    standing.framesReceived = status.counters.framesReceived
    standing.pulls = status.counters.pulls
    return standing
  }

  // MARK: Being watched

  /// Says what it sees, as soon as it has changed and some time has passed since it was said last.
  private func watch() {
    guard watching == nil else { return }
    replica.presence[.name] = name
    watching = Task { [weak self] in
      var said: Sight?
      while !Task.isCancelled, let sight = await self?.sight() {
        if sight != said { Self.say(.sees(sight)) }
        said = sight
        try? await Task.sleep(for: Self.watchInterval)
      }
    }
  }

  private func sight() async -> Sight {
    let peers = await replica.status().peers
    var sight = Sight()
    let book = books[0]
    sight.shelf = book.shelf
    sight.isAvailable = book.isAvailable
    sight.copies = Int(book.copies.value)
    let titles = book.conflicts(of: \.title).map(\.value)
    sight.titles = titles.isEmpty ? [book.title] : titles
    sight.notice = library.notice.string
    sight.readingList = Array(library.readingList)
    sight.runs = observers.frontDeskRuns
    sight.edits = edits
    sight.acknowledgedEdits = acknowledgedEdits
    sight.merged = replica.version.entries.reduce(0) { $0 + $1.counter }
    sight.digest = replica.digest?.description ?? ""
    sight.wakesSeen = observers.count
    sight.wakesExpected = oracle.expected
    sight.conflictsSeen = oracle.conflicts
    sight.links = peers.map { Self.peerName(ofAgent: $0.agent) ?? Sight.daemon }.sorted()
    // A process that was killed and restarted is heard of twice for a while.
    sight.presence = Set(replica.presence.others(.name).map(\.content)).sorted()
    return sight
  }

  private static let watchInterval = Duration.milliseconds(100)
  private static let agentPrefix = "sync-demo "

  /// The name of the peer whose agent it is; nil for a daemon's.
  private static func peerName(ofAgent agent: String) -> String? {
    agent.hasPrefix(agentPrefix) ? String(agent.dropFirst(agentPrefix.count)) : nil
  }

  nonisolated static func say(_ report: PeerReport) {
    guard let line = try? PeerLine.encode(report) else { return }
    FileHandle.standardOutput.write(line)
  }

  /// Standard input, line by line, read on a thread of its own.
  private nonisolated static func lines() -> AsyncStream<String> {
    AsyncStream { continuation in
      Thread.detachNewThread {
        while let line = readLine() { continuation.yield(line) }
        continuation.finish()
      }
    }
  }
}

extension PresenceKey<String> {
  /// The name of each peer that is here. Its lifetime is short, so that one sees soon that somebody was killed or cut
  /// off.
  fileprivate static let name = PresenceKey("name", lifetime: .seconds(3))
}
