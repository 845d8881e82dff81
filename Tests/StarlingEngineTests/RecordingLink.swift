import StarlingEngine

/// A link that tells what passes by it.
final class RecordingLink: WrappingLink {
  let wrapped: any PeerLink
  private let note: @Sendable (Conversation.Verb, [UInt8]) -> Void

  init(_ link: MemoryLink, note: @escaping @Sendable (Conversation.Verb, [UInt8]) -> Void) {
    wrapped = link
    self.note = note
  }

  func start(tick: Duration, receive: @escaping @Sendable ([LinkEvent]) -> Void) throws {
    try wrapped.start(tick: tick) { [note] events in
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
    wrapped.publish(frame)
  }

  func send(_ frame: [UInt8], to peer: PeerHandle) -> Bool {
    note(.says, frame)
    return wrapped.send(frame, to: peer)
  }
}
