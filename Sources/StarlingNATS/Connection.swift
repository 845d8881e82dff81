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

    /// Why there was none at first, and libnats goes on trying; nil where a server answered.
    let waits: LinkError?
    private let handle: Handle
    private let closure: Callbacks.Number
    private let inbox: Inbox
    private let limits: NATSLink.Limits
    private let subscriptions = Guarded<[Inbox.Channel: Subscription]>([:])

    /// Connects to one of the servers; waits as long as `Limits.connecting`.
    ///
    /// - Parameter mayWait: whether it goes on trying where no server answers.
    /// - Throws: `LinkError(.unreachable)` if none answers, `.endpoint` for an address that cannot be
    ///   read, `.system` if a server refuses us or takes too little at once.
    init(to servers: Servers, inbox: Inbox, limits: NATSLink.Limits, mayWait: Bool = false) throws(LinkError) {
      let closure = Callbacks.add(inbox, .own)
      do {
        let made = try Self.connect(to: servers, closure: closure.pointer, limits: limits, mayWait: mayWait)
        handle = Handle(pointer: made.handle)
        waits = made.waits
      } catch {
        Callbacks.remove(closure)
        throw error
      }
      self.closure = closure
      self.inbox = inbox
      self.limits = limits
      let limit = payloadByteCountMax
      guard waits != nil || limit > Envelope.headByteCountMax else {
        close()
        throw LinkError(
          .system,
          "The NATS server takes messages of \(limit) bytes at most, and \(Envelope.headByteCountMax + 1) are the least "
            + "that a frame needs. Raise max_payload in its configuration; 1048576 is its default.")
      }
    }

    private static func connect(
      to servers: Servers, closure: UnsafeMutableRawPointer, limits: NATSLink.Limits, mayWait: Bool
    ) throws(LinkError) -> Servers.Made {
      let waiting = mayWait ? (handler: Callbacks.reconnected, closure: closure) : nil
      return try servers.connect(named: "starling", within: limits.connecting, waiting: waiting) { options, set in
        set(natsOptions_SetNoEcho(options, true))
        // Topics are documents, and there may be thousands: they share the library's delivery thread.
        set(natsOptions_UseGlobalMessageDelivery(options, true))
        set(natsOptions_SetMaxPendingMsgs(options, Int32(clamping: limits.pendingMessageCountMax)))
        set(natsOptions_SetDisconnectedCB(options, Callbacks.disconnected, closure))
        set(natsOptions_SetReconnectedCB(options, Callbacks.reconnected, closure))
        set(natsOptions_SetClosedCB(options, Callbacks.givenUp, closure))
        set(natsOptions_SetErrorHandler(options, Callbacks.failed, closure))
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
    func flush(timeout limit: Duration) {
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
  }
#endif
