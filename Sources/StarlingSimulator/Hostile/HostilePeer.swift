import StarlingCore
import StarlingEngine
import StarlingGuard
import StarlingSession
import StarlingWire

/// A peer with a key of its own that keeps to no rule: it says hello as others do, and then lies (`Lies`).
final class HostilePeer: Sendable {
  private struct State {
    var peers: [PeerHandle] = []
    var lies: Lies
  }

  static let name = "hostile"

  private let link: MemoryLink
  private let state: Guarded<State>

  init(on network: MemoryNetwork, as identity: PeerIdentity, dialling endpoints: [String], documents: [DocumentID]) {
    link = network.makeLink(named: Self.name, as: identity)
    state = Guarded(State(lies: Lies(about: documents)))
    try? link.start(tick: .milliseconds(50)) { [weak self] in self?.hear($0) }
    link.subscribe([])
    for endpoint in endpoints { _ = try? link.connect(to: endpoint) }
  }

  private func hear(_ events: [LinkEvent]) {
    for event in events {
      switch event {
      case .opened(let peer, _, _):
        state.withLock { $0.peers.append(peer) }
        _ = link.send(Lies.hello(relays: false).encoded(), to: peer)
      case .closed(let peer, _): state.withLock { $0.peers.removeAll { $0 == peer } }
      case .direct(_, let bytes): state.withLock { $0.lies.hear(bytes) }
      case .published(_, let bytes): state.withLock { $0.lies.hear(Message.live(bytes).encoded()) }
      case .handshakeFailed, .turnedAway: break
      }
    }
  }

  /// Says a few things to a peer that it is connected to.
  func lie(using generator: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      guard let peer = state.withLock({ $0.peers }).randomElement(using: &generator) else { return }
      _ = link.send(state.withLock { $0.lies.draw(using: &generator) }, to: peer)
    }
  }
}
