public import StarlingCore
import StarlingSession
import StarlingWire

/// How often a store was started, and what is known of the starts of others (Protocol/conversation.md, "Generations").
public struct StoredGenerations: Hashable, Sendable {
  /// What is known of the starts of another store.
  public struct Other: Hashable, Sendable {
    /// The other store.
    public var store: StoreID
    /// The allowlist's name of the peer that came with it; empty where it need not prove one.
    public var name: String
    /// The greatest generation that it came with.
    public var generation: UInt64
    /// The epoch that it came with.
    public var epoch: UInt64

    /// Notes a generation that another store came with.
    public init(store: StoreID, name: String, generation: UInt64, epoch: UInt64) {
      self.store = store
      self.name = name
      self.generation = generation
      self.epoch = epoch
    }
  }

  /// 0 where the log does not count.
  public var own: UInt64
  /// What is known of others.
  public var others: [Other]

  /// A store's own generation and those of others.
  public init(own: UInt64 = 0, others: [Other] = []) {
    self.own = own
    self.others = others
  }
}

extension StoredGenerations {
  /// As the log is told.
  init(_ table: GenerationTable) {
    self.init(
      own: table.own,
      others: table.entries.map {
        Other(store: $0.store, name: $0.name, generation: $0.start.generation, epoch: $0.start.epoch)
      })
  }

  /// - Parameter isDurable: whether the log counts the starts of the store.
  func table(isDurable: Bool) -> GenerationTable {
    GenerationTable(
      own: isDurable ? own : 0,
      others.map {
        GenerationTable.Entry(
          store: $0.store, name: $0.name, start: Message.Start(generation: $0.generation, epoch: $0.epoch))
      })
  }
}
