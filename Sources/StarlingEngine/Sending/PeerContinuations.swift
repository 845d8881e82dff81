import StarlingSession

/// Answers that wait until their peers have taken what is on its way.
struct PeerContinuations {
  private var waiting: [PeerHandle: [CheckedContinuation<Void, Never>]] = [:]

  var count: Int { waiting.values.reduce(0) { $0 + $1.count } }

  mutating func add(_ continuation: CheckedContinuation<Void, Never>, for peer: PeerHandle) {
    waiting[peer, default: []].append(continuation)
  }

  /// Has the answers to a peer, or to all, look again whether they may go on.
  mutating func resume(_ peer: PeerHandle?) {
    for peer in peer.map({ [$0] }) ?? waiting.keys.sorted() {
      for continuation in waiting.removeValue(forKey: peer) ?? [] { continuation.resume() }
    }
  }
}
