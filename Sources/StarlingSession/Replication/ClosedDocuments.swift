package import StarlingCore

/// The documents that the log holds and that are not open, and which of them other daemons are still to hear of.
/// Performs nothing.
///
/// ```
///   opened ◄──────────── a peer speaks of it, or somebody here ──────────── closed: its name
///   opened ◄── its turn in the round, for a daemon that came ◄── round ────────┘
///   closed ──► owed to each daemon that is away
/// ```
///
/// A daemon that comes for the first time in its run and ours hears of all of them: each is opened in turn, talked
/// about, and closed again. One that was here before hears of those that were closed while it was away; all others are
/// as they were when it left.
package struct ClosedDocuments: Sendable {
  /// So many daemons that are away are remembered, and so many documents that one of them is owed. Beyond that it hears
  /// of all.
  package static let daemonCountMax = 256
  package static let owedCountMax = 65_536

  private struct Daemon {
    var epoch: UInt64
    var isHere = true
    /// How many of the round are still to come for it.
    var remaining: Int
    /// What it is to hear of now, and what it is to when it is back. A document may stand in it twice.
    var next: [DocumentID] = []
    var owed: [DocumentID] = []

    var isInRound: Bool { isHere && remaining > 0 }
  }

  /// Whether it was open in this run.
  private var names: [DocumentID: Bool] = [:]
  /// All that ever were closed, in that order, and where in it the round is.
  private var round: [DocumentID] = []
  private var isInRound: Set<DocumentID> = []
  private var place = 0
  private var daemons: [StoreID: Daemon] = [:]

  package init() {}

  package var count: Int { names.count }

  package func contains(_ document: DocumentID) -> Bool { names[document] != nil }

  // MARK: Documents

  /// The log held it when it was opened.
  package mutating func found(_ document: DocumentID) { insert(document, wasOpen: false) }

  /// It was open here, and every daemon that is here has what it holds but those in `behind`.
  package mutating func closed(_ document: DocumentID, owedTo behind: [StoreID] = []) {
    insert(document, wasOpen: true)
    for store in daemons.keys where daemons[store]?.isHere == false || behind.contains(store) { owe(document, to: store) }
  }

  private mutating func insert(_ document: DocumentID, wasOpen: Bool) {
    names[document] = wasOpen
    guard isInRound.insert(document).inserted else { return }
    round.append(document)
    for store in daemons.keys where daemons[store]?.isInRound == true { daemons[store]?.remaining += 1 }
  }

  /// It is open, or forgotten.
  ///
  /// - Returns: whether it was open before in this run.
  @discardableResult
  package mutating func remove(_ document: DocumentID) -> Bool { names.removeValue(forKey: document) ?? false }

  /// It could not be opened in its turn: whoever comes next hears of it.
  package mutating func failed(_ document: DocumentID) {
    for store in daemons.keys { owe(document, to: store) }
  }

  private mutating func owe(_ document: DocumentID, to store: StoreID) {
    daemons[store]?.owed.append(document)
    if let daemon = daemons[store], daemon.owed.count > Self.owedCountMax {
      daemons[store]?.owed = []
      daemons[store]?.remaining = round.count
    }
  }

  // MARK: Daemons

  /// A daemon is here.
  package mutating func arrived(_ store: StoreID, epoch: UInt64) {
    if var daemon = daemons[store], daemon.epoch == epoch, daemon.remaining == 0 {
      daemon.isHere = true
      daemon.next += daemon.owed
      daemon.owed = []
      daemons[store] = daemon
    } else {
      daemons[store] = Daemon(epoch: epoch, remaining: round.count)
      forgetOne()
    }
  }

  /// It is here no more.
  package mutating func left(_ store: StoreID) {
    guard var daemon = daemons[store] else { return }
    daemon.isHere = false
    daemon.owed = daemon.next + daemon.owed
    daemon.next = []
    // What it has heard of is not noted one by one.
    daemons[store] = daemon.remaining == 0 ? daemon : nil
  }

  private mutating func forgetOne() {
    guard daemons.count > Self.daemonCountMax else { return }
    let away = daemons.filter { !$1.isHere }.keys
    if let store = away.min(by: { $0.rawValue < $1.rawValue }) { daemons[store] = nil }
  }

  // MARK: The round

  /// Whether a daemon that is here is to hear of more.
  package var isRoundUnderWay: Bool {
    daemons.values.contains { $0.isInRound || $0.isHere && !$0.next.isEmpty }
  }

  /// The next one to be opened for their sake: those that are open were talked about when they came.
  package mutating func next() -> DocumentID? {
    for store in daemons.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      while let document = daemons[store]?.next.popLast() { if contains(document) { return document } }
    }
    while daemons.values.contains(where: \.isInRound) {
      for store in daemons.keys where daemons[store]?.isInRound == true { daemons[store]?.remaining -= 1 }
      let document = round[place]
      place = (place + 1) % round.count
      if contains(document) { return document }
    }
    return nil
  }
}
