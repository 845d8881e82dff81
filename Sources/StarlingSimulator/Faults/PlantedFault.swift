import StarlingCore
import StarlingEngine
import StarlingGuard
import StarlingWire

/// A fault of the program itself, put between an engine and its ports: there to show that a
/// simulation finds such a fault.
package enum PlantedFault: CaseIterable, Sendable {
  /// The link takes a frame whose sequence number is ahead for the next one, so that no gap is noticed.
  case hidesGaps
  /// The log returns from an append before the disk has it.
  case returnsTooEarly

  func plant(in link: any PeerLink) -> any PeerLink {
    guard self == .hidesGaps else { return link }
    let gaps = HiddenGaps()
    return AlteredLink(link) { gaps.hide(in: $0) }
  }

  func plant(in log: any ChangeLog) -> any ChangeLog {
    self == .returnsTooEarly ? HastyLog(log) : log
  }
}

/// Keeps the latest group back until the next call.
private final class HastyLog: ChangeLog {
  private let log: any ChangeLog
  private let kept = Guarded<[LogRecord]>([])

  init(_ log: any ChangeLog) {
    self.log = log
  }

  private func settle(keeping records: [LogRecord] = []) async throws {
    let former = kept.withLock { kept in
      defer { kept = records }
      return kept
    }
    if !former.isEmpty { try await log.append(former) }
  }

  func append(_ records: [LogRecord]) async throws { try await settle(keeping: records) }

  func open() async throws -> OpenedLog { try await log.open() }
  func recover(_ document: DocumentID) async throws -> RecoveredDocument { try await log.recover(document) }
  var keepsCheckpoints: Bool { log.keepsCheckpoints }
  func checkpoint(_ document: DocumentID, at checkpoint: StoredSnapshot, recordByteCount: Int) async throws {
    try await settle()
    try await log.checkpoint(document, at: checkpoint, recordByteCount: recordByteCount)
  }
  func recoverFromCheckpoint(_ document: DocumentID) async throws -> RecoveredDocument? {
    try await log.recoverFromCheckpoint(document)
  }
  func records(in document: DocumentID, after version: Version, byteCountMax: Int) async throws -> LogAnswer {
    try await settle()
    return try await log.records(in: document, after: version, byteCountMax: byteCountMax)
  }
  func records(in document: DocumentID, before version: Version, byteCountMax: Int) async throws -> LogAnswer {
    try await settle()
    return try await log.records(in: document, before: version, byteCountMax: byteCountMax)
  }
  func extent(of document: DocumentID) async throws -> LogExtent {
    try await settle()
    return try await log.extent(of: document)
  }
  func snapshot(of document: DocumentID) async throws -> StoredSnapshot? { try await log.snapshot(of: document) }
  func remember(_ members: [LogMember], of document: DocumentID) async throws {
    try await log.remember(members, of: document)
  }
  func remember(leases: [LogLease], of document: DocumentID) async throws {
    try await log.remember(leases: leases, of: document)
  }
  func fold(_ document: DocumentID, into snapshot: StoredSnapshot) async throws {
    try await fold(document, into: snapshot, keeping: [:])
  }
  func fold(
    _ document: DocumentID, into snapshot: StoredSnapshot, keeping kept: [ReplicaID: UInt64]
  ) async throws {
    try await settle()
    try await log.fold(document, into: snapshot, keeping: kept)
  }
  func records(
    in document: DocumentID, by writers: Set<ReplicaID>, after version: Version, byteCountMax: Int
  ) async throws -> LogAnswer {
    try await settle()
    return try await log.records(in: document, by: writers, after: version, byteCountMax: byteCountMax)
  }
  func close(continuing replica: ReplicaID) async throws {
    try await settle()
    try await log.close(continuing: replica)
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

/// A link that alters what arrives.
private final class AlteredLink: PeerLink {
  private let link: any PeerLink
  private let alter: @Sendable (LinkEvent) -> LinkEvent

  init(_ link: any PeerLink, alter: @escaping @Sendable (LinkEvent) -> LinkEvent) {
    self.link = link
    self.alter = alter
  }

  func start(tick: Duration, receive: @escaping @Sendable ([LinkEvent]) -> Void) throws {
    try link.start(tick: tick) { [alter] in receive($0.map(alter)) }
  }

  var executor: any SerialExecutor { link.executor }
  func wake() { link.wake() }
  func bind(_ endpoint: String) throws -> String { try link.bind(endpoint) }
  func connect(to endpoint: String) throws -> PeerHandle { try link.connect(to: endpoint) }
  func disconnect(_ peer: PeerHandle) { link.disconnect(peer) }
  func subscribe(_ topic: [UInt8]) { link.subscribe(topic) }
  func unsubscribe(_ topic: [UInt8]) { link.unsubscribe(topic) }
  func subscribe(_ topic: [UInt8], at peer: PeerHandle) { link.subscribe(topic, at: peer) }
  func unsubscribe(_ topic: [UInt8], at peer: PeerHandle) { link.unsubscribe(topic, at: peer) }
  func publish(_ frame: [UInt8]) { link.publish(frame) }
  func send(_ frame: [UInt8], to peer: PeerHandle) -> Bool { link.send(frame, to: peer) }
  func stop(linger: Duration) { link.stop(linger: linger) }
}
