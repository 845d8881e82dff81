import StarlingEngine

/// Where peers meet, read from text. One endpoint stands for the two sockets of a link.
enum LinkEndpoint: Hashable {
  /// `path.ask` and `path.pub`.
  case ipc(path: String)
  /// The ROUTER at `port`, the XPUB at the next one; with the key of the peer that listens there, where it has one.
  case tcp(host: String, port: UInt16, key: PublicKey? = nil)

  /// The two sockets of an endpoint.
  enum Channel: CaseIterable {
    case ask
    case publish
  }

  static let pathByteCountMax = SocketFile.pathByteCountMax - ".ask".utf8.count

  /// - Throws: `LinkError(.endpoint)`, saying what an endpoint looks like.
  init(_ text: String) throws(LinkError) {
    if let path = text.dropping("ipc://") {
      guard path.hasPrefix("/"), !path.hasSuffix("/"), !path.utf8.contains(0) else {
        throw LinkError(.endpoint, "'\(text)': an ipc endpoint is ipc:// and an absolute path, as ipc:///run/name.")
      }
      guard path.utf8.count <= Self.pathByteCountMax else {
        throw LinkError(
          .endpoint,
          "'\(text)': the path has \(path.utf8.count) bytes, a socket's may have \(Self.pathByteCountMax). "
            + "Choose a shorter directory or name.")
      }
      self = .ipc(path: path)
    } else if let address = text.dropping("tcp://") {
      let (key, address) = try Self.splitKey(of: address, in: text)
      guard let (host, digits) = Self.split(address), let port = UInt16(digits), port < UInt16.max else {
        throw LinkError(
          .endpoint,
          "'\(text)': a tcp endpoint is an address or name and a port up to 65534, as tcp://127.0.0.1:7400 or "
            + "tcp://[::1]:7400.")
      }
      self = .tcp(host: host, port: port, key: key)
    } else {
      throw LinkError(.endpoint, "'\(text)' is no endpoint: it begins with ipc:// or tcp://.")
    }
  }

  /// Host and port; an IPv6 address stands in brackets. Addresses come out as everybody writes them.
  private static func split(_ address: String) -> (host: String, port: Substring)? {
    if address.hasPrefix("[") {
      guard let end = address.firstIndex(of: "]"), address[end...].hasPrefix("]:"),
        let numeric = NumericAddress(String(address[address.index(after: address.startIndex)..<end]))
      else { return nil }
      return (numeric.text, address[address.index(end, offsetBy: 2)...])
    }
    let parts = address.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else { return nil }
    return (parts[0] == "localhost" ? "127.0.0.1" : String(parts[0]), parts[1])
  }

  /// `KEY@host:port`: the listener's key comes first, as a user's name does in other addresses.
  private static func splitKey(of address: String, in text: String) throws(LinkError) -> (PublicKey?, String) {
    guard let sign = address.firstIndex(of: "@") else { return (nil, address) }
    guard let key = PublicKey(String(address[..<sign])) else {
      throw LinkError(
        .endpoint,
        "'\(text)': what stands before the @ is no public key, which has 43 letters, digits, hyphens and underscores.")
    }
    return (key, String(address[address.index(after: sign)...]))
  }

  /// As peers dial it.
  var text: String {
    switch self {
    case .ipc(let path): "ipc://\(path)"
    case .tcp(let host, let port, let key): "tcp://\(key.map { "\($0)@" } ?? "")\(Self.bracketed(host)):\(port)"
    }
  }

  var isTCP: Bool {
    if case .tcp = self { true } else { false }
  }

  /// One of its sockets, as libzmq names it.
  func address(of channel: Channel) -> String {
    switch self {
    case .ipc(let path): "ipc://\(path)\(Self.suffix(of: channel))"
    case .tcp(let host, let port, _): "tcp://\(Self.bracketed(host)):\(channel == .ask ? port : port + 1)"
    }
  }

  private static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

  /// Whether libzmq must be told that the address is one of IPv6.
  var isIPv6: Bool {
    if case .tcp(let host, _, _) = self { host.contains(":") } else { false }
  }

  static func suffix(of channel: Channel) -> String {
    channel == .ask ? ".ask" : ".pub"
  }
}

extension String {
  func dropping(_ prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
