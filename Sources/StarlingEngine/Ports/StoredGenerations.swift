public import StarlingCore

/// How often a store was started, and what is known of the starts of others (Protocol/conversation.md, "Generations").
public struct StoredGenerations: Hashable, Sendable {
  public struct Other: Hashable, Sendable {
    public var store: StoreID
    /// The allowlist's name of who came with it; empty where it need not prove one.
    public var name: String
    public var generation: UInt64
    public var epoch: UInt64

    public init(store: StoreID, name: String, generation: UInt64, epoch: UInt64) {
      self.store = store
      self.name = name
      self.generation = generation
      self.epoch = epoch
    }
  }

  /// 0 where the log does not count.
  public var own: UInt64
  public var others: [Other]

  public init(own: UInt64 = 0, others: [Other] = []) {
    self.own = own
    self.others = others
  }
}
