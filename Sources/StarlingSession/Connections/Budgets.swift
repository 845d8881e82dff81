public import StarlingCore

/// What each key has used of what a replica can spare, and whether it may have more.
///
/// ```
///   spend(amount) ──► used today ─┐
///   hold(level) ────► used now ───┴──► within both limits: granted
///                                      beyond one: refused, with whose limit it is and how much it allows
/// ```
///
/// Those who need not prove a key, processes of this machine's own user and peers that this replica dialled, have no
/// account and no limit here.
public struct Budgets: Sendable {
  /// What is counted.
  public enum Resource: String, Hashable, Sendable, CaseIterable {
    /// Documents opened for the key and open now.
    case documents
    /// Replica ids that the key began to write under.
    case replicaIDs
    /// Memory of changes that wait for what they stand on.
    case heldBytes
    /// Bytes of changes handed to the log.
    case loggedBytes
    /// Replica ids lent to the key now.
    case leases
    /// Bytes of presence that stand now.
    case presenceBytes
    /// Replica ids in a version that are unknown here. Each message is bounded by itself; nothing is counted.
    case versionEntries

    /// Whether what is used comes back with the next day, and not when it is given back.
    public var isDaily: Bool { self == .replicaIDs || self == .loggedBytes }

    /// For people, before "is N".
    public var name: String {
      switch self {
      case .documents: "documents opened for a key"
      case .replicaIDs: "replica ids that a key begins to write under"
      case .heldBytes: "bytes of changes that wait for others"
      case .loggedBytes: "bytes of changes that are kept"
      case .leases: "leased replica ids"
      case .presenceBytes: "bytes of presence"
      case .versionEntries: "replica ids in a version that are unknown here"
      }
    }
  }

  /// What may be used.
  public struct Limit: Hashable, Sendable {
    public var perKey: Int
    /// What all keys together may use.
    public var perProcess: Int

    public init(perKey: Int, perProcess: Int) {
      self.perKey = perKey
      self.perProcess = perProcess
    }
  }

  public enum Verdict: Hashable, Sendable {
    case granted
    case refused(Overdraft)
  }

  /// Which budget does not suffice.
  public struct Overdraft: Hashable, Sendable, CustomStringConvertible {
    public var resource: Resource
    public var limit: Int
    /// Whether it is the limit of all keys together.
    public var isOfProcess: Bool

    public init(_ resource: Resource, limit: Int, isOfProcess: Bool) {
      self.resource = resource
      self.limit = limit
      self.isOfProcess = isOfProcess
    }

    public var description: String {
      "the budget of \(resource.name) is \(limit)\(resource.isDaily ? " a day" : "")\(isOfProcess ? " for all keys together" : "")"
    }
  }

  private struct Used {
    /// Of a daily resource: since the day began.
    var spent = 0
    var dayBegan = Duration.zero
    /// Of another: in each document, and together.
    var levels: [DocumentID: Int] = [:]
    var level = 0
  }

  private static let day: Duration = .seconds(86_400)

  private let limits: [Resource: Limit]
  /// As many keys as have been let in.
  private var used: [Resource: [String: Used]] = [:]
  private var spentByAll: [Resource: Used] = [:]
  private var levelsOfAll: [Resource: Int] = [:]

  /// - Parameter limits: a resource that is left out has none.
  public init(limits: [Resource: Limit]) {
    self.limits = limits
  }

  /// Nil for a resource that has none.
  public func limit(of resource: Resource) -> Limit? { limits[resource] }

  // MARK: What comes back with the next day

  /// Uses `amount` of a daily resource, or nothing where that is beyond a limit.
  public mutating func spend(_ amount: Int, of resource: Resource, by key: String, now: Duration) -> Verdict {
    guard amount > 0, let limit = limits[resource] else { return .granted }
    let (own, all) = (spent(of: resource, by: key, now: now), spentByAll(of: resource, now: now))
    if own.spent > limit.perKey - amount {
      return .refused(Overdraft(resource, limit: limit.perKey, isOfProcess: false))
    }
    if all.spent > limit.perProcess - amount {
      return .refused(Overdraft(resource, limit: limit.perProcess, isOfProcess: true))
    }
    used[resource, default: [:]][key] = own
    used[resource]?[key]?.spent += amount
    spentByAll[resource] = all
    spentByAll[resource]?.spent += amount
    return .granted
  }

  /// Notes what was used before it was known how much it would be; what follows is refused once that passes a limit.
  public mutating func charge(_ amount: Int, of resource: Resource, to key: String, now: Duration) {
    var (own, all) = (spent(of: resource, by: key, now: now), spentByAll(of: resource, now: now))
    own.spent += amount
    all.spent += amount
    used[resource, default: [:]][key] = own
    spentByAll[resource] = all
  }

  private func spent(of resource: Resource, by key: String, now: Duration) -> Used {
    renewed(used[resource]?[key], now)
  }

  private func spentByAll(of resource: Resource, now: Duration) -> Used { renewed(spentByAll[resource], now) }

  private func renewed(_ used: Used?, _ now: Duration) -> Used {
    guard let used, now - used.dayBegan < Self.day else { return Used(dayBegan: now) }
    return used
  }

  // MARK: What is given back

  /// Notes how much a key uses in a document now, in place of what was noted before.
  public mutating func hold(_ level: Int, of resource: Resource, by key: String, in document: DocumentID) {
    var own = used[resource]?[key] ?? Used()
    let change = level - (own.levels[document] ?? 0)
    own.levels[document] = level == 0 ? nil : level
    own.level += change
    used[resource, default: [:]][key] = own.levels.isEmpty ? nil : own
    levelsOfAll[resource, default: 0] += change
  }

  /// The document has gone, with everything that was held there.
  public mutating func release(_ document: DocumentID) {
    for (resource, keys) in used {
      for (key, own) in keys where own.levels[document] != nil { hold(0, of: resource, by: key, in: document) }
    }
  }

  /// How much a key uses of it in all documents.
  public func level(of resource: Resource, by key: String) -> Int { used[resource]?[key]?.level ?? 0 }

  /// How much a key may use in a document, with what it uses there already; nil where there is no limit.
  public func capacity(for resource: Resource, by key: String, in document: DocumentID) -> Int? {
    guard let limit = limits[resource] else { return nil }
    let here = used[resource]?[key]?.levels[document] ?? 0
    return here
      + min(limit.perKey - level(of: resource, by: key), limit.perProcess - (levelsOfAll[resource] ?? 0))
  }

  /// Whether a key may use `amount` more.
  public func mayHold(_ amount: Int, of resource: Resource, by key: String) -> Verdict {
    guard let limit = limits[resource] else { return .granted }
    if level(of: resource, by: key) > limit.perKey - amount {
      return .refused(Overdraft(resource, limit: limit.perKey, isOfProcess: false))
    }
    if (levelsOfAll[resource] ?? 0) > limit.perProcess - amount {
      return .refused(Overdraft(resource, limit: limit.perProcess, isOfProcess: true))
    }
    return .granted
  }

  /// Where the key is noted to use something.
  public func documents(using resource: Resource, by key: String) -> [DocumentID] {
    (used[resource]?[key]?.levels.keys).map { $0.sorted { $0.name < $1.name } } ?? []
  }

  /// The keys that use something of it in documents.
  public func holders(of resource: Resource) -> [String] { (used[resource]?.keys).map { $0.sorted() } ?? [] }
}
