import CZeroMQ
import StarlingEngine

// Keys: ours shown, theirs judged.
//
// libzmq asks about each handshake at a fixed address within the context (ZAP), by a message of eight parts, and goes
// on once it has an answer:
//
// ```
//   question   "1.0"  id  domain  address  routing id  "CURVE"  key (32 bytes)
//   answer     "1.0"  id  "200" or "400"  text for people  user id  metadata
// ```
//
// The user id stays with the connection, and so with every message that comes by it.
extension LinkSockets {
  static let askDomain: StaticString = "ask"
  static let publishDomain: StaticString = "publish"
  private static let address = "inproc://zeromq.zap.01"

  /// Shows our key on a socket that dials, and asks for the one that the endpoint names.
  func prove(_ socket: LinkSocket, to endpoint: LinkEndpoint) throws(LinkError) {
    guard let key = endpoint.key else { return }
    // Without keys of our own it is seen that the other side wants some, and which: none of these.
    let keys = if let ours = security?.keys { ours } else { try KeyPair() }
    socket.set(ZMQ_CURVE_SERVERKEY, key.bytes)
    socket.set(ZMQ_CURVE_PUBLICKEY, keys.publicKey.bytes)
    socket.set(ZMQ_CURVE_SECRETKEY, keys.secret)
  }

  /// Admits nobody to a socket without having been asked.
  func lock(_ socket: LinkSocket, in domain: StaticString) {
    guard let security else { preconditionFailure("Only a link with keys has secured sockets.") }
    socket.set(ZMQ_CURVE_SERVER, 1)
    socket.set(ZMQ_CURVE_SECRETKEY, security.keys.secret)
    socket.set(ZMQ_ZAP_DOMAIN, domain)
  }

  /// Made before any secured socket: where nobody answers for keys, libzmq admits all of them.
  func openAuthenticator() throws(LinkError) {
    guard authenticator == nil else { return }
    let socket = try make(ZMQ_REP, as: .authenticator)
    do {
      try socket.listen(atInternal: Self.address)
    } catch {
      retire([socket], monitors: [])
      throw error
    }
    authenticator = socket
  }

  /// A question; its first part was read.
  func takeQuestion(from socket: LinkSocket) {
    var parts = [message.array]
    while message.hasMore, socket.receive(into: message) { parts.append(message.array) }
    let answer = answer(to: parts)
    for (place, part) in answer.enumerated() {
      _ = part.withUnsafeBytes { socket.send($0, hasMore: place + 1 < answer.count) }
    }
    mark(socket)
  }

  private func answer(to question: [[UInt8]]) -> [[UInt8]] {
    let id = question.count > 1 ? question[1] : []
    func answer(_ code: String, _ text: String, user: String = "") -> [[UInt8]] {
      [Array("1.0".utf8), id, Array(code.utf8), Array(text.utf8), Array(user.utf8), []]
    }
    guard question.count == 7, question[5] == Array("CURVE".utf8), let key = PublicKey(bytes: question[6]), let security
    else { return answer("400", "not asked as CURVE asks") }
    let publishes = question[2] == Array("publish".utf8)
    switch security.admits(key) {
    case .everything: return answer("200", "", user: key.description)
    case .directOnly where !publishes: return answer("200", "", user: key.description)
    case .directOnly:
      accepting.secured?.refusedCounts[.publish, default: 0] += 1
      return answer("400", "this key may ask and not subscribe")
    case .refused:
      accepting.secured?.refusedCounts[publishes ? .publish : .ask, default: 0] += 1
      tally.keysRefused += 1
      let address = String(decoding: question[3], as: UTF8.self)
      events.append(.turnedAway(TurnedAway(.notAdmitted, user: key.description, address: address)))
      return answer("400", "this key is not in the allowlist")
    }
  }

  /// Cuts those whose keys are no longer admitted.
  func reviewKeys() {
    guard let security, let secured = accepting.secured else { return }
    for peer in secured.peers.values where !peer.isHungUp {
      guard let key = peer.key, security.admits(key) == .refused else { continue }
      tally.keysRefused += 1
      refuse(peer.connection, of: .ask, .secured, as: .revoked, key: key)
    }
    for descriptor in secured.subscribing.descriptors(where: { security.admits($0) != .everything }) {
      refuse(descriptor, of: .publish, .secured, as: .revoked, key: secured.subscribing[descriptor]?.key)
    }
  }
}

extension LinkEndpoint {
  var key: PublicKey? {
    if case .tcp(_, _, let key) = self { key } else { nil }
  }
}
