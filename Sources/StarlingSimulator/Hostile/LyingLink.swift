import StarlingCore
import StarlingEngine
import StarlingGuard
import StarlingSession
import StarlingWire

/// The link of a relay that runs the program and lies: some of what the program says is kept back, said twice, said to
/// somebody else, said with another version or replaced, and what the program never says comes between.
///
/// ```
///   engine ── send, publish ──► a lie is due? ── no ──► as it is
///                                    └── yes ──► nothing, twice, elsewhere, another version, something else
/// ```
final class LyingLink: WrappingLink {
  fileprivate struct State {
    var lies: Lies
    var generator = SeededGenerator(seed: 0)
    /// So many of the next frames are lies.
    var dueCount = 0
    var peers: [PeerHandle] = []
  }

  let link: SimulatedLink
  var wrapped: any PeerLink { link }
  /// Whether it gives operations other contents, sends states that hold what it likes, and has documents forgotten.
  private let forges: Bool
  private let state: Guarded<State>

  init(_ link: SimulatedLink, about documents: [DocumentID], forges: Bool) {
    self.link = link
    self.forges = forges
    state = Guarded(State(lies: Lies(about: documents)))
  }

  /// Says a few things of its own, and falsifies some of what the program says next.
  func lie(using generator: inout SeededGenerator) {
    let own = state.withLock { state -> [(PeerHandle, [UInt8])] in
      state.generator = generator.fork()
      state.dueCount = Int.random(in: 1...16, using: &generator)
      return (0..<Int.random(in: 0...4, using: &generator)).compactMap { _ -> (PeerHandle, [UInt8])? in
        guard let peer = state.peers.randomElement(using: &generator) else { return nil }
        return (peer, state.draw(forges: forges, using: &generator))
      }
    }
    for (peer, bytes) in own { _ = link.send(bytes, to: peer) }
  }

  // MARK: What arrives

  func start(tick: Duration, receive: @escaping @Sendable ([LinkEvent]) -> Void) throws {
    try link.start(tick: tick) { [weak self] events in
      self?.hear(events)
      receive(events)
    }
  }

  private func hear(_ events: [LinkEvent]) {
    state.withLock { state in
      for event in events {
        switch event {
        case .opened(let peer, _, _): state.peers.append(peer)
        case .closed(let peer, _): state.peers.removeAll { $0 == peer }
        case .direct(_, let bytes): state.lies.hear(bytes)
        case .published(_, let bytes): state.lies.hear(Message.live(bytes).encoded())
        case .handshakeFailed, .turnedAway: break
        }
      }
    }
  }

  // MARK: What goes out

  func send(_ frame: [UInt8], to peer: PeerHandle) -> Bool {
    let frames = state.withLock { $0.falsify(frame, to: peer, forges: forges) }
    var isSent = true
    for (frame, peer) in frames { isSent = link.send(frame, to: peer) && isSent }
    return isSent
  }

  func publish(_ frame: [UInt8]) {
    let copies = state.withLock { state -> [[UInt8]] in
      guard state.takeLie() else { return [frame] }
      switch Int.random(in: 0..<3, using: &state.generator) {
      case 0: return []
      case 1: return [frame, frame]
      default: return forges ? [Lies.altered(frame, using: &state.generator)] : []
      }
    }
    for copy in copies { link.publish(copy) }
  }
}

extension LyingLink.State {
  fileprivate mutating func takeLie() -> Bool {
    guard dueCount > 0 else { return false }
    dueCount -= 1
    return true
  }

  fileprivate func draw(forges: Bool, using generator: inout SeededGenerator) -> [UInt8] {
    forges ? lies.draw(using: &generator) : lies.drawWithoutContent(using: &generator)
  }

  /// What is said in place of a message, and to which peer.
  fileprivate mutating func falsify(
    _ frame: [UInt8], to peer: PeerHandle, forges: Bool
  ) -> [(frame: [UInt8], peer: PeerHandle)] {
    guard takeLie() else { return [(frame, peer)] }
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: return []
    case 1: return [(frame, peer), (frame, peer)]
    case 2: return [(frame, peers.randomElement(using: &generator) ?? peer)]
    case 3:
      var lying = generator
      defer { generator = lying }
      return [(draw(forges: forges, using: &lying), peer)]
    default: return [(lies.withAnotherVersion(frame, using: &generator), peer)]
    }
  }
}
