import Dispatch
import Foundation
import StarlingEngine

/// A link over Unix stream sockets: what a transport of your own looks like.
///
/// ```
///   connect ──► Connection (dialled)  ◄── one stream, frames both ways ──►  Connection (accepted) ◄── bind
/// ```
///
/// A connection carries `Frame`s: messages for one peer in both directions, subscriptions to the end that accepted, and
/// what that end publishes to the end that dialled. An endpoint is the path of a socket.
///
/// Everything happens on one serial queue, which is the engine's executor too; so the link needs no lock, and calls
/// `receive` while nothing else of the replica runs.
// All stored state belongs to the queue; `start` says why it may set some before.
public final class UnixLink: PeerLink, @unchecked Sendable {
  private let queue: QueueExecutor
  private var receive: (@Sendable ([LinkEvent]) -> Void)?
  private var timer: (any DispatchSourceTimer)?
  private var listeners: [Listener] = []
  private var connections: [PeerHandle: Connection] = [:]
  /// The path of each dialled endpoint, while it is wanted.
  private var dialled: [PeerHandle: String] = [:]
  private var topics: [[UInt8]] = []
  private var lastHandle: UInt64 = 0

  public init() {
    queue = QueueExecutor(label: "unix-link")
  }

  public var executor: any SerialExecutor { queue }

  /// Called once and before anything else, so nothing runs on the queue yet.
  public func start(tick: Duration, receive: @escaping @Sendable ([LinkEvent]) -> Void) throws {
    self.receive = receive
    let timer = DispatchSource.makeTimerSource(queue: queue.queue)
    timer.schedule(deadline: .now(), repeating: tick.nanoseconds)
    timer.setEventHandler { [weak self] in self?.receive?([]) }
    timer.resume()
    self.timer = timer
  }

  public func wake() {
    queue.queue.async { [weak self] in self?.receive?([]) }
  }

  private func tell(_ event: LinkEvent) {
    receive?([event])
  }

  private func makeHandle() -> PeerHandle {
    lastHandle += 1
    return PeerHandle(rawValue: lastHandle)
  }

  // MARK: Connections

  public func bind(_ endpoint: String) throws -> String {
    listeners.append(
      try Listener(path: endpoint, queue: queue.queue) { [weak self] descriptor in self?.accept(descriptor) })
    return endpoint
  }

  private func accept(_ descriptor: Int32) {
    let handle = makeHandle()
    connections[handle] = makeConnection(descriptor, handle)
  }

  public func connect(to endpoint: String) throws -> PeerHandle {
    let handle = makeHandle()
    dialled[handle] = endpoint
    dial(handle)
    return handle
  }

  /// Tries in a job of its own, and every tenth of a second until somebody listens.
  private func dial(_ handle: PeerHandle, after delay: DispatchTimeInterval = .milliseconds(0)) {
    queue.queue.asyncAfter(deadline: .now() + delay) { [weak self] in
      guard let self, receive != nil, let path = dialled[handle], connections[handle] == nil else { return }
      guard let descriptor = UnixSocket.dial(path) else { return dial(handle, after: .milliseconds(100)) }
      let connection = makeConnection(descriptor, handle)
      connections[handle] = connection
      for topic in topics { _ = connection.send(Frame(.subscribe, topic)) }
      tell(.opened(handle, dialled: true, as: connection.identity))
    }
  }

  private func makeConnection(_ descriptor: Int32, _ handle: PeerHandle) -> Connection {
    Connection(
      descriptor, queue: queue.queue, received: { [weak self] in self?.take($0, from: handle) },
      closed: { [weak self] in self?.lose(handle, reason: $0) })
  }

  private func lose(_ handle: PeerHandle, reason: String) {
    guard let connection = connections.removeValue(forKey: handle) else { return }
    connection.close()
    if connection.isKnown || dialled[handle] != nil { tell(.closed(handle, reason: reason)) }
    if dialled[handle] != nil { dial(handle, after: .milliseconds(100)) }
  }

  public func disconnect(_ peer: PeerHandle) {
    dialled[peer] = nil
    connections.removeValue(forKey: peer)?.close()
  }

  // MARK: Frames

  private func take(_ frame: Frame, from handle: PeerHandle) {
    guard let connection = connections[handle] else { return }
    switch frame.kind {
    case .direct:
      // An accepted peer is told of when it first speaks.
      if dialled[handle] == nil, !connection.isKnown {
        connection.isKnown = true
        tell(.opened(handle, dialled: false, as: connection.identity))
      }
      tell(.direct(handle, frame.bytes))
    case .published where dialled[handle] != nil: tell(.published(handle, frame.bytes))
    case .subscribe: connection.topics.append(frame.bytes)
    case .unsubscribe: connection.topics.firstIndex(of: frame.bytes).map { _ = connection.topics.remove(at: $0) }
    case .published: break  // Nobody follows a peer that dialled.
    }
  }

  public func subscribe(_ topic: [UInt8]) {
    topics.append(topic)
    for handle in dialled.keys { _ = connections[handle]?.send(Frame(.subscribe, topic)) }
  }

  public func unsubscribe(_ topic: [UInt8]) {
    topics.firstIndex(of: topic).map { _ = topics.remove(at: $0) }
    for handle in dialled.keys { _ = connections[handle]?.send(Frame(.unsubscribe, topic)) }
  }

  public func publish(_ frame: [UInt8]) {
    for (handle, connection) in connections where dialled[handle] == nil {
      if connection.topics.contains(where: { frame.starts(with: $0) }) { _ = connection.send(Frame(.published, frame)) }
    }
  }

  public func send(_ frame: [UInt8], to peer: PeerHandle) -> Bool {
    connections[peer]?.send(Frame(.direct, frame)) ?? false
  }

  // MARK: The end

  /// What is queued goes out within `linger`; jobs that come later still run, on the same queue.
  public func stop(linger: Duration) {
    receive = nil
    timer?.cancel()
    for connection in connections.values { connection.drain(within: linger) }
    connections = [:]
    dialled = [:]
    for listener in listeners { listener.close() }
    listeners = []
  }
}

/// A serial queue as an executor.
final class QueueExecutor: SerialExecutor {
  let queue: DispatchQueue

  init(label: String) {
    queue = DispatchQueue(label: label)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}

extension Duration {
  fileprivate var nanoseconds: DispatchTimeInterval {
    .nanoseconds(Int(components.seconds) * 1_000_000_000 + Int(components.attoseconds / 1_000_000_000))
  }
}
