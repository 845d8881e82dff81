import StarlingEngine

/// A link that tells what passes by it.
final class RecordingLink: PeerLink {
  private let link: MemoryLink
  private let note: @Sendable (Conversation.Verb, [UInt8]) -> Void

  init(_ link: MemoryLink, note: @escaping @Sendable (Conversation.Verb, [UInt8]) -> Void) {
    self.link = link
    self.note = note
  }

  var executor: any SerialExecutor { link.executor }

  func start(tick: Duration, receive: @escaping @Sendable ([LinkEvent]) -> Void) throws {
    try link.start(tick: tick) { [note] events in
      for event in events {
        switch event {
        case .direct(_, let bytes): note(.hears, bytes)
        case .published(_, let frame): note(.receives, frame)
        default: break
        }
      }
      receive(events)
    }
  }

  func publish(_ frame: [UInt8]) {
    note(.publishes, frame)
    link.publish(frame)
  }

  func send(_ frame: [UInt8], to peer: PeerHandle) -> Bool {
    note(.says, frame)
    return link.send(frame, to: peer)
  }

  func wake() { link.wake() }
  func bind(_ endpoint: String) throws -> String { try link.bind(endpoint) }
  func connect(to endpoint: String) throws -> PeerHandle { try link.connect(to: endpoint) }
  func disconnect(_ peer: PeerHandle) { link.disconnect(peer) }
  func subscribe(_ topic: [UInt8]) { link.subscribe(topic) }
  func unsubscribe(_ topic: [UInt8]) { link.unsubscribe(topic) }
  func stop(linger: Duration) { link.stop(linger: linger) }
}
