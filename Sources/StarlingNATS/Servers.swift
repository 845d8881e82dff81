#if NATS
  import CNATS
  import StarlingEngine

  /// The servers of a cluster by which one enters it.
  struct Servers {
    private let addresses: [String]

    /// - Throws: `LinkError(.endpoint)` if there is none.
    init(_ addresses: [String]) throws(LinkError) {
      guard !addresses.isEmpty else {
        throw LinkError(.endpoint, "No NATS server is named: write at least one, as nats://127.0.0.1:4222.")
      }
      self.addresses = addresses
    }

    /// The addresses as they may be shown to anybody.
    var places: String { addresses.map(Self.withoutPassword).joined(separator: ", ") }

    /// Connects to one of them; libnats finds the others of the cluster by itself, and connects again whenever the
    /// connection is lost.
    ///
    /// - Parameter set: adds to the options, one after the other.
    /// - Throws: `LinkError(.unreachable)` if none answers, `.endpoint` for an address that cannot be
    ///   read, `.system` if a server refuses us.
    func connect(
      named name: String, within limit: Duration, _ set: (OpaquePointer?, (natsStatus) -> Void) -> Void
    ) throws(LinkError) -> OpaquePointer {
      var options: OpaquePointer?
      defer { natsOptions_Destroy(options) }
      var status = natsOptions_Create(&options)
      func note(_ next: natsStatus) {
        if status == NATS_OK { status = next }
      }
      note(addresses.withCStrings { natsOptions_SetServers(options, $0, Int32(clamping: addresses.count)) })
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

      var handle: OpaquePointer?
      status = natsConnection_Connect(&handle, options)
      if status == NATS_OK, let handle { return handle }
      throw refusal(status)
    }

    private func refusal(_ status: natsStatus) -> LinkError {
      switch status {
      case NATS_ADDRESS_MISSING, NATS_INVALID_ARG, NATS_ERR:
        LinkError(
          .endpoint,
          "A NATS server is nats://host:port, with user:password@ before the host if it asks for them; \(places) cannot be "
            + "read so. \(status.reason)")
      case NATS_NO_SERVER, NATS_TIMEOUT, NATS_IO_ERROR:
        LinkError(
          .unreachable,
          "No NATS server answers at \(places). Start one there (nats-server), or name one that runs. \(status.reason)")
      case NATS_CONNECTION_AUTH_FAILED:
        LinkError(
          .system,
          "The NATS server at \(places) refuses us. Write the user and password that it asks for before the host, as "
            + "nats://user:password@host:port.")
      default:
        LinkError(.system, "The NATS server at \(places) cannot be used. \(status.reason)")
      }
    }

    private static func withoutPassword(_ server: String) -> String {
      guard let at = server.lastIndex(of: "@") else { return server }
      let scheme = server.firstRange(of: "://").map { server[..<$0.upperBound] } ?? ""
      return String(scheme) + server[server.index(after: at)...]
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
