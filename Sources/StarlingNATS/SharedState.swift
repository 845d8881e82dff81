#if NATS
  import StarlingEngine
  import StarlingGuard
  import StarlingThread
  import Synchronization

  /// What any thread may touch of a link whose group lives on one.
  final class SharedState: Sendable {
    let isStarted = Atomic(false)
    /// Whether somebody asked for a call of `receive`. Set by any thread, cleared by the link's.
    let isWakeDue = Atomic(false)
    /// The counters as they were at the end of the last turn.
    let counters = Guarded(NATSLink.Counters())
    /// Where members may be dialled; nil while there is no connection.
    let roster = Guarded<[String]?>(nil)
    let inbox: Inbox
    private let servers: Servers
    private let limits: NATSLink.Limits

    init(servers: Servers, limits: NATSLink.Limits, thread: LinkThread) {
      self.servers = servers
      self.limits = limits
      inbox = Inbox(limits: limits) {
        // What the thread tells itself it sees before it sleeps.
        if !thread.isCurrent { thread.ring() }
      }
    }

    /// Whether the link's thread reads and writes the socket itself.
    var isPolled: Bool { !servers.isSecure }

    /// Waits for a server.
    func connect() throws(LinkError) -> Connection {
      try Connection(to: servers, inbox: inbox, limits: limits, isPolled: isPolled)
    }
  }
#endif
