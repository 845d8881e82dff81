extension ZeroMQLink {
  /// How much a link takes from others before it refuses. What is refused is counted in `Counters`.
  ///
  /// libzmq's queues are bounded by messages, so the memory that one slow peer can hold is the
  /// queue's length times the size of a frame. A published frame is shared by all queues it stands in.
  public struct Limits: Sendable, Hashable {
    /// The largest frame taken or sent, in bytes. A peer that announces a larger one is hung up on
    /// before anything is allocated for it.
    public var frameByteCountMax = 32 << 20
    /// Published frames that wait for one slow subscriber; later ones are lost to it. Half as many
    /// always find space: libzmq learns how far a queue was read in steps of half of it.
    public var publishedQueueCountMax = 4096
    /// Frames sent to one peer that wait for it; later ones are refused.
    public var directQueueCountMax = 1024
    /// Accepted peers at one time; a further one is hung up on.
    public var acceptedPeerCountMax = 1024
    /// Endpoints dialled at one time; a further one is an error. Each takes eight file descriptors, and four more while
    /// it is asked whether it is there.
    public var dialledPeerCountMax = 256
    /// Topics of one accepted peer, which subscribes to one for each document that it has open. One that subscribes to
    /// more is hung up on.
    public var subscriptionCountMax = 32_768
    /// Topics of all accepted peers together; one takes some hundred bytes. Where there are more, a peer that subscribes
    /// to more than its share of them (this by `acceptedPeerCountMax`) is hung up on.
    public var subscriptionSumMax = 4 << 20
    /// The longest topic, in bytes; a peer that names a longer one is hung up on.
    public var topicByteCountMax = 64
    /// How long an accepted connection may take to introduce itself.
    public var handshake: Duration = .seconds(5)
    /// How long a dialled peer may be silent before it is asked, by a connection of its own, whether it is there.
    ///
    /// Whatever it answers shows that it is: a peer that has nothing to say stays connected, one whose process stands
    /// still does not (`answer`). The side that accepted waits for ever for a process that stands still; its queues are
    /// bounded. Where TCP leads to a machine that vanished, both sides give the connection up after about as long as
    /// both limits together, and after a second at the least: the system counts in seconds.
    public var silence: Duration = .seconds(15)
    /// How long a peer that is asked may take to answer before its connection is given up and dialled again.
    public var answer: Duration = .seconds(5)
    /// What was sent over TCP and reached no machine, or found no space there, for so long: the connection is given up
    /// and dialled again. Where a network is cut, TCP by itself tries again ever more seldom, and goes on as late after
    /// the cut as the cut was long.
    public var unreceived: Duration = .seconds(5)

    public init() {}

    /// Whether an accepted peer may have so many subscriptions, where all have so many together.
    func allowSubscriptions(_ count: Int, of countOfAll: Int) -> Bool {
      guard count <= subscriptionCountMax else { return false }
      return countOfAll <= subscriptionSumMax || count <= subscriptionSumMax / max(1, acceptedPeerCountMax)
    }
  }

  /// What a link has done and refused since it was made.
  public struct Counters: Sendable, Hashable {
    public var framesPublished: UInt64 = 0
    public var framesSent: UInt64 = 0
    public var framesReceived: UInt64 = 0
    /// Sends that found the peer gone or its queue full.
    public var framesUndelivered: UInt64 = 0
    /// Of them those that found it full: `Limits.directQueueCountMax`.
    public var queuesFull: UInt64 = 0
    /// Times a subscriber fell so far behind that it began to miss published frames: `Limits.publishedQueueCountMax`.
    public var overflows: UInt64 = 0
    /// Frames of ours that were larger than `Limits.frameByteCountMax`.
    public var framesTooLarge: UInt64 = 0
    /// Messages of a shape that no link sends.
    public var malformed: UInt64 = 0
    /// Times that a dialled peer that said nothing was asked whether it is there: `Limits.silence`.
    public var silencesAsked: UInt64 = 0
    /// Dialled peers that did not answer that, and were given up.
    public var silencesEnded: UInt64 = 0
    /// Connections that came about again after they were lost.
    public var reconnects: UInt64 = 0
    /// Handshakes that did not end: those of peers that dialled us, and ours with peers that we dial.
    public var handshakesAccepted = FailedHandshakes()
    public var handshakesDialled = FailedHandshakes()
    /// Accepted connections that were hung up on because they passed a limit.
    public var connectionsRefused: UInt64 = 0
    /// Handshakes and connections that were ended because their key is not in the allowlist.
    public var keysRefused: UInt64 = 0
    /// Calls of `receive`.
    public var batches: UInt64 = 0

    public init() {}
  }

  /// Handshakes that failed, by what was wrong.
  public struct FailedHandshakes: Sendable, Hashable {
    /// One side broke off, or said nothing in time.
    public var unfinished: UInt64 = 0
    /// The key is not admitted.
    public var notAdmitted: UInt64 = 0
    /// A key was wanted and not proved, or one side speaks otherwise than the other.
    public var notUnderstood: UInt64 = 0

    public init() {}

    public var total: UInt64 { unfinished &+ notAdmitted &+ notUnderstood }

    mutating func add(_ event: MonitorEvent) {
      switch event {
      case .failed: unfinished += 1
      case .notAdmitted: notAdmitted += 1
      case .notUnderstood: notUnderstood += 1
      case .accepted, .connected, .standing, .gone: break
      }
    }
  }
}
