import StarlingCore
import StarlingEngine
import StarlingGuard
import StarlingWire

/// Renumbers the frames of a stream so that they follow each other.
final class HiddenGaps: Sendable {
  /// By the peer and its stream.
  private let next = Guarded<[PeerHandle: [UInt32: UInt64]]>([:])

  func hide(in event: LinkEvent) -> LinkEvent {
    switch event {
    case .published(let peer, let bytes): return .published(peer, renumber(bytes, from: peer))
    case .direct(let peer, let bytes):
      switch try? Message(decoding: bytes) {
      case .resume(let resume)?:
        next.withLock { $0[peer, default: [:]][resume.position.stream] = resume.position.sequence }
        return event
      case .live(let frame)?: return .direct(peer, Message.live(renumber(frame, from: peer)).encoded())
      default: return event
      }
    case .opened, .handshakeFailed, .turnedAway, .closed: return event
    }
  }

  private func renumber(_ bytes: [UInt8], from peer: PeerHandle) -> [UInt8] {
    guard var frame = try? PublishedFrame(decoding: bytes) else { return bytes }
    return next.withLock { next in
      guard let expected = next[peer]?[frame.stream], frame.sequence >= expected else { return bytes }
      next[peer]?[frame.stream] = expected + 1
      frame.sequence = expected
      return frame.encoded()
    }
  }
}

/// A link that alters what arrives, or keeps it back, and what is sent to one peer.
final class AlteredLink: WrappingLink {
  let wrapped: any PeerLink
  private let arriving: @Sendable (LinkEvent) -> LinkEvent?
  private let sending: @Sendable ([UInt8]) -> [[UInt8]]

  init(
    _ link: any PeerLink, arriving: @escaping @Sendable (LinkEvent) -> LinkEvent?,
    sending: @escaping @Sendable ([UInt8]) -> [[UInt8]] = { [$0] }
  ) {
    wrapped = link
    self.arriving = arriving
    self.sending = sending
  }

  func start(tick: Duration, receive: @escaping @Sendable ([LinkEvent]) -> Void) throws {
    try wrapped.start(tick: tick) { [arriving] in receive($0.compactMap(arriving)) }
  }

  func send(_ frame: [UInt8], to peer: PeerHandle) -> Bool {
    // All of them, also where the first is not taken.
    sending(frame).map { wrapped.send($0, to: peer) }.allSatisfy { $0 }
  }
}
