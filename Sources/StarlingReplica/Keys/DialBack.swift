import StarlingZeroMQ

/// Which endpoints are dialled that a peer named as its own (Protocol/conversation.md, "Which peers to dial").
///
/// Whoever dials in could name any endpoint: another service, or a host of its own that hears what is said there. So
/// the endpoint must be one where nobody but this user or a relay of the allowlist can answer.
package enum DialBack {
  /// - Parameters:
  ///   - user: the key that the peer proved; nil for one of this machine, which need not prove any.
  ///   - isRelay: whether the allowlist has the key as one that relays.
  package static func isVouchedFor(_ endpoint: String, by user: String?, isRelay: (PublicKey) -> Bool) -> Bool {
    switch ZeroMQLink.reach(of: endpoint) {
    case .thisMachine: user == nil
    case .key(let key): (user == nil || user == key.description) && isRelay(key)
    case .anybody, nil: false
    }
  }
}
