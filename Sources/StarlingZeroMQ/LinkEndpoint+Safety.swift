import StarlingEngine

// What is not dialled, because somebody else could answer there.
extension LinkEndpoint {
  /// - Throws: `LinkError(.endpoint)` for TCP beyond loopback without the key of the peer that is to answer; `.system`
  ///   for a socket file that is another user's, or that another user could put in its place.
  func checkDialling(_ owners: Owners) throws(LinkError) {
    switch self {
    case .ipc(let path):
      let place = SocketPlace(owners: owners)
      try place.check(path)
      for channel in Channel.allCases { try place.checkFile(path + Self.suffix(of: channel)) }
    case .tcp(let host, let port, nil):
      guard NumericAddress(host)?.isLoopback == true else {
        throw LinkError(
          .endpoint,
          "'\(text)' lies beyond loopback and names no key: a party that answers there, or listens on the way, could read and "
            + "write everything. Dial tcp://KEY@\(host):\(port), with the key that the daemon there prints when it starts "
            + "(starling keys show).")
      }
    case .tcp: break
    }
  }
}
