#if NATS
  import StarlingEngine

  /// Where a NATS server is, as people write it: `nats://user:password@host:port`. Only the host has to be said.
  struct ServerAddress {
    let text: String
    let isSecure: Bool
    /// Without the user and the password, so that anybody may see it.
    let place: String

    /// - Throws: `LinkError(.endpoint)` for any other form.
    init(_ text: String) throws(LinkError) {
      var rest = text[...]
      var scheme: String?
      if let end = text.firstRange(of: "://") {
        scheme = text[..<end.lowerBound].lowercased()
        rest = text[end.upperBound...]
      }
      if let at = rest.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
      let place = (scheme.map { $0 + "://" } ?? "") + rest
      guard [nil, "nats", "tls"].contains(scheme), Self.isHost(rest) else {
        throw LinkError(
          .endpoint,
          "'\(place)' is no address of a NATS server: write nats://host:port, or tls://host:port for one that asks for TLS, "
            + "with user:password@ before the host if the server asks for them.")
      }
      self.text = text
      self.place = place
      isSecure = scheme == "tls"
    }

    /// Whether it is a host, or a host and a port: `a.example`, `10.0.0.1:4222`, `[::1]:4222`.
    private static func isHost(_ text: Substring) -> Bool {
      let end =
        if text.first == "[" { text.firstIndex(of: "]").map(text.index(after:)) } else {
          text.firstIndex(of: ":") ?? text.endIndex
        }
      guard let end else { return false }
      let (host, port) = (text[..<end], text[end...])
      let isNamed =
        if host.first == "[" {
          host.count > 2 && host.dropFirst().dropLast().allSatisfy { $0.isHexDigit || ":.%".contains($0) }
        } else { !host.isEmpty && host.allSatisfy { $0.isLetter || $0.isNumber || ".-_".contains($0) } }
      guard isNamed, let colon = port.first else { return isNamed }
      return colon == ":" && UInt16(port.dropFirst()).map { $0 > 0 } == true && port.dropFirst().first != "+"
    }
  }
#endif
