#if NATS
  extension JetStreamLog {
    /// How long a log waits for its servers, and how much it may keep.
    public struct Limits: Sendable, Hashable {
      /// How long the first connection to a server may take.
      public var connecting: Duration = .seconds(5)
      /// How long one request waits before it is made again.
      public var answering: Duration = .seconds(5)
      /// How long a call asks again where no answer comes, before it fails: longer than the servers take to elect
      /// another leader, and to be started again.
      public var patience: Duration = .seconds(30)
      /// The most that the stream may hold, in bytes; nil for as much as the account has space for. Counts when the
      /// stream is made; later it is changed with `nats stream edit`.
      public var byteCountMax: Int64?
      /// After how many messages the index is written into the stream once more, for a small log; opening reads as many
      /// at most beside it.
      var messageCountPerIndex: UInt64 = 2048

      public init() {}
    }
  }
#endif
