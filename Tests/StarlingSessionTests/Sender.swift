import StarlingCore
import StarlingWire

@testable import StarlingSession

/// A peer that publishes one document: what it writes becomes frames of its stream.
struct Sender {
  static let document = DocumentID("library")!

  let replica: ReplicaID
  var content = Document()
  var changes: [Change] = []
  private var encoder = LiveEncoder()
  private(set) var position: StreamPosition

  init(replica: UInt64 = 1, stream: UInt32 = 7) {
    self.replica = ReplicaID(rawValue: replica)
    position = StreamPosition(stream: stream, sequence: 0)
  }

  var version: VersionVector { content.version }

  /// Writes once, and publishes it as one frame.
  mutating func write(_ value: Int64, for key: Key = "title") -> PublishedFrame {
    var patch = Patch()
    content.begin(as: replica, now: 1_000_000)
    content.set(.integer(value), for: key, in: .root, patch: &patch)
    let change = content.commit()!
    changes.append(change)
    var payload: [UInt8] = []
    encoder.encode(change, into: &payload)
    defer { position.sequence += 1 }
    return PublishedFrame(
      topic: PublishedFrame.topicNumber(of: Self.document), stream: position.stream, sequence: position.sequence,
      payload: payload[...])
  }

  /// What a stream is joined with at this point.
  var tables: [UInt8] { encoder.tables() }

  func have(digest: Digest? = nil) -> Message.Have {
    Message.Have(document: Self.document, version: version, position: position, digest: digest)
  }

  func batch(request: UInt32) -> Message.Changes {
    Message.Changes(document: Self.document, request: request, batch: Batch.encode(changes))
  }

  func resume(request: UInt32) -> Message.Resume {
    Message.Resume(document: Self.document, request: request, version: version, position: position, tables: tables)
  }

  func parts(request: UInt32, of size: Int) -> [Message.SnapshotPart] {
    let bytes = SnapshotCoding.encode(content.snapshot())
    return stride(from: 0, to: bytes.count, by: size).map { offset in
      Message.SnapshotPart(
        document: Self.document, request: request, checksum: bytes.checksum, offset: UInt64(offset),
        byteCount: UInt64(bytes.count), bytes: Array(bytes[offset..<min(offset + size, bytes.count)]))
    }
  }
}

extension PublishedFrame {
  /// A frame whose payload is not what anybody encoded.
  var damaged: PublishedFrame {
    var frame = self
    frame.payload = [0xFF, 0xFF, 0xFF, 0xFF]
    return frame
  }
}

// Outcomes as what a test wants to know of them.

extension StreamReceiver {
  mutating func receive(_ frame: PublishedFrame) -> (changes: [Change]?, isNothing: Bool, isLost: Bool) {
    var contributions = Contributions()
    return switch receive(frame, into: &contributions) {
    case .changes: (contributions.take().flatMap(\.changes), false, false)
    case .nothing: (nil, true, false)
    case .lost: (nil, false, true)
    }
  }
}

extension StreamReceiver.ResumeOutcome {
  var changes: [Change]? { if case .parts(let parts) = self { parts.flatMap(\.changes) } else { nil } }
  var isLost: Bool { if case .lost = self { true } else { false } }
  var isUnusable: Bool { if case .unusable = self { true } else { false } }
}

/// How a live frame was taken.
struct Heard {
  var outcome: DocumentSession.LiveOutcome
  /// What is to be merged.
  var merging: [Change]

  var changes: [Change]? { if case .changes = outcome { merging } else { nil } }
  var effects: [DocumentSession.Effect] { if case .effects(let effects) = outcome { effects } else { [] } }
  var isNothing: Bool { if case .nothing = outcome { true } else { false } }
}

extension [DocumentSession.Effect] {
  var credits: [UInt64] { compactMap { if case .credit(_, let credit) = $0 { credit.byteCount } else { nil } } }
  var asked: [PeerHandle] { compactMap { if case .ask(let peer, _) = $0 { peer } else { nil } } }
  var wants: [Message.Want] { compactMap { if case .ask(_, let want) = $0 { want } else { nil } } }
  var merged: [Change] {
    flatMap { effect -> [Change] in if case .merge(let parts, _) = effect { parts.flatMap(\.changes) } else { [] } }
  }
  var states: [Snapshot] {
    compactMap { if case .mergeState(let state, _) = $0 { state.document.snapshot() } else { nil } }
  }
  var refusals: [Message.Refusal] { compactMap { if case .refuse(_, let refusal) = $0 { refusal } else { nil } } }
}
