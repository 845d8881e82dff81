import Synchronization
public import StarlingEngine
import StarlingGuard
package import StarlingThread

/// A `PeerLink` over ZeroMQ sockets. It carries frames it cannot read.
///
/// One link between two peers has always the same shape; an endpoint names both sockets.
///
/// ```
///        the side that dials                 the side that binds
///          ┌─────┐    topic ─►                    ┌──────┐
///          │ SUB │ ◄──────────── [frame] ──────── │ XPUB │  ipc …/name.pub   tcp port + 1
///          └─────┘                                └──────┘
///          ┌────────┐                             ┌────────┐
///          │ DEALER │ ◄───────── [frame] ───────► │ ROUTER │  ipc …/name.ask   tcp port
///          └────────┘                             └────────┘
///      one pair for each endpoint               one pair for all
/// ```
///
/// Endpoints are `ipc:///absolute/path`, `tcp://address:port` and `tcp://[address]:port` of IPv6, or
/// `tcp://KEY@address:port` of a peer that has keys; `tcp://127.0.0.1:0` chooses a free pair of ports. Beyond loopback
/// nothing goes in plaintext: binding without `Security` is refused, and so is dialling without the key of the peer
/// that is to answer; and so are socket files that other users could replace.
///
/// A link is one thread from `init` until `stop`, and one libzmq I/O thread behind it. The calls of
/// `PeerLink` are made on that thread, that is by actors whose executor is `executor`, or from `receive`.
public final class ZeroMQLink: PeerLink {
  /// Its thread, and what else has turns there.
  package let rounds: LinkRounds
  private let shared = SharedState()
  private let sockets: ThreadBound<LinkSockets>

  /// - Parameters:
  ///   - limits: what it may hold and wait for.
  ///   - security: keys for TCP beyond loopback; nil for none.
  ///   - sharedWith: a Unix group whose members' sockets are dialled and may dial; nil for this user's alone.
  public init(limits: Limits = Limits(), security: Security? = nil, sharedWith group: UnixGroup? = nil) {
    rounds = .start()
    sockets = ThreadBound(
      LinkSockets(
        rounds: rounds, shared: shared, limits: limits, security: security, owners: Owners(sharedWith: group)),
      to: rounds.thread)
    rounds.add(sockets)
  }

  private var thread: LinkThread { rounds.thread }

  /// A link that nobody stopped closes at once.
  deinit {
    thread.end(waits: false)
  }

  public var executor: any SerialExecutor { thread }

  /// What was done and refused so far. Any thread.
  public var counters: Counters { shared.counters.withLock { $0 } }

  /// - Throws: `LinkError(.system)` if the system has no thread or context left, `.misuse` the second time.
  public func start(tick: Duration, receive: @escaping @Sendable ([LinkEvent]) -> Void) throws {
    guard thread.isRunning else {
      throw LinkError(.system, "A link needs a thread of its own, and none could be made or it was stopped.")
    }
    guard !shared.isStarted.exchange(true, ordering: .acquiringAndReleasing) else {
      throw LinkError(.misuse, "A link is started once.")
    }
    thread.run { [sockets] in sockets { $0.start(tick: tick, receive: receive) } }
  }

  public func setTick(_ tick: Duration) { sockets { $0.setTick(tick) } }

  public func wake() {
    guard !shared.isWakeDue.exchange(true, ordering: .acquiringAndReleasing) else { return }
    thread.ring()
  }

  /// - Returns: the endpoint as peers dial it.
  /// - Throws: `LinkError(.endpoint)` for one that cannot be read, or that lies beyond loopback where there are no
  ///   keys; `.inUse` where somebody listens; `.system` where the system refuses.
  public func bind(_ endpoint: String) throws -> String {
    try sockets { try $0.bind(endpoint) }
  }

  /// - Throws: `LinkError(.endpoint)` for one that cannot be read, or that lies beyond loopback and names no key;
  ///   `.system` for a socket file that is another user's or could be, and where no socket is left.
  public func connect(to endpoint: String) throws -> PeerHandle {
    try sockets { try $0.connect(to: endpoint) }
  }

  public func disconnect(_ peer: PeerHandle) {
    sockets { $0.disconnect(peer) }
  }

  public func subscribe(_ topic: [UInt8]) {
    sockets { $0.subscribe(topic) }
  }

  public func unsubscribe(_ topic: [UInt8]) {
    sockets { $0.unsubscribe(topic) }
  }

  public func subscribe(_ topic: [UInt8], at peer: PeerHandle) {
    sockets { $0.subscribe(topic, at: peer) }
  }

  public func unsubscribe(_ topic: [UInt8], at peer: PeerHandle) {
    sockets { $0.unsubscribe(topic, at: peer) }
  }

  public func publish(_ frame: [UInt8]) {
    sockets { $0.publish(frame) }
  }

  public func send(_ frame: [UInt8], to peer: PeerHandle) -> Bool {
    sockets { $0.send(frame, to: peer) }
  }

  /// Any thread. Off the link's own, it returns once the thread has ended.
  public func stop(linger: Duration) {
    if thread.isCurrent {
      sockets { $0.close(linger: linger) }
      thread.end(waits: false)
    } else {
      thread.run { [sockets] in sockets { $0.close(linger: linger) } }
      thread.end(waits: true)
    }
  }
}
