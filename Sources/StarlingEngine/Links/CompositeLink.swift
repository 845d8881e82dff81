import StarlingGuard
public import StarlingSession

/// Several links as one: sockets within a site, and a cluster between sites, say.
///
/// ```
///                   ┌─ first member: its thread is the engine's ─ handle n·2
///   engine ── link ─┤
///                   └─ other member: the same thread, or its own ─ handle n·2 + 1
///                        its own:  calls ──► outbox ──► its receive
///                                  events ─► inbox ───► wake of the first ──► receive
/// ```
///
/// A peer's handle is that of its own link times the number of links, plus the link's place: handles are as dense, and
/// used again as seldom, as the links' own, and no table translates them. Events of one link keep their order.
///
/// A frame that finds the outbox or the inbox of a member full is lost and counted; the engine pulls what it lacks.
public final class CompositeLink: PeerLink {
  /// One of the links.
  public struct Member: Sendable {
    /// What errors and counters call it.
    public var name: String
    /// Started by the composite link, and stopped with it.
    public var link: any PeerLink
    /// Whether the link understands an endpoint. The first member that does is asked.
    public var takes: @Sendable (_ endpoint: String) -> Bool

    /// Makes a member of a link that nobody has started.
    public init(_ name: String, _ link: any PeerLink, takes: @escaping @Sendable (_ endpoint: String) -> Bool) {
      self.name = name
      self.link = link
      self.takes = takes
    }
  }

  /// What one member has carried.
  public struct Counters: Sendable, Hashable {
    /// Frames handed to the member for all who subscribed.
    public var framesPublished: UInt64 = 0
    /// Frames handed to the member for single peers.
    public var framesSent: UInt64 = 0
    /// Frames received, of every kind.
    public var framesReceived: UInt64 = 0
    /// Frames in either direction that found no space between the threads, or that the member did not take.
    public var framesDropped: UInt64 = 0

    /// Nothing carried.
    public init() {}
  }

  /// The link with the name of each.
  private let members: [Member]
  private let branches: [LinkBranch]

  /// - Parameters:
  ///   - first: the link whose thread is the engine's: the one that carries most.
  ///   - others: the further links.
  ///   - byteCountMax: bytes of frames that may wait between the threads, for each further link and direction.
  public init(_ first: Member, _ others: [Member], byteCountMax: Int = 64 << 20) {
    members = [first] + others
    let count = UInt64(members.count)
    branches = members.enumerated().map { index, member in
      let isOnThread = member.link.executor === first.link.executor
      return LinkBranch(
        member.link, named: member.name, place: UInt64(index), of: count,
        passage: isOnThread ? nil : LinkPassage(byteCountMax: byteCountMax))
    }
  }

  public var executor: any SerialExecutor { branches[0].link.executor }

  /// The member of that name.
  public func member(named name: String) -> (any PeerLink)? {
    members.first { $0.name == name }?.link
  }

  /// What each member has carried, by name. Any thread.
  public var counters: [String: Counters] {
    Dictionary(zip(members.map(\.name), branches.map(\.counters))) { first, _ in first }
  }

  // MARK: Life

  /// Starts all members. Where one fails, the error names it and the others are stopped.
  public func start(tick: Duration, receive: @escaping @Sendable ([LinkEvent]) -> Void) throws {
    var started: [LinkBranch] = []
    let first = branches[0]
    do {
      // The engine runs on the thread of the first link, and finds the others started.
      for branch in branches.dropFirst() {
        try branch.start(tick: tick, wakes: first.link, receive: receive)
        started.append(branch)
      }
      try first.named {
        try first.link.start(tick: tick) { [weak self] events in self?.forward(events, to: receive) }
      }
    } catch {
      for branch in started { branch.stop(linger: .zero) }
      throw error
    }
    for branch in branches.dropFirst() { branch.engineRuns() }
    first.link.wake()
  }

  private func forward(_ events: [LinkEvent], to receive: @Sendable ([LinkEvent]) -> Void) {
    var all = branches[0].translated(events)
    for branch in branches.dropFirst() { all += branch.takeArrived() }
    receive(all)
  }

  public func setTick(_ tick: Duration) { for branch in branches { branch.setTick(tick) } }

  public func wake() { branches[0].link.wake() }

  public func stop(linger: Duration) {
    for branch in branches.dropFirst() { branch.stop(linger: linger) }
    branches[0].link.stop(linger: linger)
  }

  // MARK: Peers

  /// - Throws: What the member throws, with its name; `LinkError(.endpoint)` for what no member understands.
  public func bind(_ endpoint: String) throws -> String {
    try branch(for: endpoint).bind(endpoint)
  }

  /// - Throws: What the member throws, with its name; `LinkError(.endpoint)` for what no member understands.
  public func connect(to endpoint: String) throws -> PeerHandle {
    try branch(for: endpoint).connect(to: endpoint)
  }

  private func branch(for endpoint: String) throws(LinkError) -> LinkBranch {
    for (member, branch) in zip(members, branches) where member.takes(endpoint) { return branch }
    throw LinkError(
      .endpoint, "None of the links (\(members.map(\.name).joined(separator: ", "))) understands '\(endpoint)'.")
  }

  public func disconnect(_ peer: PeerHandle) { branch(of: peer).disconnect(peer) }

  public func subscribe(_ topic: [UInt8]) { for branch in branches { branch.subscribe(topic) } }
  public func unsubscribe(_ topic: [UInt8]) { for branch in branches { branch.unsubscribe(topic) } }
  public func subscribe(_ topic: [UInt8], at peer: PeerHandle) { branch(of: peer).subscribe(topic, at: peer) }
  public func unsubscribe(_ topic: [UInt8], at peer: PeerHandle) { branch(of: peer).unsubscribe(topic, at: peer) }

  public func publish(_ frame: [UInt8]) { for branch in branches { branch.publish(frame) } }

  /// - Returns: false too where too much waits for the member's thread. True says for a member with a thread of its own
  ///   that the frame waits for it.
  public func send(_ frame: [UInt8], to peer: PeerHandle) -> Bool { branch(of: peer).send(frame, to: peer) }

  private func branch(of peer: PeerHandle) -> LinkBranch {
    branches[Int(peer.rawValue % UInt64(branches.count))]
  }
}
