public import StarlingCore
public import StarlingWire

/// The replica ids that a peer leases for one document (Protocol/conversation.md, "Leases"): who holds which, and from
/// where it may be leased again. Performs nothing; what it decides is sent once it is stored.
///
/// ```
///            ask                 given back, or its holder proved to have ended
///   free ─────────► leased to one ──────────────────────────────────────────────► ending at a counter
///    ▲                                                                                 │ so much is durable here
///    └─────────────────────────────────────────────────────────────────────────────────┘
///   any ── more was written under it than its holder said, or a later number is known elsewhere ──► forgotten
/// ```
///
/// To forget an id is always safe: whoever holds it keeps it, and it is not leased again. It costs an entry in the
/// document's version for ever, so it is done only where somebody else may know more of the id than is known here.
public struct LeaseTable: Sendable {
  /// The store that asks for a lease.
  public struct Holder: Hashable, Sendable {
    public var store: StoreID
    /// The key that it proved; nil where it need not prove any. An id is leased within one key alone.
    public var user: String?

    public init(store: StoreID, user: String?) {
      self.store = store
      self.user = user
    }
  }

  private enum Standing: Hashable {
    case free
    case leased(to: StoreID)
    case ending(StoreID)
  }

  private struct Row {
    var number: UInt64
    /// Where the lease began, or ends; of a free one, where it goes on.
    var counter: UInt64
    var user: String?
    var standing: Standing
    /// Whether everything of the lease was seen here: it was granted in this run. What an earlier run passed on may not
    /// have reached its log.
    var isOfThisRun: Bool
    /// Whether its holder may know of it.
    var isTold: Bool
    /// Whether an earlier run left it free.
    var wasFree: Bool
  }

  private var rows: [ReplicaID: Row] = [:]
  private let countMax: Int
  private var isNews = false

  /// - Parameters:
  ///   - remembered: what an earlier run stored.
  ///   - continues: whether the store proves that it is what that run left (as it must to go on under its own replica
  ///     id). One that was put back from a copy cannot, nor one whose process died: what they take for free may have
  ///     been leased since, and is forgotten.
  ///   - countMax: how many ids are leased and kept at most.
  public init(_ remembered: [LogLease] = [], continues: Bool, countMax: Int = 1024) {
    self.countMax = countMax
    for entry in remembered where continues || entry.holder != nil {
      rows[entry.replica] = Row(
        number: entry.number, counter: entry.counter, user: entry.user,
        standing: entry.holder.map { .leased(to: $0) } ?? .free, isOfThisRun: false, isTold: true,
        wasFree: entry.holder == nil)
    }
    isNews = rows.count < remembered.count
  }

  public var isEmpty: Bool { rows.isEmpty }

  /// Whether an id is leased to somebody, or is not free again yet.
  var hasHolders: Bool { rows.values.contains { $0.standing != .free } }

  /// How many ids are kept for each key: leased to it, or free and leased to it alone.
  public var counts: [String: Int] {
    rows.values.reduce(into: [:]) { counts, row in if let user = row.user { counts[user, default: 0] += 1 } }
  }

  /// Whether `ask` would have to take a new id for that holder: none that may be leased to it is free, and it has none.
  public func needsFresh(_ holder: Holder) -> Bool {
    !rows.values.contains {
      $0.standing == .leased(to: holder.store) || $0.standing == .free && $0.user == holder.user
    }
  }

  /// What is leased and what is free, ascending by replica.
  public var entries: [LogLease] {
    rows.sorted { $0.key < $1.key }.map { replica, row in
      let holder: StoreID? =
        switch row.standing {
        case .free: nil
        case .leased(let store), .ending(let store): store
        }
      return LogLease(replica: replica, number: row.number, counter: row.counter, holder: holder, user: row.user)
    }
  }

  /// What is to be stored, where it differs from what was taken last.
  public mutating func takeRemembered() -> [LogLease]? {
    guard isNews else { return nil }
    isNews = false
    return entries
  }

  // MARK: Requests

  /// - Parameters:
  ///   - fresh: an id that nobody has written under, for when none is free.
  ///   - version: what is merged here.
  public mutating func ask(by holder: Holder, fresh: ReplicaID, version: VersionVector) -> Message.Leased.Answer {
    if let replica = held(by: holder.store) {
      // It asks again, for an answer may be lost.
      guard rows[replica]?.user == holder.user else { return .nothing }
      return .granted(grant(of: replica))
    }
    for replica in rows.keys.sorted() where rows[replica]?.standing == .free && rows[replica]?.user == holder.user {
      guard version[replica] == rows[replica]?.counter else {
        forget(replica)
        continue
      }
      lease(replica, to: holder)
      return .granted(grant(of: replica))
    }
    guard rows.count < countMax, rows[fresh] == nil, version[fresh] == 0 else { return .nothing }
    rows[fresh] = Row(
      number: 0, counter: 0, user: holder.user, standing: .free, isOfThisRun: true, isTold: false, wasFree: false)
    lease(fresh, to: holder)
    return .granted(grant(of: fresh))
  }

  /// A holder speaks for the first time on another connection.
  public mutating func goOn(_ grant: Message.LeaseGrant, by holder: Holder) -> Message.Leased.Answer {
    if let answer = claim(grant, by: holder) { return answer }
    rows[grant.replica]?.isTold = true
    return .granted(self.grant(of: grant.replica))
  }

