#if NATS
  import CNATS
  import StarlingEngine
  import StarlingGuard
  import Synchronization

  /// What libnats' threads bring for one link, until the link's thread takes it. Bounded: what finds it full is lost and
  /// counted.
  ///
  /// ```
  ///   libnats' delivery thread ─── message ─┐
  ///   libnats' callback thread ─── lost, ───┤                        ┌─► turn: takeAll
  ///                                restored ┼─► [ contents ] ─ ring ─┘
  ///   who connects, or publishes ─ socket, ─┤
  ///                     connection, write ──┘
  /// ```
  final class Inbox: Sendable {
    /// The subscription that a message came over.
    enum Channel: Hashable, Sendable {
      case own
      case group
      case topic(stem: [UInt8])
      /// Published for this member alone.
      case only(stem: [UInt8])
    }

    enum SocketChange {
      case opened(Int32)
      case closed
    }

    struct Contents {
      var messages: [(Channel, [UInt8])] = []
      var byteCount = 0
      /// The socket as it was told of last, where the link's thread reads it itself; nil if nothing was told.
      var socket: SocketChange?
      /// The connection as it was told of last, nil if nothing was told.
      var isConnected: Bool?
      /// Whether it was lost in between, however short.
      var wasLost = false
      /// The connection that was made where there was none, or why there is none yet.
      var made: Result<Connection, LinkError>?
      /// Whether libnats gave it up.
      var isGivenUp = false
      var overflows: UInt64 = 0
      var slowConsumers: UInt64 = 0
      /// Times that there was a connection again.
      var connects: UInt64 = 0
      /// Whether nobody takes anything any more.
      var isClosed = false
    }

    /// Guarded by itself; filled by libnats' threads, emptied by the link's thread.
    private let contents = Guarded(Contents())
    private let isRung = Atomic(false)
    private let isWriting = Atomic(false)
    private let limits: NATSLink.Limits
    private let wakeUp: @Sendable () -> Void

    /// - Parameter wakeUp: has the link's thread look at what came. Called by any thread.
    init(limits: NATSLink.Limits, wakeUp: @escaping @Sendable () -> Void) {
      self.limits = limits
      self.wakeUp = wakeUp
    }

    /// Whether anything came since `takeAll`.
    var isFilled: Bool { isRung.load(ordering: .acquiring) }

    /// Whether libnats holds bytes that the link's thread is to write.
    var isWriteDue: Bool { isWriting.load(ordering: .acquiring) }

    func ring() {
      isRung.store(true, ordering: .releasing)
      wakeUp()
    }

    func takeAll() -> Contents {
      isRung.store(false, ordering: .sequentiallyConsistent)
      return contents.withLock { contents in
        defer { contents = Contents() }
        return contents
      }
    }

    /// - Complexity: O(bytes).
    fileprivate func put(_ message: UnsafeRawBufferPointer, over channel: Channel) {
      let bytes = [UInt8](message)
      contents.withLock { contents in
        guard contents.messages.count < limits.waitingMessageCountMax,
          contents.byteCount + bytes.count <= limits.waitingByteCountMax
        else {
          contents.overflows += 1
          return
        }
        contents.byteCount += bytes.count
        contents.messages.append((channel, bytes))
      }
      ring()
    }

    fileprivate func tell(_ socket: SocketChange) {
      contents.withLock { $0.socket = socket }
      ring()
    }

    /// - Parameter made: a connection is closed where the link was by then.
    func tell(made: Result<Connection, LinkError>) {
      let isTaken = contents.withLock { contents in
        if !contents.isClosed { contents.made = made }
        return !contents.isClosed
      }
      if isTaken { ring() } else if case .success(let connection) = made { connection.close() }
    }

    /// The link is closed: nobody takes anything any more.
    func close() {
      let made = contents.withLock { contents in
        defer {
          contents = Contents()
          contents.isClosed = true
        }
        return contents.made
      }
      if case .success(let connection) = made { connection.close() }
    }

    fileprivate func tellWrite(isDue: Bool) {
      isWriting.store(isDue, ordering: .releasing)
      if isDue { wakeUp() }
    }

    fileprivate func tell(isConnected: Bool) {
      contents.withLock { contents in
        contents.isConnected = isConnected
        if isConnected { contents.connects += 1 } else { contents.wasLost = true }
      }
      ring()
    }

    fileprivate func tellGivenUp() {
      contents.withLock { contents in
        contents.isGivenUp = true
        contents.isConnected = false
        contents.wasLost = true
      }
      ring()
    }

    fileprivate func tellSlowConsumer() {
      contents.withLock { $0.slowConsumers += 1 }
      ring()
    }
  }

  /// Where libnats' callbacks find the inbox they fill. libnats says when it calls a handler for the
  /// last time in one way for subscriptions and in another for connections; what it is given here is
  /// a number, which is good for ever, and means nothing once it is removed.
  enum Callbacks {
    struct Number: Hashable, Sendable {
      fileprivate let rawValue: UInt

      /// As libnats carries it: not zero, and not an address.
      var pointer: UnsafeMutableRawPointer { UnsafeMutableRawPointer(bitPattern: rawValue)! }
    }

    private struct Target {
      let inbox: Inbox
      let channel: Inbox.Channel
    }

    private struct Table {
      var targets: [UInt: Target] = [:]
      var last: UInt = 0
    }

    private static let table = Guarded(Table())

    /// What to hand to libnats with the handlers below.
    static func add(_ inbox: Inbox, _ channel: Inbox.Channel) -> Number {
      Number(
        rawValue: table.withLock { table in
          table.last += 1
          table.targets[table.last] = Target(inbox: inbox, channel: channel)
          return table.last
        })
    }

    static func remove(_ number: Number) {
      let removed = table.withLock { $0.targets.removeValue(forKey: number.rawValue) }
      withExtendedLifetime(removed) {}
    }

    private static func target(_ closure: UnsafeMutableRawPointer?) -> Target? {
      table.withLock { $0.targets[UInt(bitPattern: closure)] }
    }

    static let message: natsMsgHandler = { _, _, message, closure in
      defer { natsMsg_Destroy(message) }
      guard let target = target(closure) else { return }
      let count = Int(natsMsg_GetDataLength(message))
      target.inbox.put(
        UnsafeRawBufferPointer(start: natsMsg_GetData(message), count: count), over: target.channel)
    }

    // What libnats asks of a thread that reads and writes its socket. It calls these on any thread, holding the lock of
    // the connection; `loop` and `data` are the number.

    static let attached: natsEvLoop_Attach = { data, loop, _, socket in
      data?.pointee = loop
      target(loop)?.inbox.tell(.opened(Int32(socket)))
      return NATS_OK
    }

    static let reads: natsEvLoop_ReadAddRemove = { data, isAdded in
      if !isAdded { target(data)?.inbox.tell(.closed) }
      return NATS_OK
    }

    static let writes: natsEvLoop_WriteAddRemove = { data, isAdded in
      target(data)?.inbox.tellWrite(isDue: isAdded)
      return NATS_OK
    }

    static let detached: natsEvLoop_Detach = { _ in NATS_OK }

    static let disconnected: natsConnectionHandler = { _, closure in
      target(closure)?.inbox.tell(isConnected: false)
    }

    static let reconnected: natsConnectionHandler = { _, closure in
      target(closure)?.inbox.tell(isConnected: true)
    }

    /// libnats tries no longer: the servers refuse us.
    static let givenUp: natsConnectionHandler = { _, closure in
      target(closure)?.inbox.tellGivenUp()
    }

    static let failed: natsErrHandler = { _, _, status, closure in
      if status == NATS_SLOW_CONSUMER { target(closure)?.inbox.tellSlowConsumer() }
    }
  }
#endif
