import StarlingCore

/// Explains frames in the order in which they were captured: what a stream has said before is known in its later
/// frames.
///
/// ```swift
/// var explainer = FrameExplainer()
/// for piece in explainer.explain(bytes).pieces { print(piece.bytes, piece.meaning) }
/// ```
public struct FrameExplainer: Sendable {
  /// The streams that were followed from their beginning, or from tables that a peer was given.
  var streams: [UInt32: LiveDecoder.State] = [:]
  private let limits: WireLimits

  /// Of a capture that goes through more streams, the others are not followed.
  static let streamCountMax = 256

  public init(limits: WireLimits = .standard) {
    self.limits = limits
  }

  /// - Parameters:
  ///   - bytes: The frame.
  ///   - kind: what the bytes are; nil to find out, of messages and published frames.
  /// - Complexity: O(bytes)
  public mutating func explain(_ bytes: [UInt8], as kind: FrameKind? = nil) -> FrameExplanation {
    let kind = kind ?? Self.guess(bytes, limits)
    var notes = FrameNotes()
    do throws(WireError) {
      try explain(bytes[...], kind, &notes)
    } catch {
      notes.refuse(error)
    }
    return FrameExplanation(kind: kind, pieces: notes.pieces, error: notes.error, errorOffset: notes.errorOffset)
  }

  /// A message where the bytes are one that is known: a frame would have to have the topic and stream of one by chance.
  private static func guess(_ bytes: [UInt8], _ limits: WireLimits) -> FrameKind {
    switch try? Message(decoding: bytes, limits: limits) {
    case nil, .unknown?: bytes.count >= 9 ? .published : .message
    default: .message
    }
  }

  mutating func explain(_ bytes: ArraySlice<UInt8>, _ kind: FrameKind, _ notes: inout FrameNotes) throws(WireError) {
    switch kind {
    case .message: try message(bytes, &notes)
    case .published: try published(bytes, &notes)
    case .batch: try batch(bytes, &notes)
    case .snapshot: try snapshot(bytes, &notes)
    case .tables: _ = try tables(bytes, &notes)
    case .presence: try presence(bytes, &notes)
    }
  }

  /// Reads all of the bytes with `body`, which explains them.
  func read<Result>(
    _ bytes: ArraySlice<UInt8>, atMost byteCountMax: Int? = nil, _ notes: inout FrameNotes,
    _ body: (inout Reader, inout FrameNotes) throws(WireError) -> Result
  ) throws(WireError) -> Result {
    try Reader.read(bytes, atMost: byteCountMax ?? limits.frameByteCountMax, limits: limits) {
      reader throws(WireError) -> Result in try body(&reader, &notes)
    }
  }

  // MARK: Frames

  mutating func published(_ bytes: ArraySlice<UInt8>, _ notes: inout FrameNotes) throws(WireError) {
    let (stream, sequence, size) = try read(bytes, &notes) { reader, notes throws(WireError) -> (UInt32, UInt64, Int) in
      let topic = try reader.fixed32()
      notes.say(reader.offset, "topic \(String(topic, radix: 16)): what subscribers of the document filter by")
      let stream = try reader.fixed32()
      notes.say(
        reader.offset,
        stream == PresencePayload.stream ? "stream 0: no changes, but presence" : "stream \(stream) of the sender")
      let sequence = try reader.varint()
      notes.say(reader.offset, "sequence \(sequence): the number of this frame in its stream, from 0")
      let size = reader.remaining
      try reader.skip(size)
      return (stream, sequence, size)
    }
    let payload = bytes.suffix(size)
    if stream == PresencePayload.stream {
      notes.carry(size, upTo: bytes.count, "presence") { notes throws(WireError) in try presence(payload, &notes) }
      return
    }
    if sequence == 0, streams.count < Self.streamCountMax { streams[stream] = LiveDecoder.State() }
    guard var state = streams[stream] else {
      notes.say(
        bytes.count,
        "payload, \(size) bytes: it goes on from what the stream said before; explain it after the stream's frames from 0 "
          + "on, or after the 'resume' that handed the stream over")
      return
    }
    notes.carry(size, upTo: bytes.count, "payload") { notes throws(WireError) in
      try read(payload, &notes) { reader, notes throws(WireError) in
        while !reader.isAtEnd { try notes.explainChange(&state, &reader) }
      }
    }
    // What was refused leaves nothing to go on from.
    streams[stream] = notes.error == nil ? state : nil
  }

  func presence(_ bytes: ArraySlice<UInt8>, _ notes: inout FrameNotes) throws(WireError) {
    let payload = try PresencePayload(decoding: bytes, limits: limits)
    var end = payload.document.name.utf8.count
    end += Self.varintByteCount(UInt64(end))
    notes.say(end, "document '\(payload.document)'")
    end += Self.varintByteCount(UInt64(payload.notices.count))
    notes.say(end, "\(payload.notices.count) notices")
    for notice in payload.notices {
      end += notice.byteCount
      notes.say(
        end,
        "number \(notice.number) of run \(ReplicaID(rawValue: notice.origin)), for \(notice.lifetimeMilliseconds) ms: "
          + "\(Words.quoted(notice.key)) \(notice.value.map { "is \(Words.of($0))" } ?? "is withdrawn")")
    }
  }

  private static func varintByteCount(_ value: UInt64) -> Int {
    var bytes: [UInt8] = []
    bytes.append(varint: value)
    return bytes.count
  }

  // MARK: What messages carry

  func batch(_ bytes: ArraySlice<UInt8>, _ notes: inout FrameNotes) throws(WireError) {
    try read(bytes, &notes) { reader, notes throws(WireError) in
      let count = try Batch.partCount(&reader)
      notes.say(1, "version \(liveVersion) of the coding")
      notes.say(reader.offset, "\(count) parts: changes, and histories of typing")
      var state = LiveDecoder.State()
      for _ in 0..<count {
        if reader.comes(historyHead) {
          let history = try state.history(&reader)
          notes.say(
            reader.offset,
            "a history: \(history.stamps.count) changes by \(history.replica) from \(history.firstCounter) on, "
              + "\(history.strokes.count) strokes in object \(Words.of(history.object)), which type "
              + Words.quoted(history.text.text))
        } else {
          try notes.explainChange(&state, &reader)
        }
      }
    }
  }

  func tables(_ bytes: ArraySlice<UInt8>, _ notes: inout FrameNotes) throws(WireError) -> LiveDecoder.State {
    try read(bytes, &notes) { reader, notes throws(WireError) in
      let state = try LiveDecoder.State(tables: &reader)
      notes.say(1, "version \(liveVersion) of the coding")
      notes.say(9, "the stream's latest stamp: \(Words.of(state.stamp))")
      notes.say(
        reader.offset,
        "tables: \(state.replicas.count) replicas, \(state.names.count) names, \(state.objects.count) objects with the "
          + "root, \(state.slots.count) slots, each known by its number from here on")
      return state
    }
  }

  func snapshot(_ bytes: ArraySlice<UInt8>, _ notes: inout FrameNotes) throws(WireError) {
    try read(bytes, atMost: limits.snapshotByteCountMax, &notes) { reader, notes throws(WireError) in
      var snapshot = SnapshotReader(reader)
      _ = try snapshot.read { section, end in notes.say(end, Words.of(section)) }
      reader = snapshot.reader
    }
  }
}
