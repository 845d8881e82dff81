#if NATS
  import CNATS
  import Foundation
  import StarlingEngine

  /// The servers of a cluster by which one enters it, and what they are shown.
  struct Servers {
    private let addresses: [ServerAddress]
    private let access: NATSAccess

    /// - Throws: `LinkError(.endpoint)` if there is none, or one cannot be read.
    init(_ texts: [String], access: NATSAccess = NATSAccess()) throws(LinkError) {
      guard !texts.isEmpty else {
        throw LinkError(.endpoint, "No NATS server is named: write at least one, as nats://127.0.0.1:4222.")
      }
      var addresses: [ServerAddress] = []
      for text in texts { addresses.append(try ServerAddress(text)) }
      self.addresses = addresses
      self.access = access
    }

    /// Whether one of them is spoken to over TLS.
    var isSecure: Bool { access.asksForTLS || addresses.contains(where: \.isSecure) }

    /// The addresses as they may be shown to anybody.
    var places: String { addresses.map(\.place).joined(separator: ", ") }

    /// Connects to one of them; libnats finds the others of the cluster by itself, and connects again whenever the
    /// connection is lost.
    ///
    /// libnats could go on trying by itself where no connection can be made at first, but says nothing of why that one
    /// failed: a server that refuses us would be one that is not there. Whoever wants that tries again.
    ///
    /// - Parameter set: adds to the options, one after the other.
    /// - Throws: `LinkError(.unreachable)` if none answers or takes us now, `.endpoint` for an address that cannot be
    ///   read, `.system` if a server refuses us, or a file of `access` cannot be used.
    func connect(
      named name: String, within limit: Duration, _ set: (OpaquePointer?, (natsStatus) -> Void) -> Void
    ) throws(LinkError) -> OpaquePointer {
      var options: OpaquePointer?
      defer { natsOptions_Destroy(options) }
      var status = natsOptions_Create(&options)
      func note(_ next: natsStatus) {
        if status == NATS_OK { status = next }
      }
      note(
        addresses.map(\.text).withCStrings { natsOptions_SetServers(options, $0, Int32(clamping: addresses.count)) })
      note(natsOptions_SetName(options, name))
      note(natsOptions_SetTimeout(options, limit.milliseconds))
      note(natsOptions_SetMaxReconnect(options, -1))
      note(natsOptions_SetReconnectWait(options, 250))
      note(natsOptions_SetReconnectJitter(options, 100, 250))
      // What was meant for a lost connection must not be said on the next.
      note(natsOptions_SetReconnectBufSize(options, 1))
      // What is said at once is a batch already: waiting for company would only delay it.
      note(natsOptions_SetSendAsap(options, true))
      // A server whose machine is gone says nothing any more, and one that hangs takes nothing.
      note(natsOptions_SetPingInterval(options, 5000))
      note(natsOptions_SetMaxPingsOut(options, 2))
      note(natsOptions_SetWriteDeadline(options, 5000))
      set(options, note)
      guard status == NATS_OK else { throw LinkError(.system, "libnats refuses our options: \(status.reason)") }
      try show(options)
      // Servers refuse one in a hundred or some hundreds of the signatures that libnats 3.4 makes under an NKEY. They ask for another
      // one each time.
      for _ in 1..<(access.signs ? 3 : 1) {
        do {
          return try connect(options)
        } catch {
          guard error.code == .system else { throw error }
        }
      }
      return try connect(options)
    }

    private func connect(_ options: OpaquePointer?) throws(LinkError) -> OpaquePointer {
      var handle: OpaquePointer?
      let status = natsConnection_Connect(&handle, options)
      guard let handle else { throw refusal(status) }
      return handle
    }

    /// Tells libnats what to show the servers.
    private func show(_ options: OpaquePointer?) throws(LinkError) {
      if isSecure {
        let status = natsOptions_SetSecure(options, true)
        guard status == NATS_OK else { throw LinkError(.system, "libnats is built without TLS here. \(status.reason)") }
      }
      if let file = access.credentials {
        try use(file, as: "the credentials") { natsOptions_SetUserCredentialsFromFiles(options, $0, nil) }
      }
      if let file = access.nkey {
        guard let seed = try? String(contentsOfFile: file, encoding: .utf8), let key = NKey(seedIn: seed) else {
          throw LinkError(
            .system,
            "'\(file)' holds no seed of a user's NKEY. Name the file that nk -gen user wrote; its seed begins with SU.")
        }
        try use(file, as: "the NKEY") { natsOptions_SetNKeyFromSeed(options, key.publicName, $0) }
      }
      if let file = access.tlsAuthorities {
        try use(file, as: "the certificates of authorities") { natsOptions_LoadCATrustedCertificates(options, $0) }
      }
      guard access.tlsCertificate != nil || access.tlsKey != nil else { return }
      guard let certificate = access.tlsCertificate, let key = access.tlsKey else {
        throw LinkError(.system, "A certificate for TLS and its secret key go together: name both files, or neither.")
      }
      try use(certificate, as: "the certificate or its key") { natsOptions_LoadCertificatesChain(options, $0, key) }
    }

    private func use(_ file: String, as what: String, _ load: (String) -> natsStatus) throws(LinkError) {
      guard FileManager.default.isReadableFile(atPath: file) else {
        throw LinkError(.system, "'\(file)', which is to hold \(what) for the NATS servers, cannot be read.")
      }
      let status = load(file)
      guard status != NATS_OK else { return }
      let detail = nats_GetLastError(nil).map { " (\(String(cString: $0)))" } ?? ""
      throw LinkError(.system, "'\(file)' cannot be used as \(what) for the NATS servers. \(status.reason)\(detail)")
    }

    private func refusal(_ status: natsStatus) -> LinkError {
      switch status {
      case NATS_ADDRESS_MISSING, NATS_INVALID_ARG:
        LinkError(
          .endpoint,
          "A NATS server is nats://host:port, with user:password@ before the host if it asks for them; \(places) cannot be "
            + "read so. \(status.reason)")
      case NATS_NO_SERVER, NATS_TIMEOUT, NATS_IO_ERROR:
        LinkError(
          .unreachable,
          "No NATS server answers at \(places). Start one there (nats-server), or name one that runs. \(status.reason)")
      case NATS_ERR, NATS_PROTOCOL_ERROR, NATS_CONNECTION_CLOSED, NATS_STALE_CONNECTION:
        LinkError(
          .unreachable,
          "What answers at \(places) does not take us now: a NATS server that is full, busy or about to end, which its log "
            + "says, or another program. \(status.reason)")
      case NATS_CONNECTION_AUTH_FAILED:
        LinkError(
          .system,
          "The NATS server at \(places) refuses us. Give it what it asks for: a user and password before the host, as "
            + "nats://user:password@host:port, or a file of credentials, an NKEY or a certificate.")
      case NATS_SSL_ERROR, NATS_SECURE_CONNECTION_REQUIRED, NATS_SECURE_CONNECTION_WANTED:
        LinkError(
          .system,
          "The NATS server at \(places) and we do not agree on TLS. Write tls:// where it asks for TLS and nats:// where it "
            + "does not, and name the authority that signed its certificate. \(status.reason)")
      default:
        LinkError(.system, "The NATS server at \(places) cannot be used. \(status.reason)")
      }
    }
  }

  extension natsStatus {
    /// In libnats' own words, for the end of a message.
    var reason: String { "(libnats: \(String(cString: natsStatus_GetText(self))).)" }
  }

  extension [String] {
    /// As an array of C strings, good during the call.
    func withCStrings<Result>(_ body: (UnsafeMutablePointer<UnsafePointer<CChar>?>) -> Result) -> Result {
      let copies = map { text in
        let characters = UnsafeMutableBufferPointer<CChar>.allocate(capacity: text.utf8.count + 1)
        _ = characters.initialize(from: text.utf8CString)
        return characters
      }
      defer { for copy in copies { copy.deallocate() } }
      var pointers = copies.map { UnsafePointer($0.baseAddress) }
      return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
    }
  }

  extension Duration {
    /// Whole milliseconds as libnats takes them, at least one.
    var milliseconds: Int64 { Swift.max(1, Int64(self / .milliseconds(1))) }
  }
#endif
