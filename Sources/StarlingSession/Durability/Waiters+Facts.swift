public import StarlingCore

extension Waiters {
  /// What is so of a document now, as far as somebody may wait for it.
  public struct Facts: Sendable {
    /// What the log has accepted.
    public var durable = VersionVector()
    /// What each other store has acknowledged.
    public var members: Members?
    /// Whether less waits for the log than may.
    public var hasCapacity = false
    public var openTransaction: UInt64?
    /// Whether everything is here that the dialled peers hold, all or any of them.
    public var isCaughtUpWithEveryPeer = false
    public var isCaughtUpWithAnyPeer = false
    /// Whether the replica id to write under may still change for one on lease.
    public var isLeaseAwaited = false
    /// How many other stores have said that they forgot the document.
    public var forgottenCount = 0
    /// Why the log accepts nothing now, for people.
    public var logTrouble: String?

    public init() {}

    /// Whether what is waited for is so.
    public func satisfy(_ wait: Wait) -> Bool {
      switch wait.goal {
      case .durable: durable.covers(wait.version)
      case .received(let count): held(wait.version).durable + held(wait.version).inMemory >= count
      case .replicated(let count): held(wait.version).durable >= count
      case .capacity: hasCapacity
      case .transaction(let number): openTransaction != number
      case .caughtUp(let withEveryPeer): withEveryPeer ? isCaughtUpWithEveryPeer : isCaughtUpWithAnyPeer
      // `storedForgotten` says so.
      case .forgottenHere: false
      case .forgotten(let count): forgottenCount >= count
      }
    }

    private func held(_ version: VersionVector) -> (durable: Int, inMemory: Int) {
      members?.count(having: version) ?? (durable: 0, inMemory: 0)
    }

    /// How far it got, for people.
    func standing(of wait: Wait) -> String {
      let document = wait.document
      switch wait.goal {
      case .received(let count):
        let held = held(wait.version)
        return "\(held.durable + held.inMemory) of \(count) stores have acknowledged what was written to '\(document)'"
      case .replicated(let count):
        let held = held(wait.version)
        let others = held.inMemory == 0 ? "" : ", and \(held.inMemory) that keep it in memory alone"
        return "\(held.durable) of \(count) durable stores have acknowledged what was written to '\(document)'\(others)"
      case .durable: return "the log has not accepted what was written to '\(document)'\(whyNot)"
      case .transaction:
        return "a transaction of '\(document)' is still open, and what it wrote is not committed. "
          + "Flush after withTransaction, not within it"
      case .capacity: return "too much of '\(document)' still waits for the log\(whyNot)"
      case .caughtUp: return "'\(document)' has not caught up with its peers"
      case .forgottenHere: return "the log has not noted that '\(document)' is forgotten\(whyNot)"
      case .forgotten(let count): return "\(forgottenCount) of \(count) stores have forgotten '\(document)'"
      }
    }

    private var whyNot: String { logTrouble.map { ", which fails and is tried again (\($0))" } ?? "" }
  }
}
