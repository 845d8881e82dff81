import CZeroMQ
import StarlingEngine
import StarlingGuard
import StarlingThread
import Synchronization

/// All sockets of one link, and the turns that serve them. It lives on the link's thread.
///
/// ```
///   one turn:  what may hold messages ─► batch ─► receive(batch) ─► rest, until something is readable,
///                       ▲                             │ sends          a wakeup comes or the tick is due
///                       └──── descriptors, sends ─────┘
/// ```
///
/// A descriptor of libzmq tells of commands, not of messages, and tells once: a socket is read until
/// it has nothing more, and again after everything that was done to it, before the thread sleeps.
final class LinkSockets: LinkLoop {
  /// What one socket may bring in one turn, so that a busy peer holds up nobody.
  private static let messagesPerTurnMax = 1024
  private static let bytesPerTurnMax = 4 << 20
  private static let turnsPerLook = 4
  private static let wokenTurnCountMax = 4
  private static let calm = Duration.microseconds(100)

  let rounds: LinkRounds
  let limits: ZeroMQLink.Limits
  let shared: SharedState

  var tally = ZeroMQLink.Counters()
  /// What goes to the next call of `receive`.
  var events: [LinkEvent] = []
  /// Empty: what they were in before, to be filled again.
  private var spareEvents: [LinkEvent] = []
  var dialled: [PeerHandle: DialledPeer] = [:]
  /// Topics, and how often each was subscribed to.
  var topics: [[UInt8]: Int] = [:]
  var accepting = Listeners()
  let security: ZeroMQLink.Security?
  /// Of the socket files that are made and dialled.
  let owners: Owners
  /// Where libzmq asks about handshakes; made with the first secured socket.
  var authenticator: LinkSocket?
  private var nextReview = Duration.zero
  /// When the dialled peers are looked at that say nothing.
  var nextAsking = Duration.zero
  /// Connections that were not admitted, and when they are tried again.
  var redials: [Redial] = []

  private var context: UnsafeMutableRawPointer?
  private var isClosed = false
  private var receive: (@Sendable ([LinkEvent]) -> Void)?
  private var tick = Duration.zero
  private var nextTick = Duration.zero
  private var sockets: [UInt64: LinkSocket] = [:]
  /// Sockets that may hold messages though their descriptors say nothing.
  private var unread: [LinkSocket] = []
  /// Those among them that are read now.
  private var beingRead: [LinkSocket] = []
  /// How many frames had been published at the last tick, and at the one before.
  private var publishedCounts: (before: UInt64, lately: UInt64) = (0, 0)
  private var busyTurnCount = 0
  /// Turns in a row during which somebody asked for the next one, and until when that one waits.
  private var wokenTurnCount = 0
  private var calmUntil = Duration.zero
  private var nextName: UInt64 = 0
  /// The part that was read last.
  let message = MessagePart()

  init(
    rounds: LinkRounds, shared: SharedState, limits: ZeroMQLink.Limits, security: ZeroMQLink.Security?, owners: Owners
  ) {
    self.rounds = rounds
    self.shared = shared
    self.limits = limits
    self.security = security
    self.owners = owners
  }

  // MARK: Life

  func start(tick: Duration, receive: @escaping @Sendable ([LinkEvent]) -> Void) {
    guard !isClosed else { return }
    self.tick = tick
    self.receive = receive
    nextTick = .uptime + tick
  }

  func setTick(_ tick: Duration) {
    self.tick = tick
    planTick(now: .uptime)
  }

  /// However rare the ticks are, what is to be dialled again is dialled in time.
  private func planTick(now: Duration) {
    nextTick = now + tick
    for redial in redials { tickComes(by: redial.due) }
  }

  func tickComes(by moment: Duration) { nextTick = min(nextTick, moment) }

  /// Where a connection ends, the peer's libzmq drops what it has received of it and nobody has read yet: connections
  /// that are not to outlive a queue (ZMQ_IMMEDIATE) end with it. So frames have this long to be read.
  private static let lastWordsTime: Duration = .milliseconds(25)

  /// Closes everything; what is queued goes out within `linger`, during which the call lasts. Where frames were published
  /// in the last two ticks, it lasts `lastWordsTime` longer.
  func close(linger: Duration) {
    guard !isClosed else { return }
    isClosed = true
    if linger > .zero, tally.framesPublished != publishedCounts.before { min(linger, Self.lastWordsTime).sleep() }
    receive = nil
    events = []
    for listener in Listener.allCases { for pair in accepting[listener]?.listening ?? [] { pair.remove() } }
    accepting = Listeners()
    dialled = [:]
    let monitors = sockets.values.filter(\.isMonitor)
    retire(sockets.values.filter { !$0.isMonitor }, monitors: monitors, linger: linger)
    unread = []
    while let context, zmq_ctx_term(context) != 0, zmq_errno() == EINTR {}
    context = nil
    shareCounters()
  }

