#if NATS
  extension JetStreamLog {
    /// How long a process that holds the log keeps others from it by saying that it lives.
    ///
    /// ```
    ///   holder      says  says  says  says ✝
    ///   the other    sees a new word each time    |── silent for `duration` ──| takes the log
    /// ```
    ///
    /// Nobody's clock is compared with another's: each measures by its own how long the holder has been silent. A holder
    /// that is silent too long, and lives, loses the log and nothing that it acknowledged: the stream refuses its next
    /// write.
    public struct Lease: Sendable, Hashable {
      /// How often the holder says that it lives.
      public var renewal: Duration = .seconds(2)
      /// How long the holder must be silent until another process takes the log. Longer than the servers take to elect
      /// another leader.
      public var duration: Duration = .seconds(10)
      /// Whether `open` waits until the holder stops or its lease ends, and follows the log for as long; otherwise it
      /// throws `LogError(.busy)` once it sees that the holder lives.
      public var waits = false

      /// The lease that holds where none is given: 10 seconds, said again every 2.
      public init() {}
    }
  }

  /// What the stream and the servers' memory tell of a log's holder.
  enum LeaseStanding: Equatable {
    struct Holder: Equatable {
      /// The session that opened the log last.
      var session: UInt64
      /// A number that grows whenever the holder says that it lives.
      var said: UInt64
      /// In words.
      var name: String
    }

    /// It was never opened, or was closed in good order.
    case unheld
    case held(Holder)
  }

  /// What one process knows of the lease of another, by its own clock.
  struct LeaseWatch {
    enum Outcome: Equatable {
      case free
      /// Not known yet whether the holder lives.
      case open
      /// The holder has said something since the watch began.
      case held(by: String)
    }

    let duration: Duration
    private var seen: (holder: LeaseStanding.Holder, since: ContinuousClock.Instant, isAlive: Bool)?

    init(_ duration: Duration) {
      self.duration = duration
    }

    mutating func look(at standing: LeaseStanding, _ now: ContinuousClock.Instant) -> Outcome {
      guard case .held(let holder) = standing else {
        seen = nil
        return .free
      }
      guard let former = seen else {
        seen = (holder, now, false)
        return .open
      }
      if former.holder != holder { seen = (holder, now, true) }
      guard let seen, now - seen.since < duration else { return .free }
      return seen.isAlive ? .held(by: holder.name) : .open
    }

    /// While nothing can be seen, silence says nothing.
    mutating func blinded() {
      seen = nil
    }
  }
#endif
