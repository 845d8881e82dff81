package import StarlingCore

/// The documents that the log holds and that are not open, and which of them other daemons are still to hear of.
/// Performs nothing.
///
/// ```
///   opened ◄──────────── a peer speaks of it, or somebody here ──────────── closed: its name
///   opened ◄── its turn in the round, for a daemon that came ◄── round ────────┘
///   closed ──► outstanding for each daemon that is away
/// ```
///
/// A daemon that comes for the first time in its run and ours hears of all of them: each is opened in turn, talked
/// about, and closed again. One that was here before hears of those that were closed while it was away; all others are
/// as they were when it left.
package struct ClosedDocuments: Sendable {
  /// So many daemons that are away are remembered, and so many documents that are outstanding for one of them. Beyond
  /// that it hears of all.
  package static let daemonCountMax = 256
  package static let outstandingCountMax = 65_536

  private struct Daemon {
    let store: StoreID
    var epoch: UInt64
    var isHere = true
    /// How many of the round are still to come for it.
    var remaining: Int
    /// What it is to hear of now, and what it is to when it is back. A document may stand in it twice.
    var next: [DocumentID] = []
    var outstanding: [DocumentID] = []

    var isInRound: Bool { isHere && remaining > 0 }
  }

  /// Whether it was open in this run, and the ids that it left free may be leased.
  private var names: [DocumentID: Bool] = [:]
  /// All that ever were closed, in that order, and where in it the round stands.
  private var round: [DocumentID] = []
  private var isInRound: Set<DocumentID> = []
  private var cursor = 0
  /// In the order in which they came.
  private var daemons: [Daemon] = []

  package init() {}

  package var count: Int { names.count }

  package func contains(_ document: DocumentID) -> Bool { names[document] != nil }

  /// The ids that this run or an earlier one left free may not be leased.
  package mutating func doubtLeases() {
    for place in names.indices { names.values[place] = false }
  }

  // MARK: Documents

  /// The log held it when it was opened.
  package mutating func found(_ document: DocumentID) { insert(document, wasOpen: false) }

  /// It was open here, and every daemon that is here has what it holds but those in `silent`.
  package mutating func closed(_ document: DocumentID, missedBy silent: [StoreID] = []) {
    insert(document, wasOpen: true)
    for place in daemons.indices where !daemons[place].isHere || silent.contains(daemons[place].store) {
      noteOutstanding(document, at: place)
    }
  }

  private mutating func insert(_ document: DocumentID, wasOpen: Bool) {
    names[document] = wasOpen
    guard isInRound.insert(document).inserted else { return }
    round.append(document)
    for place in daemons.indices where daemons[place].isInRound { daemons[place].remaining += 1 }
  }

  /// It is open, or forgotten.
  ///
  /// - Returns: whether it was open before in this run.
  @discardableResult
  package mutating func remove(_ document: DocumentID) -> Bool { names.removeValue(forKey: document) ?? false }

  /// It could not be opened in its turn: whoever comes next hears of it.
  package mutating func failed(_ document: DocumentID) {
    for place in daemons.indices { noteOutstanding(document, at: place) }
  }

  private mutating func noteOutstanding(_ document: DocumentID, at place: Int) {
    daemons[place].outstanding.append(document)
    guard daemons[place].outstanding.count > Self.outstandingCountMax else { return }
    daemons[place].outstanding = []
    daemons[place].remaining = round.count
  }

  // MARK: Daemons

  /// A daemon is here, or greets again.
  package mutating func arrived(_ store: StoreID, epoch: UInt64) {
    guard let place = place(of: store), daemons[place].epoch == epoch,
      daemons[place].isHere || daemons[place].remaining == 0
    else {
      daemons.removeAll { $0.store == store }
      daemons.append(Daemon(store: store, epoch: epoch, remaining: round.count))
      if daemons.count > Self.daemonCountMax, let away = daemons.firstIndex(where: { !$0.isHere }) {
        daemons.remove(at: away)
      }
      return
    }
    daemons[place].isHere = true
    daemons[place].next += daemons[place].outstanding
    daemons[place].outstanding = []
  }

  /// It is here no more.
  package mutating func left(_ store: StoreID) {
    guard let place = place(of: store) else { return }
    // What it has heard of in the round is not noted one by one.
    guard daemons[place].remaining == 0 else {
      daemons.remove(at: place)
      return
    }
    daemons[place].isHere = false
    daemons[place].outstanding += daemons[place].next
    daemons[place].next = []
  }

  private func place(of store: StoreID) -> Int? { daemons.firstIndex { $0.store == store } }

  // MARK: The round

  /// Whether a daemon that is here is to hear of more.
  package var isRoundUnderWay: Bool {
    daemons.contains { $0.isInRound || !$0.next.isEmpty }
  }

  /// The next one to be opened for their sake: those that are open were talked about when they came.
  package mutating func next() -> DocumentID? {
    for place in daemons.indices {
      while let document = daemons[place].next.popLast() { if contains(document) { return document } }
    }
    while daemons.contains(where: \.isInRound) {
      for place in daemons.indices where daemons[place].isInRound { daemons[place].remaining -= 1 }
      let document = round[cursor]
      cursor = (cursor + 1) % round.count
      if contains(document) { return document }
    }
    return nil
  }
}