  func finish() { close(linger: .zero) }

  // MARK: The turns

  func turn() {
    swap(&unread, &beingRead)
    for socket in beingRead { read(socket) }
    beingRead.removeAll(keepingCapacity: true)
    let now = Duration.uptime
    let isDue = !events.isEmpty || now >= nextTick || now >= calmUntil && shared.isWakeDue.load(ordering: .relaxed)
    if let receive, isDue {
      _ = shared.isWakeDue.exchange(false, ordering: .acquiringAndReleasing)
      if now >= nextTick { publishedCounts = (publishedCounts.lately, tally.framesPublished) }
      reviewKeysIfDue(now: now)
      redialIfDue(now: now)
      planTick(now: now)
      askTheSilentIfDue(now: now)
      tally.batches += 1
      var batch: [LinkEvent] = []
      swap(&batch, &events)
      swap(&events, &spareEvents)
      receive(batch)
      noteWake(afterEvents: !batch.isEmpty)
      if batch.capacity <= Self.messagesPerTurnMax {
        batch.removeAll(keepingCapacity: true)
        spareEvents = batch
      }
    }
    shareCounters()
  }

  /// A turn costs as much for one change as for hundreds. A thread that was woken again before the last few turns had
  /// ended is woken by somebody who writes without a pause, and what that one writes in the next moment goes out
  /// together. Where peers speak, somebody may wait for an answer, and nothing is put off.
  private func noteWake(afterEvents: Bool) {
    let isWokenAgain = !afterEvents && shared.isWakeDue.load(ordering: .relaxed)
    wokenTurnCount = isWokenAgain ? wokenTurnCount + 1 : 0
    calmUntil = wokenTurnCount > Self.wokenTurnCountMax ? .uptime + Self.calm : .zero
  }

  func rest() -> Duration? {
    let mayRest = events.isEmpty && unread.isEmpty
    // What is known to be left comes first: descriptors are looked at only every few turns then.
    busyTurnCount = mayRest ? 0 : busyTurnCount + 1
    guard mayRest || busyTurnCount % Self.turnsPerLook == 0 else { return nil }
    let isWoken = receive != nil && shared.isWakeDue.load(ordering: .acquiring)
    // Jobs are not put off.
    if mayRest, isWoken, calmUntil > .zero, !rounds.thread.hasWork { (calmUntil - .uptime).sleep() }
    return !mayRest || isWoken ? .zero : receive == nil ? .seconds(3600) : nextTick - .uptime
  }

  func noteReady(_ token: UInt64) {
    if let socket = sockets[token] { mark(socket) }
  }

  /// Looks once a second whether the keys of those who are here are still admitted.
  private func reviewKeysIfDue(now: Duration) {
    guard accepting.secured != nil, now >= nextReview else { return }
    nextReview = now + .seconds(1)
    reviewKeys()
  }

  private func shareCounters() {
    shared.counters.withLock { $0 = tally }
  }

  /// Has the socket read before the thread sleeps.
  func mark(_ socket: LinkSocket) {
    guard !socket.isMarked else { return }
    socket.isMarked = true
    unread.append(socket)
  }

  /// Takes what the socket holds, up to its share of the turn; the rest waits for the next.
  private func read(_ socket: LinkSocket) {
    socket.isMarked = false
    guard !socket.isClosed else { return }
    guard socket.isWanted else { return socket.processCommands() }
    var messageCount = 0
    var byteCount = 0
    while messageCount < Self.messagesPerTurnMax, byteCount < Self.bytesPerTurnMax {
      guard socket.receive(into: message) else { return isEmpty(socket) }
      messageCount += 1
      byteCount += message.bytes.count
      take(from: socket)
    }
    mark(socket)
  }

  /// Takes all that the socket holds now, out of its turn.
  ///
  /// - Returns: false where it fills faster than it is read.
  @discardableResult
  func readAll(_ socket: LinkSocket) -> Bool {
    for _ in 0...(limits.publishedQueueCountMax + limits.directQueueCountMax) {
      guard !socket.isClosed, socket.receive(into: message) else { return true }
      take(from: socket)
    }
    mark(socket)
    return false
  }

