#if NATS
  import CNATS
  import StarlingGuard

  /// The subscriptions of a connection that are asked for their messages.
  ///
  /// libnats counts what arrives, and does not say over which subscription. So they are asked, those that had a message
  /// of late first, until all that arrived are found; usually that is the first. As some may have come over
  /// subscriptions that are not here, there is a limit to how many are.
  final class PolledSubscriptions: Sendable {
    private struct Polled {
      let handle: Connection.Handle
      let channel: Inbox.Channel
    }

    private struct State {
      /// The one that had a message last comes first.
      var all: [Polled] = []
      /// As libnats counted them, also those that are not for anybody here.
      var messageCount: UInt64 = 0
      var byteCount: UInt64 = 0
      /// Messages that were handed out.
      var spent: [Connection.Handle] = []
      var spentByteCount = 0
    }

    private static let countMax = 1024
    private static let spentCountMax = 64
    private static let spentByteCountMax = 256 << 10

    private let connection: Connection.Handle
    private let statistics: Connection.Handle?
    private let state = Guarded(State())

    init(of connection: Connection.Handle) {
      self.connection = connection
      var made: OpaquePointer?
      statistics = natsStatistics_Create(&made) == NATS_OK ? made.map(Connection.Handle.init) : nil
    }

    deinit {
      free(all: true)
      natsStatistics_Destroy(statistics?.pointer)
    }

    var hasSpace: Bool { state.withLock { $0.all.count < Self.countMax } }

    func add(_ handle: Connection.Handle, _ channel: Inbox.Channel) {
      state.withLock { $0.all.append(Polled(handle: handle, channel: channel)) }
    }

    func remove(_ channel: Inbox.Channel) {
      state.withLock { $0.all.removeAll { $0.channel == channel } }
    }

    /// Takes the messages that arrived since the last call. Calls of one thread.
    ///
    /// - Returns: how many bytes arrived, over whichever subscription.
    func take(_ body: (Inbox.Channel, UnsafeRawBufferPointer) -> Void) -> Int {
      var (messageCount, byteCount): (UInt64, UInt64) = (0, 0)
      if let statistics {
        natsConnection_GetStats(connection.pointer, statistics.pointer)
        natsStatistics_GetCounts(statistics.pointer, &messageCount, &byteCount, nil, nil, nil)
      }
      return state.withLock { state in
        var expected = statistics == nil ? .max : messageCount &- state.messageCount
        let arrived = Int(clamping: byteCount &- state.byteCount)
        (state.messageCount, state.byteCount) = (messageCount, byteCount)
        var place = 0
        while expected > 0, place < state.all.count {
          let polled = state.all[place]
          let count = Self.drain(polled, &state, body)
          expected -= min(expected, count)
          if count > 0, place > 0 { state.all.insert(state.all.remove(at: place), at: 0) }
          place += 1
        }
        return arrived
      }
    }

    /// Frees what was handed out, unless that is little. libnats wakes a thread of its own for it.
    func free(all: Bool) {
      state.withLock { state in
        guard all || state.spent.count >= Self.spentCountMax || state.spentByteCount >= Self.spentByteCountMax else {
          return
        }
        for message in state.spent { natsMsg_Destroy(message.pointer) }
        state.spent.removeAll(keepingCapacity: state.spent.count <= Self.spentCountMax)
        state.spentByteCount = 0
      }
    }

    /// - Returns: how many messages it had.
    private static func drain(
      _ polled: Polled, _ state: inout State, _ body: (Inbox.Channel, UnsafeRawBufferPointer) -> Void
    ) -> UInt64 {
      var count: UInt64 = 0
      // libnats makes an error of each time that there is none.
      while queuedCount(of: polled) > 0 {
        var message: OpaquePointer?
        switch natsSubscription_NextMsg(&message, polled.handle.pointer, 0) {
        case NATS_OK:
          guard let message else { return count }
          let byteCount = Int(natsMsg_GetDataLength(message))
          body(polled.channel, UnsafeRawBufferPointer(start: natsMsg_GetData(message), count: byteCount))
          state.spent.append(Connection.Handle(pointer: message))
          state.spentByteCount += byteCount
          count += 1
        // Told before the messages that it has, and to the connection's handler as well.
        case NATS_SLOW_CONSUMER: continue
        default: return count
        }
      }
      return count
    }

    private static func queuedCount(of polled: Polled) -> Int32 {
      var (messages, bytes): (Int32, Int32) = (0, 0)
      natsSubscription_GetPending(polled.handle.pointer, &messages, &bytes)
      return messages
    }
  }
#endif
