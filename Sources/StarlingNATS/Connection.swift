#if NATS
  import CNATS
  import Dispatch
  import StarlingEngine
  import StarlingGuard

  /// One connection to the cluster, which libnats makes again for as long as it takes whenever it is
  /// lost.
  ///
  /// ```
  ///   polled       socket ─────────────── read, on the link's thread ────────────────────► messages
  ///   not polled   socket ─► libnats' reader ─► its delivery thread ─► inbox ─► takeAll ─► messages
  /// ```
  ///
  /// A polled connection has no thread between the socket and the link; somebody calls `read` and `write` for it. Its
  /// first subscriptions are polled too: libnats does not say which of them a message came over, and so each is asked.
  /// Those that are made when there are many of these bring their messages by way of the inbox.
  final class Connection: Sendable {
    /// What libnats made. Sendable: libnats locks connections and subscriptions itself, any thread may
    /// use them, and only `close` and `unsubscribe` end them.
    struct Handle: @unchecked Sendable {
      let pointer: OpaquePointer
    }

    private struct Subscription {
      let handle: Handle
      /// Nil for one that is polled.
      let closure: Callbacks.Number?
    }

    /// What libnats reads at once and gathers before it wants to write.
    private static let bufferByteCount = 128 << 10

    private let handle: Handle
    private let closure: Callbacks.Number
    private let inbox: Inbox
    /// Of a connection that is polled.
    private let polled: PolledSubscriptions?
    private let limits: NATSLink.Limits
    private let subscriptions = Guarded<[Inbox.Channel: Subscription]>([:])

    /// Connects to one of the servers; waits as long as `Limits.connecting`.
    ///
    /// - Parameter isPolled: whether `read` and `write` are called for it. Not with TLS: libnats waits in them for the
    ///   rest of a record.
    /// - Throws: `LinkError(.unreachable)` if none answers or takes us now, `.endpoint` for an address that cannot be
    ///   read, `.system` if a server refuses us or takes too little at once.
    init(
      to servers: Servers, inbox: Inbox, limits: NATSLink.Limits, isPolled: Bool = false
    ) throws(LinkError) {
      let closure = Callbacks.add(inbox, .own)
      do {
        handle = Handle(
          pointer: try Self.connect(to: servers, closure: closure.pointer, limits: limits, isPolled: isPolled))
      } catch {
        Callbacks.remove(closure)
        throw error
      }
      self.closure = closure
      polled = isPolled ? PolledSubscriptions(of: handle) : nil
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
      to servers: Servers, closure: UnsafeMutableRawPointer, limits: NATSLink.Limits, isPolled: Bool
    ) throws(LinkError) -> OpaquePointer {
      try servers.connect(named: "starling", within: limits.connecting) { options, set in
        set(natsOptions_SetNoEcho(options, true))
        // Topics are documents, and there may be thousands: they share the library's delivery thread.
        set(natsOptions_UseGlobalMessageDelivery(options, true))
        set(natsOptions_SetMaxPendingMsgs(options, Int32(clamping: limits.pendingMessageCountMax)))
        set(natsOptions_SetDisconnectedCB(options, Callbacks.disconnected, closure))
        set(natsOptions_SetReconnectedCB(options, Callbacks.reconnected, closure))
        set(natsOptions_SetClosedCB(options, Callbacks.givenUp, closure))
        set(natsOptions_SetErrorHandler(options, Callbacks.failed, closure))
        guard isPolled else { return }
        set(natsOptions_SetIOBufSize(options, Int32(Self.bufferByteCount)))
        set(
          natsOptions_SetEventLoop(
            options, closure, Callbacks.attached, Callbacks.reads, Callbacks.writes, Callbacks.detached))
      }
    }

    /// The most that the present server takes in one message (`max_payload`).
    var payloadByteCountMax: Int { Int(clamping: natsConnection_GetMaxPayload(handle.pointer)) }

    /// False if it cannot be sent now, or so much waits to be written.
    func publish(_ message: [UInt8], to subject: String) -> Bool {
      if polled != nil {
        let waiting = Int(natsConnection_Buffered(handle.pointer))
        guard waiting == 0 || waiting + message.count <= limits.waitingByteCountMax else { return false }
      }
      return message.withUnsafeBytes {
        natsConnection_Publish(handle.pointer, subject, $0.baseAddress, Int32(clamping: $0.count)) == NATS_OK
      }
    }

    /// Once for each channel. False if the connection is closed or the memory is full.
    @discardableResult
    func subscribe(to subject: String, as channel: Inbox.Channel) -> Bool {
      let isPolled = polled?.hasSpace ?? false
      let closure = isPolled ? nil : Callbacks.add(inbox, channel)
      var made: OpaquePointer?
      var status =
        if let closure {
          natsConnection_Subscribe(&made, handle.pointer, subject, Callbacks.message, closure.pointer)
        } else {
          natsConnection_SubscribeSync(&made, handle.pointer, subject)
        }
      if status == NATS_OK {
        status = natsSubscription_SetPendingLimits(
          made, Int32(clamping: limits.pendingMessageCountMax), Int32(clamping: limits.pendingByteCountMax))
      }
      guard status == NATS_OK, let made else {
        if let closure { Callbacks.remove(closure) }
        natsSubscription_Destroy(made)
        return false
      }
      let subscription = Subscription(handle: Handle(pointer: made), closure: closure)
      subscriptions.withLock { $0[channel] = subscription }
      if isPolled { polled?.add(subscription.handle, channel) }
      return true
    }

    func unsubscribe(_ channel: Inbox.Channel) {
      guard let subscription = subscriptions.withLock({ $0.removeValue(forKey: channel) }) else { return }
      if subscription.closure == nil { polled?.remove(channel) }
      end(subscription)
    }

    private func end(_ subscription: Subscription) {
      if let closure = subscription.closure { Callbacks.remove(closure) }
      natsSubscription_Destroy(subscription.handle.pointer)
    }

    // MARK: Being polled

    /// What the socket holds, up to a turn's share, in the order in which it came over each subscription.
    ///
    /// - Returns: whether it may hold more.
    func read(_ body: (Inbox.Channel, UnsafeRawBufferPointer) -> Void) -> Bool {
      guard let polled else { return false }
      for _ in 0..<Self.readsPerTurnMax {
        natsConnection_ProcessReadEvent(handle.pointer)
        // More came than fits in half of what is read at once: it may not have been all.
        guard polled.take(body) > Self.bufferByteCount / 2 else { return false }
      }
      return true
    }

    private static let readsPerTurnMax = 8

    /// Frees what was read, when there is time; unless that is little, or it is to be all.
    func freeRead(all: Bool = false) { polled?.free(all: all) }

    /// Writes what waits, as far as the socket takes it.
    ///
    /// - Returns: whether all of it is written.
    func write() -> Bool {
      guard inbox.isWriteDue else { return true }
      natsConnection_ProcessWriteEvent(handle.pointer)
      return !inbox.isWriteDue
    }

    // MARK: The end

    /// Returns once the server has what was sent, or `limit` has passed.
    func flush(timeout limit: Duration) {
      guard limit > .zero else { return }
      guard polled != nil else {
        _ = natsConnection_FlushTimeout(handle.pointer, limit.milliseconds)
        return
      }
      // It waits for an answer, which has to be read.
      let isDone = ThreadEvent()
      DispatchQueue.global().async { [handle] in
        _ = natsConnection_FlushTimeout(handle.pointer, limit.milliseconds)
        isDone.signal()
      }
      repeat {
        natsConnection_ProcessWriteEvent(handle.pointer)
        natsConnection_ProcessReadEvent(handle.pointer)
      } while !isDone.wait(timeout: .milliseconds(1))
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