  /// A holder writes no more under the id.
  ///
  /// - Returns: what is to be answered at once; nil where `settle` will tell.
  public mutating func giveBack(_ grant: Message.LeaseGrant, by holder: Holder) -> Message.Leased.Answer? {
    if let row = rows[grant.replica], row.number == grant.number {
      // It came twice.
      if row.standing == .ending(holder.store) { return nil }
      if row.standing == .free { return .returned(self.grant(of: grant.replica)) }
    }
    if let answer = claim(grant, by: holder) { return answer }
    end(grant.replica, of: holder.store, at: max(grant.counter, rows[grant.replica]?.counter ?? 0))
    return nil
  }

  // MARK: Answers

  /// The holder is told of its lease.
  ///
  /// - Returns: False where it is not to be told: the id was forgotten since.
  public mutating func told(_ grant: Message.LeaseGrant) -> Bool {
    guard rows[grant.replica]?.number == grant.number else { return false }
    rows[grant.replica]?.isTold = true
    return true
  }

  /// An answer reached nobody: the holder was gone by then. If that would have been the first that it hears of the lease,
  /// it writes nothing under it.
  public mutating func untold(_ grant: Message.LeaseGrant, by holder: Holder) {
    if rows[grant.replica]?.isTold == false { _ = giveBack(grant, by: holder) }
  }

  /// Nil where the lease is the holder's.
  private mutating func claim(_ grant: Message.LeaseGrant, by holder: Holder) -> Message.Leased.Answer? {
    guard let row = rows[grant.replica] else { return .nothing }
    if grant.number > row.number {
      // It was leased by a later run of this store, about which nothing is known here.
      forget(grant.replica)
      return .nothing
    }
    guard grant.number == row.number, row.standing == .leased(to: holder.store), row.user == holder.user else {
      return .over(self.grant(of: grant.replica))
    }
    return nil
  }

  // MARK: Ends

  /// Holders whose leases were seen here whole, so that a proof of their end frees the ids.
  public var provableHolders: [StoreID] {
    rows.values.compactMap { row in
      if case .leased(let store) = row.standing, row.isOfThisRun { store } else { nil }
    }.sorted { $0.rawValue < $1.rawValue }
  }

  /// The ids whose end a proof about `store` would bring.
  public func provable(of store: StoreID) -> [ReplicaID] {
    rows.filter { $0.value.standing == .leased(to: store) && $0.value.isOfThisRun }.keys.sorted()
  }

  /// The holder has ended, everything that it said to anybody was said to us, and all of that is merged.
  public mutating func holderEnded(_ store: StoreID, version: VersionVector) {
    for replica in provable(of: store) { end(replica, of: store, at: version[replica]) }
  }

  /// Frees what has ended and is durable here as far as it was written.
  ///
  /// - Returns: what became free, with those who held it.
  public mutating func settle(durable: VersionVector, version: VersionVector) -> [(
    holder: StoreID, grant: Message.LeaseGrant
  )] {
    var freed: [(holder: StoreID, grant: Message.LeaseGrant)] = []
    for (replica, row) in rows.sorted(by: { $0.key < $1.key }) {
      guard case .ending(let store) = row.standing, durable[replica] >= row.counter else { continue }
      guard version[replica] == row.counter else {
        forget(replica)
        continue
      }
      rows[replica]?.standing = .free
      isNews = true
      freed.append((store, grant(of: replica)))
    }
    return freed
  }

  /// The store turns out to have been put back from a copy after this run began: what an earlier run left free may have
  /// been leased by a later one. It is forgotten.
  ///
  /// - Returns: what is leased of it. Those that hold it are to write under ids of their own.
  public mutating func doubt() -> [(holder: StoreID, grant: Message.LeaseGrant)] {
    let doubtful = rows.filter(\.value.wasFree).sorted { $0.key < $1.key }
    let leased = doubtful.compactMap { replica, row in
      if case .leased(let store) = row.standing { (holder: store, grant: grant(of: replica)) } else { nil }
    }
    for (replica, _) in doubtful { forget(replica) }
    return leased
  }

  // MARK: Changes

  /// Whether changes up to `last` may merge that `sender` brings.
  ///
  /// - Parameters:
  ///   - held: how far the id is merged here.
  ///   - isProvable: whether a holder stands in such a way that it says everything to us alone. Nobody else can have
  ///     anything new of it then, but a second holder.
  public mutating func admits(
    _ last: Dot, from sender: StoreID?, held: UInt64, isProvable: (StoreID) -> Bool
  ) -> Bool {
    guard let row = rows[last.replica], last.counter > held else { return true }
    switch row.standing {
    case .free, .ending:
      // Whoever writes on is the only one who does, and keeps the id.
      if last.counter > row.counter { forget(last.replica) }
      return true
    case .leased(let store): return store == sender || !row.isOfThisRun || !isProvable(store)
    }
  }

  // MARK: Rows

  private func held(by store: StoreID) -> ReplicaID? {
    rows.filter { $0.value.standing == .leased(to: store) }.keys.min()
  }

  private func grant(of replica: ReplicaID) -> Message.LeaseGrant {
    Message.LeaseGrant(replica: replica, number: rows[replica]?.number ?? 0, counter: rows[replica]?.counter ?? 0)
  }

  private mutating func lease(_ replica: ReplicaID, to holder: Holder) {
    rows[replica]?.number += 1
    rows[replica]?.standing = .leased(to: holder.store)
    rows[replica]?.isOfThisRun = true
    rows[replica]?.isTold = false
    isNews = true
  }

  private mutating func end(_ replica: ReplicaID, of store: StoreID, at counter: UInt64) {
    rows[replica]?.standing = .ending(store)
    rows[replica]?.counter = counter
    isNews = true
  }

  private mutating func forget(_ replica: ReplicaID) {
    rows[replica] = nil
    isNews = true
  }
}
