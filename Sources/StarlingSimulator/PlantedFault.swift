package import StarlingEngine
import StarlingGuard
import StarlingWire

/// A fault of the program itself, put between an engine and its link: there to show that a
/// simulation finds such a fault.
package enum PlantedFault: CaseIterable, Sendable {
  /// Takes a frame whose sequence number is ahead for the next one, so that no gap is noticed.
  case hidesGaps
  /// Acknowledges what is merged, whether or not the disk has it.
  case acknowledgesTooEarly

  package func plant(in link: any PeerLink) -> any PeerLink {
    switch self {
    case .hidesGaps:
      let gaps = HiddenGaps()
      return AlteredLink(link, incoming: { gaps.hide(in: $0) }, outgoing: { [$0] })
    case .acknowledgesTooEarly:
      return AlteredLink(link, incoming: { $0 }) { frame in
        guard case .have(let have)? = try? Message(decoding: frame) else { return [frame] }
        return [frame, Message.acknowledge(have.document, have.version).encoded()]
      }
    }
  }
}

/// Renumbers the frames of a stream so that they follow each other.
private final class HiddenGaps: Sendable {
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
    case .opened, .closed: return event
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

/// A link that alters what passes.
private final class AlteredLink: PeerLink {
  private let link: any PeerLink
  private let incoming: @Sendable (LinkEvent) -> LinkEvent
  private let outgoing: @Sendable ([UInt8]) -> [[UInt8]]

  init(
    _ link: any PeerLink, incoming: @escaping @Sendable (LinkEvent) -> LinkEvent,
    outgoing: @escaping @Sendable ([UInt8]) -> [[UInt8]]
  ) {
    self.link = link
    self.incoming = incoming
    self.outgoing = outgoing
  }

  func start(tick: Duration, receive: @escaping @Sendable ([LinkEvent]) -> Void) throws {
    try link.start(tick: tick) { [incoming] in receive($0.map(incoming)) }
  }

  func send(_ frame: [UInt8], to peer: PeerHandle) -> Bool {
    outgoing(frame).allSatisfy { link.send($0, to: peer) }
  }

  var executor: any SerialExecutor { link.executor }
  func wake() { link.wake() }
  func bind(_ endpoint: String) throws -> String { try link.bind(endpoint) }
  func connect(to endpoint: String) throws -> PeerHandle { try link.connect(to: endpoint) }
  func disconnect(_ peer: PeerHandle) { link.disconnect(peer) }
  func subscribe(_ topic: [UInt8]) { link.subscribe(topic) }
  func unsubscribe(_ topic: [UInt8]) { link.unsubscribe(topic) }
  func publish(_ frame: [UInt8]) { link.publish(frame) }
  func stop(linger: Duration) { link.stop(linger: linger) }
}
