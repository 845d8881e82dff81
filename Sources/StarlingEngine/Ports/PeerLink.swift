public import StarlingSession

/// How a replica reaches its peers: one of the engine's two ports. It carries frames it cannot read.
///
/// ```
///            publish                          received(.published)
///   engine ──────────► every subscribed peer ──────────► engine
///            send                             received(.direct)
///   engine ──────────► one peer              ──────────► engine
/// ```
///
/// One thread owns the link. It is the engine's serial executor too: apart from `executor` and
/// `wake`, every call is made on it, and so is every call of `receive`. Nothing here promises
/// delivery; a frame may be lost, and only an acknowledgement by the peer's engine says that it was not.
public protocol PeerLink: AnyObject, Sendable {
  /// The thread that owns the link, as the executor of the engine's actor.
  var executor: any SerialExecutor { get }

  /// Begins. `receive` is called with what arrived, in batches; with an empty batch after `wake`
  /// and at least every `tick`. Made before any other call, from any thread; once.
  func start(tick: Duration, receive: @escaping @Sendable ([LinkEvent]) -> Void) throws

  /// `receive` need be called only so often from now on where nothing happens. A link may go on as before.
  func setTick(_ tick: Duration)

  /// Makes the executor call `receive` soon. Any thread; many calls may make one.
  func wake()

  /// Accepts peers at `endpoint`; returns it as peers may dial it (with the port that was chosen).
  func bind(_ endpoint: String) throws -> String

  /// Dials `endpoint`, and again whenever the connection is lost, until `disconnect`.
  func connect(to endpoint: String) throws -> PeerHandle

  /// Hangs up on a peer. A dialled endpoint is dialled no more.
  func disconnect(_ peer: PeerHandle)

  /// Receives frames published under `topic` (their first bytes) from all dialled peers, present and later.
  func subscribe(_ topic: [UInt8])
  /// Ends one `subscribe` to all dialled peers.
  func unsubscribe(_ topic: [UInt8])

  /// Receives frames published under `topic` from one dialled peer, whenever a connection to it stands. A link that
  /// cannot tell its peers apart in this receives them from all.
  func subscribe(_ topic: [UInt8], at peer: PeerHandle)
  /// Ends one `subscribe` to one dialled peer.
  func unsubscribe(_ topic: [UInt8], at peer: PeerHandle)

  /// Sends to every peer that dialled us and subscribed to a prefix of `frame`.
  func publish(_ frame: [UInt8])

  /// Sends to one peer. False if its queue is full or it is gone; the frame is dropped then.
  func send(_ frame: [UInt8], to peer: PeerHandle) -> Bool

  /// Sends what is queued as far as it goes within `linger`, closes everything and gives the thread back. Jobs enqueued
  /// on the executor from then on run elsewhere.
  func stop(linger: Duration)
}

extension PeerLink {
  /// Goes on as before.
  public func setTick(_ tick: Duration) {}
  /// Subscribes at all peers, as a link does that cannot tell them apart in this.
  public func subscribe(_ topic: [UInt8], at peer: PeerHandle) { subscribe(topic) }
  /// Unsubscribes at all peers, as a link does that cannot tell them apart in this.
  public func unsubscribe(_ topic: [UInt8], at peer: PeerHandle) { unsubscribe(topic) }
}

/// What a link has to tell.
public enum LinkEvent: Sendable {
  /// A dialled connection stands (again), or an accepted peer spoke for the first time; with the identity that the
  /// link knows. The engine asks its allowlist about keys, and lets a peer that is `unknown` do nothing.
  case opened(PeerHandle, dialled: Bool, as: PeerIdentity)
  /// A dialled connection does not come about, and trying again will not help until somebody acts. Told once for each
  /// reason.
  case handshakeFailed(PeerHandle, endpoint: String, HandshakeFailure)
  /// Somebody who dialled us was not let in, or is let in no more. It need not have been opened before.
  case turnedAway(TurnedAway)
  /// Sent to us alone.
  case direct(PeerHandle, [UInt8])
  /// Published by a peer that we dialled.
  case published(PeerHandle, [UInt8])
  /// The connection is gone; a dialled one may open again.
  case closed(PeerHandle, reason: String)
}

/// What went wrong in a link, in words for the person who must act on it.
public struct LinkError: Error, Sendable, CustomStringConvertible {
  /// What went wrong, for a program to switch on.
  public enum Code: Sendable, Hashable {
    /// The endpoint is not one this link can read.
    case endpoint
    /// Somebody else listens there.
    case inUse
    /// Nobody answers there.
    case unreachable
    /// The system refused.
    case system
    /// A call out of turn.
    case misuse
  }

  /// What went wrong, for a program to switch on.
  public var code: Code
  /// What happened and what to do, for people.
  public var message: String

  /// Makes an error of a code and a message.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
