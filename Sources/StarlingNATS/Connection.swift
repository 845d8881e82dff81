#if NATS
  import CNATS
  import StarlingEngine
  import StarlingGuard

  /// One connection to the cluster, which libnats makes again for as long as it takes whenever it is
  /// lost. What arrives goes to the inbox.
  final class Connection: Sendable {
    /// What libnats made. Sendable: libnats locks connections and subscriptions itself, any thread may
    /// use them, and only `close` and `unsubscribe` end them.
    private struct Handle: @unchecked Sendable {
      let pointer: OpaquePointer
    }

    private struct Subscription {
      let handle: Handle
      let closure: Callbacks.Number
    }

    private let handle: Handle
    private let closure: Callbacks.Number
    private let inbox: Inbox
    private let limits: NATSLink.Limits
    private let subscriptions = Guarded<[Inbox.Channel: Subscription]>([:])

    /// Connects to one of the servers; waits as long as `Limits.connecting`.
    ///
    /// - Throws: `LinkError(.unreachable)` if none answers, `.endpoint` for an address that cannot be
    ///   read, `.system` if a server refuses us or takes too little at once.
    init(to servers: [String], inbox: Inbox, limits: NATSLink.Limits) throws(LinkError) {
      guard !servers.isEmpty else {
        throw LinkError(.endpoint, "No NATS server is named: write at least one, as nats://127.0.0.1:4222.")
      }
      let closure = Callbacks.add(inbox, .own)
      do {
        handle = Handle(pointer: try Self.connect(to: servers, closure: closure.pointer, limits: limits))
      } catch {
        Callbacks.remove(closure)
        throw error
      }
      self.closure = closure
      self.inbox = inbox
      self.limits = limits
      let limit = payloadByteCountMax
      guard limit > Envelope.headByteCountMax else {
        close()
        throw LinkError(
          .system,
          "The NATS server takes messages of \(limit) bytes at most, and \(Envelope.headByteCountMax + 1) are the least "
            + "that a frame needs. Raise max_payload in its configuration; 1048576 is its default.")
      }
    }

    private static func connect(
      to servers: [String], closure: UnsafeMutableRawPointer, limits: NATSLink.Limits
    ) throws(LinkError) -> OpaquePointer {
      var options: OpaquePointer?
      defer { natsOptions_Destroy(options) }
      var status = natsOptions_Create(&options)
      func set(_ next: natsStatus) {
        if status == NATS_OK { status = next }
      }
      set(servers.withCStrings { natsOptions_SetServers(options, $0, Int32(clamping: servers.count)) })
      set(natsOptions_SetName(options, "starling"))
      set(natsOptions_SetTimeout(options, limits.connecting.milliseconds))
      set(natsOptions_SetNoEcho(options, true))
      // A frame is a batch already: waiting for company would only delay it.
      set(natsOptions_SetSendAsap(options, true))
      // Topics are documents, and there may be thousands: they share the library's delivery thread.
      set(natsOptions_UseGlobalMessageDelivery(options, true))
      set(natsOptions_SetMaxPendingMsgs(options, Int32(clamping: limits.pendingMessageCountMax)))
      set(natsOptions_SetMaxReconnect(options, -1))
      set(natsOptions_SetReconnectWait(options, 250))
      set(natsOptions_SetReconnectJitter(options, 100, 250))
      // What was said to peers of a lost connection must not be told to those of the next.
      set(natsOptions_SetReconnectBufSize(options, 1))
      // A server whose machine is gone says nothing any more, and one that hangs takes nothing.
      set(natsOptions_SetPingInterval(options, 5000))
      set(natsOptions_SetMaxPingsOut(options, 2))
      set(natsOptions_SetWriteDeadline(options, 5000))
      set(natsOptions_SetDisconnectedCB(options, Callbacks.disconnected, closure))
      set(natsOptions_SetReconnectedCB(options, Callbacks.reconnected, closure))
      set(natsOptions_SetErrorHandler(options, Callbacks.failed, closure))
      guard status == NATS_OK else { throw LinkError(.system, "libnats refuses our options: \(reason(status))") }

      var handle: OpaquePointer?
      status = natsConnection_Connect(&handle, options)
      if status == NATS_OK, let handle { return handle }
      let places = servers.map(withoutPassword).joined(separator: ", ")
      switch status {
      case NATS_ADDRESS_MISSING, NATS_INVALID_ARG, NATS_ERR:
        throw LinkError(
          .endpoint,
          "A NATS server is nats://host:port, with user:password@ before the host if it asks for them; \(places) cannot be "
            + "read so. \(reason(status))")
      case NATS_NO_SERVER, NATS_TIMEOUT, NATS_IO_ERROR:
        throw LinkError(
          .unreachable,
          "No NATS server answers at \(places). Start one there (nats-server), or name one that runs. \(reason(status))"
        )
      case NATS_CONNECTION_AUTH_FAILED:
        throw LinkError(
          .system,
          "The NATS server at \(places) refuses us. Write the user and password that it asks for before the host, as "
            + "nats://user:password@host:port.")
      default:
        throw LinkError(.system, "The NATS server at \(places) cannot be used. \(reason(status))")
      }
    }

    /// The most that the present server takes in one message (`max_payload`).
    var payloadByteCountMax: Int { Int(clamping: natsConnection_GetMaxPayload(handle.pointer)) }

    /// False if it cannot be sent now.
    func publish(_ message: [UInt8], to subject: String) -> Bool {
      message.withUnsafeBytes {
        natsConnection_Publish(handle.pointer, subject, $0.baseAddress, Int32(clamping: $0.count)) == NATS_OK
      }
    }

    /// Once for each channel. False if the connection is closed or the memory is full.
    @discardableResult
    func subscribe(to subject: String, as channel: Inbox.Channel) -> Bool {
      let closure = Callbacks.add(inbox, channel)
      var made: OpaquePointer?
      var status = natsConnection_Subscribe(&made, handle.pointer, subject, Callbacks.message, closure.pointer)
      if status == NATS_OK {
        status = natsSubscription_SetPendingLimits(
          made, Int32(clamping: limits.pendingMessageCountMax), Int32(clamping: limits.pendingByteCountMax))
      }
      guard status == NATS_OK, let made else {
        Callbacks.remove(closure)
        natsSubscription_Destroy(made)
        return false
      }
      let subscription = Subscription(handle: Handle(pointer: made), closure: closure)
      subscriptions.withLock { $0[channel] = subscription }
      return true
    }

    func unsubscribe(_ channel: Inbox.Channel) {
      guard let subscription = subscriptions.withLock({ $0.removeValue(forKey: channel) }) else { return }
      end(subscription)
    }

    private func end(_ subscription: Subscription) {
      Callbacks.remove(subscription.closure)
      natsSubscription_Destroy(subscription.handle.pointer)
    }

    /// Returns once the server has what was sent, or `limit` has passed.
    func flush(atMost limit: Duration) {
      guard limit > .zero else { return }
      _ = natsConnection_FlushTimeout(handle.pointer, limit.milliseconds)
    }

    /// Ends it; the last call.
    func close() {
      let left = subscriptions.withLock { subscriptions in
        defer { subscriptions = [:] }
        return subscriptions
      }
      for subscription in left.values { end(subscription) }
      Callbacks.remove(closure)
      natsConnection_Destroy(handle.pointer)
    }

    // MARK: Words

    private static func reason(_ status: natsStatus) -> String {
      "(libnats: \(String(cString: natsStatus_GetText(status))).)"
    }

    /// An address as it may be shown to anybody.
    private static func withoutPassword(_ server: String) -> String {
      guard let at = server.lastIndex(of: "@") else { return server }
      let scheme = server.firstRange(of: "://").map { server[..<$0.upperBound] } ?? ""
      return String(scheme) + server[server.index(after: at)...]
    }
  }

  extension [String] {
    /// As an array of C strings, good during the call.
    fileprivate func withCStrings<Result>(_ body: (UnsafeMutablePointer<UnsafePointer<CChar>?>) -> Result) -> Result {
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
    fileprivate var milliseconds: Int64 { Swift.max(1, Int64(self / .milliseconds(1))) }
  }
#endif