  /// What waited until a socket holds nothing more.
  private func isEmpty(_ socket: LinkSocket) {
    switch socket.role {
    case .router(let listener): announceEnded(at: listener)
    case .monitor(of: .router(let listener)), .monitor(of: .publisher(let listener)): cutExcess(at: listener)
    case .subscriber, .dealer, .probe, .publisher, .authenticator, .monitor: break
    }
  }

  /// Turns the message whose first part was read into what it means.
  private func take(from socket: LinkSocket) {
    socket.isHeard = true
    switch socket.role {
    case .subscriber(let peer):
      guard let frame = lastPart(from: socket) else { return }
      tally.framesReceived += 1
      events.append(.published(peer, frame))
    case .dealer(let peer):
      guard let frame = lastPart(from: socket) else { return }
      tally.framesReceived += 1
      events.append(.direct(peer, frame))
    case .probe: dropRest(of: socket)
    case .router(let listener): takeDirect(from: socket, at: listener)
    case .publisher(let listener): takeSubscription(from: socket, at: listener)
    case .authenticator: takeQuestion(from: socket)
    case .monitor(let watched):
      let event = MonitorEvent(message.bytes)
      // The address follows.
      dropRest(of: socket)
      guard let event else { return }
      switch watched {
      case .subscriber(let peer): dialled(peer, .publish, tells: event)
      case .dealer(let peer): dialled(peer, .ask, tells: event)
      case .probe(let peer): probe(of: peer, tells: event)
      case .router(let listener): accepted(.ask, at: listener, tells: event)
      case .publisher(let listener): accepted(.publish, at: listener, tells: event)
      case .authenticator, .monitor: break
      }
    }
  }

  /// The part that was read if it ends its message; nil, and the message gone, if it does not.
  func lastPart(from socket: LinkSocket) -> [UInt8]? {
    guard message.hasMore else { return message.array }
    dropRest(of: socket)
    tally.malformed += 1
    return nil
  }

  func dropRest(of socket: LinkSocket) {
    while message.hasMore, socket.receive(into: message) {}
  }

  // MARK: Sockets

  /// A number that no socket and no peer of this link has had.
  func makeName() -> UInt64 {
    nextName += 1
    return nextName
  }

  /// Makes a socket that the loop serves.
  func make(_ type: Int32, as role: LinkSocket.Role) throws(LinkError) -> LinkSocket {
    guard let context = try openContext() else {
      throw LinkError(.misuse, "The link was stopped; make a new one.")
    }
    let socket = try LinkSocket(type, in: context, as: role, token: makeName())
    rounds.watch(socket.descriptor, of: self, as: socket.token)
    sockets[socket.token] = socket
    mark(socket)
    return socket
  }

  /// Makes the socket that tells about the connections of another.
  func makeMonitor(of watched: LinkSocket) throws(LinkError) -> LinkSocket {
    let address = "inproc://monitor-\(watched.token)"
    try watched.beginMonitoring(at: address, events: MonitorEvent.mask)
    let monitor = try make(ZMQ_PAIR, as: .monitor(of: watched.role))
    // The I/O thread waits while this queue is full, and all connections with it.
    monitor.set(ZMQ_RCVHWM, 0)
    try monitor.connect(address)
    return monitor
  }

  /// Closes sockets and those that tell about them. Telling ends first: an event for which there
  /// is no listener any more would hold up the I/O thread.
  func retire(_ retired: [LinkSocket], monitors: [LinkSocket], linger: Duration = .zero) {
    for socket in retired { socket.endMonitoring() }
    for socket in monitors { retire(socket, linger: .zero) }
    for socket in retired { retire(socket, linger: linger) }
  }

  private func retire(_ socket: LinkSocket, linger: Duration) {
    guard sockets.removeValue(forKey: socket.token) != nil else { return }
    rounds.unwatch(socket.token, of: self)
    socket.close(linger: linger)
  }

  /// The context is made with the first socket; nil once the link is closed.
  private func openContext() throws(LinkError) -> UnsafeMutableRawPointer? {
    guard !isClosed else { return nil }
    if let context { return context }
    guard let made = zmq_ctx_new() else { throw LinkError.ofLibrary("No ZeroMQ context could be made") }
    // Nine for a dialled peer (two, one that asks whether it is there, and two that tell about each of these), eight
    // for accepting at each listening socket, one that answers for keys and those that ask it.
    zmq_ctx_set(made, ZMQ_MAX_SOCKETS, Int32(clamping: 9 * limits.dialledPeerCountMax + 64))
    context = made
    return made
  }
}
