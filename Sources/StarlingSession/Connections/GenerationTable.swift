public import StarlingCore
public import StarlingWire

/// The latest start of every store that was met (Protocol/conversation.md, "Generations"): a store that comes with an
/// earlier one was put back from a copy, and may write under dots that it has used.
///
/// ```
///   hello: generation 7, run e ──► meet ──┬─► later than known: keep
///                                         ├─► the same run: nothing
///                                         └─► earlier, or another run of the same: tell it what is known
/// ```
public struct GenerationTable: Sendable {
  public struct Entry: Hashable, Sendable {
    public var store: StoreID
    /// The allowlist's name of the peer that came with it, so that nobody else can say how far it has come; empty for
    /// those who need not prove who they are.
    public var name: String
    public var start: Message.Start

    public init(store: StoreID, name: String, start: Message.Start) {
      self.store = store
      self.name = name
      self.start = start
    }
  }

  public enum Verdict: Hashable, Sendable {
    case known
    /// More is known than before, and is to be kept.
    case new
    /// The store has been started since.
    case behind(Message.Start)
  }

  /// So many are kept; then the one that was met longest ago goes.
  public static let countMax = 4096

  private struct Known {
    var start: Message.Start
    var metAt: UInt64
  }

  private var known: [NamedStore: Known] = [:]
  private var meetings: UInt64 = 0

  /// How often this store was started; 0 where the log does not count.
  public private(set) var own: UInt64

  /// - Parameter remembered: what the log had.
  public init(own: UInt64 = 0, _ remembered: [Entry] = []) {
    self.own = own
    for entry in remembered { _ = meet(entry.store, named: entry.name, at: entry.start) }
  }

  // MARK: This store

  /// This run, where the log counts the starts of its store.
  public func start(epoch: UInt64) -> Message.Start? {
    own > 0 ? Message.Start(generation: own, epoch: epoch) : nil
  }

  /// A peer has met a later start of this store, which goes on after that.
  public mutating func leave(for known: Message.Start) {
    own = min(known.generation + 1, Message.Start.generationMax)
  }

  // MARK: Others

  public mutating func meet(_ store: StoreID, named name: String, at start: Message.Start) -> Verdict {
    let key = NamedStore(store, name: name)
    meetings += 1
    if let former = known[key] {
      known[key]?.metAt = meetings
      if former.start == start { return .known }
      guard former.start.generation < start.generation else { return .behind(former.start) }
    } else if known.count >= Self.countMax, let oldest = known.min(by: { $0.value.metAt < $1.value.metAt }) {
      known[oldest.key] = nil
    }
    known[key] = Known(start: start, metAt: meetings)
    return .new
  }

  /// The owner of the key that has spoken for a store; nil where none has, or several have.
  ///
  /// - Complexity: O(*n*) in the stores known.
  public func owner(of store: StoreID) -> String? {
    let names = known.keys.filter { $0.store == store && !$0.name.isEmpty }.map(\.name)
    return names.count == 1 ? names[0] : nil
  }

  /// All of them, the one that was met longest ago first.
  public var entries: [Entry] {
    known.sorted { $0.value.metAt < $1.value.metAt }.map {
      Entry(store: $0.key.store, name: $0.key.name, start: $0.value.start)
    }
  }
}

extension Message.Start {
  /// Whether who started like this has been started since, as a peer knows that says `known`.
  public func isBehind(_ known: Message.Start) -> Bool {
    known.generation > generation || known.generation == generation && known.epoch != epoch
  }
}
