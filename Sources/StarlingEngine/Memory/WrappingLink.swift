/// A link that stands before another one, and does what that does where it says nothing else.
package protocol WrappingLink: PeerLink {
  /// The link that it stands before.
  var wrapped: any PeerLink { get }
}

extension WrappingLink {
  package var executor: any SerialExecutor { wrapped.executor }
  package func start(tick: Duration, receive: @escaping @Sendable ([LinkEvent]) -> Void) throws {
    try wrapped.start(tick: tick, receive: receive)
  }
  package func setTick(_ tick: Duration) { wrapped.setTick(tick) }
  package func wake() { wrapped.wake() }
  package func bind(_ endpoint: String) throws -> String { try wrapped.bind(endpoint) }
  package func connect(to endpoint: String) throws -> PeerHandle { try wrapped.connect(to: endpoint) }
  package func disconnect(_ peer: PeerHandle) { wrapped.disconnect(peer) }
  package func subscribe(_ topic: [UInt8]) { wrapped.subscribe(topic) }
  package func unsubscribe(_ topic: [UInt8]) { wrapped.unsubscribe(topic) }
  package func subscribe(_ topic: [UInt8], at peer: PeerHandle) { wrapped.subscribe(topic, at: peer) }
  package func unsubscribe(_ topic: [UInt8], at peer: PeerHandle) { wrapped.unsubscribe(topic, at: peer) }
  package func publish(_ frame: [UInt8]) { wrapped.publish(frame) }
  package func send(_ frame: [UInt8], to peer: PeerHandle) -> Bool { wrapped.send(frame, to: peer) }
  package func stop(linger: Duration) { wrapped.stop(linger: linger) }
}
