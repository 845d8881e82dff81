import StarlingCore

// Messages: the decoder says whether they can be read; the layout of each kind, and what it carries, is told here.

extension FrameExplainer {
  mutating func message(_ bytes: ArraySlice<UInt8>, _ notes: inout FrameNotes) throws(WireError) {
    // What is told up to the place at fault is told first.
    let verdict: WireError?
    do throws(WireError) {
      _ = try Message(decoding: Array(bytes))
      verdict = nil
    } catch {
      verdict = error
    }
    do throws(WireError) {
      try fields(of: bytes, upTo: verdict?.offset ?? bytes.count, &notes)
    } catch  where verdict == nil {
      // A field that this page does not tell apart.
      notes.say(bytes.count, "more fields")
    } catch {}
    if let verdict { throw verdict }
  }

  private mutating func fields(
    of bytes: ArraySlice<UInt8>, upTo end: Int, _ notes: inout FrameNotes
  ) throws(WireError) {
    let readable = bytes.prefix(end)
    var carried: Carried?
    var failure: WireError?
    try read(readable, &notes) { reader, notes throws(WireError) in
      do throws(WireError) {
        carried = try Self.layout(&reader, &notes)
        if carried == nil { try Self.laterFields(&reader, &notes) }
      } catch {
        failure = error
      }
      try reader.skip(reader.remaining)
    }
    if let carried { try explain(carried, in: readable, &notes) }
    if let failure { throw failure }
  }

  /// Bytes within the message that have a layout of their own.
  private struct Carried {
    var range: Range<Int>
    var kind: FrameKind
    var stream: StreamPosition?
  }

  private mutating func explain(
    _ carried: Carried, in bytes: ArraySlice<UInt8>, _ notes: inout FrameNotes
  ) throws(WireError) {
    let inner = bytes.dropFirst(carried.range.lowerBound).prefix(carried.range.count)
    let end = carried.range.upperBound
    notes.carry(carried.range.count, upTo: end, "a \(carried.kind.rawValue)") { notes throws(WireError) in
      guard let position = carried.stream else { return try explain(inner, carried.kind, &notes) }
      let state = try tables(inner, &notes)
      if streams.count < Self.streamCountMax { streams[position.stream] = state }
    }
    let rest = bytes.count - end
    guard rest > 0, notes.error == nil else { return }
    notes.say(bytes.count, "fields of a later version, \(rest) bytes")
  }

  /// Tells the fields of a kind.
  ///
  /// - Returns: what comes last and is told apart from this; nil where later fields may follow.
  private static func layout(_ reader: inout Reader, _ notes: inout FrameNotes) throws(WireError) -> Carried? {
    let kind = try reader.varint()
    func carried(_ kind: FrameKind, _ stream: StreamPosition? = nil) throws(WireError) -> Carried {
      let count = try reader.byteCount(atMost: reader.limits.frameByteCountMax)
      notes.say(reader.offset, "\(count) bytes:")
      return Carried(range: reader.offset..<reader.offset + count, kind: kind, stream: stream)
    }
    switch kind {
    case MessageKind.hello:
      notes.say(reader.offset, "hello: who the sender is")
      try hello(&reader, &notes)
    case MessageKind.have:
      notes.say(reader.offset, "have: where a document stands at the sender")
      try document(&reader, &notes)
      try version(&reader, &notes)
      let flags = try reader.byte()
      notes.say(reader.offset, "flags \(Words.binary(flags))")
      if flags & HaveFlag.position != 0 { _ = try position(&reader, &notes) }
      if flags & HaveFlag.digest != 0 {
        let digest = Digest(high: try reader.fixed64(), low: try reader.fixed64())
        notes.say(reader.offset, "digest at that version: \(digest)")
      }
      try arriving(&reader, &notes)
    case MessageKind.want:
      notes.say(reader.offset, "want: asks for what the sender lacks")
      try documentAndRequest(&reader, &notes)
      try version(&reader, &notes)
      let flags = try reader.byte()
      notes.say(reader.offset, "flags \(Words.binary(flags))\(flags & WantFlag.state != 0 ? ": the state" : "")")
      if flags & WantFlag.begun != 0 {
        let checksum = try reader.fixed64()
        notes.say(reader.offset, "it has begun to read a state, whose checksum is \(String(checksum, radix: 16))")
        let byteCount = try reader.varint()
        notes.say(reader.offset, "and has \(byteCount) bytes of it")
      }
    case MessageKind.changes:
      notes.say(reader.offset, "changes: a part of an answer")
      try documentAndRequest(&reader, &notes)
      return try carried(.batch)
    case MessageKind.paths:
      notes.say(reader.offset, "paths: tombstones that changes of the answer are anchored on")
      try documentAndRequest(&reader, &notes)
      return try carried(.batch)
    case MessageKind.snapshot:
      notes.say(reader.offset, "snapshot: a part of a state that answers")
      try documentAndRequest(&reader, &notes)
      let checksum = try reader.fixed64()
      notes.say(reader.offset, "checksum of the whole: \(String(checksum, radix: 16))")
      let offset = try reader.varint()
      notes.say(reader.offset, "from byte \(offset) of the snapshot on")
      let size = try reader.varint()
      notes.say(reader.offset, "of \(size) bytes in all")
      let count = try reader.byteCount(atMost: reader.limits.frameByteCountMax)
      notes.say(reader.offset, "\(count) bytes of it:")
      if offset == 0, UInt64(count) == size {
        return Carried(range: reader.offset..<reader.offset + count, kind: .snapshot)
      }
      try reader.skip(count)
      notes.say(reader.offset, "a part of a snapshot; put together, all parts are explained as one")
    case MessageKind.resume:
      notes.say(reader.offset, "resume: the answer is complete, and the stream goes on from here")
      try documentAndRequest(&reader, &notes)
      try version(&reader, &notes)
      let position = try position(&reader, &notes)
      return try carried(.tables, position)
    case MessageKind.live:
      notes.say(reader.offset, "live: a published frame of a peer that nobody dials")
      return try carried(.published)
    case MessageKind.acknowledge:
      notes.say(reader.offset, "acknowledge: what the sender holds as durably as it can")
      try document(&reader, &notes)
      try version(&reader, &notes)
    case MessageKind.refuse:
      notes.say(reader.offset, "refuse")
      let code = try reader.varint()
      let name = UInt16(exactly: code).flatMap { Message.Refusal.Code(rawValue: $0) }
      notes.say(reader.offset, "code \(code): \(name.map { "\($0)" } ?? "of a later version")")
      try text("explanation", &reader, &notes)
    case MessageKind.credit:
      notes.say(reader.offset, "credit: how much of an answer the asker has taken")
      try documentAndRequest(&reader, &notes)
      let byteCount = try reader.varint()
      notes.say(reader.offset, "\(byteCount) bytes")
    case MessageKind.lease:
      notes.say(reader.offset, "lease: a request for a replica id")
      try document(&reader, &notes)
      try lease(&reader, &notes)
    case MessageKind.leased:
      notes.say(reader.offset, "leased: the answer to a request for a replica id")
      try document(&reader, &notes)
      try leased(&reader, &notes)
    case MessageKind.members: try members(&reader, &notes)
    case MessageKind.writers: try writers(&reader, &notes)
    case MessageKind.disown: try disown(&reader, &notes)
    case MessageKind.forget:
      let count = try reader.count(atMost: Message.forgottenCountMax, ofSize: 2)
      notes.say(reader.offset, "forget: \(count) documents of the group that are forgotten for good")
      for _ in 0..<count { try document(&reader, &notes) }
    case MessageKind.equivocations:
      let count = try reader.count(atMost: EquivocationReport.countMax, ofSize: 11)
      notes.say(reader.offset, "equivocations: \(count) operations with two contents, whose writers are suspended")
      for _ in 0..<count {
        let dot = try reader.dot()
        notes.say(reader.offset, "operation \(dot)")
        try document(&reader, &notes)
      }
    case MessageKind.evidence:
      notes.say(reader.offset, "evidence: changes of a version whose state differs at the receiver")
      try document(&reader, &notes)
      return try carried(.batch)
    case MessageKind.goodbye: notes.say(reader.offset, "goodbye: the sender leaves")
    case MessageKind.heartbeat:
      let count = try reader.varint()
      notes.say(reader.offset, "heartbeat: message \(count) since the sender's latest hello")
    default:
      notes.say(reader.offset, "kind \(kind), of a later version: it is ignored")
      try reader.skip(reader.remaining)
      notes.say(reader.offset, "its fields")
    }
    return nil
  }

  // MARK: Fields

  private static func hello(_ reader: inout Reader, _ notes: inout FrameNotes) throws(WireError) {
    _ = try reader.fixed32()
    notes.say(reader.offset, "'Star': a Starling peer")
    let lowest = try reader.varint()
    notes.say(reader.offset, "the lowest version of the protocol that it speaks: \(lowest)")
    let highest = try reader.varint()
    notes.say(reader.offset, "the highest: \(highest)")
    let store = StoreID(rawValue: try reader.fixed64())
    notes.say(reader.offset, "store \(store)")
    let epoch = ReplicaID(rawValue: try reader.fixed64())
    notes.say(reader.offset, "this run of it: \(epoch)")
    let flags = try reader.byte()
    let traits = [
      flags & HelloFlag.isDurable != 0 ? "durable" : "in memory", flags & HelloFlag.relays != 0 ? "relays" : nil,
      flags & HelloFlag.grantsLeases != 0 ? "leases replica ids" : nil,
      flags & HelloFlag.wantsReply != 0 ? "wants a hello in return" : nil,
      flags & HelloFlag.isMeshPeer != 0 ? "follows all daemons" : nil,
    ]
    notes.say(reader.offset, "flags \(Words.binary(flags)): \(traits.compactMap { $0 }.joined(separator: ", "))")
    try text("agent", &reader, &notes)
    let count = try reader.count(atMost: reader.limits.endpointCountMax, ofSize: 1)
    notes.say(reader.offset, "\(count) endpoints at which it may be dialled")
    for _ in 0..<count { try text("endpoint", &reader, &notes) }
    guard reader.comes(UInt8(HelloField.notice)) else { return }
    _ = try reader.varint()
    try text("what is wrong with its links:", &reader, &notes)
  }

  static func document(_ reader: inout Reader, _ notes: inout FrameNotes) throws(WireError) {
    let document = try reader.document()
    notes.say(reader.offset, "document '\(document)'")
  }

  private static func documentAndRequest(_ reader: inout Reader, _ notes: inout FrameNotes) throws(WireError) {
    try document(&reader, &notes)
    let request = try reader.varint()
    notes.say(reader.offset, "request \(request), chosen by the asker")
  }

  private static func version(_ reader: inout Reader, _ notes: inout FrameNotes) throws(WireError) {
    let version = try reader.version()
    notes.say(reader.offset, "version: \(Words.of(version))")
  }

  private static func position(_ reader: inout Reader, _ notes: inout FrameNotes) throws(WireError) -> StreamPosition {
    let stream = try reader.fixed32()
    notes.say(reader.offset, "its stream: \(stream)")
    let sequence = try reader.varint()
    notes.say(reader.offset, "which goes on with frame \(sequence)")
    return StreamPosition(stream: stream, sequence: sequence)
  }

  private static func arriving(_ reader: inout Reader, _ notes: inout FrameNotes) throws(WireError) {
    guard reader.comes(UInt8(HaveField.arriving)) else { return }
    _ = try reader.varint()
    let end = try reader.byteCount(atMost: reader.limits.frameByteCountMax) + reader.offset
    let (byteCount, whole) = (try reader.varint(), try reader.varint())
    notes.say(reader.offset, "it is being sent a state, and has \(byteCount) of \(whole) bytes")
    guard reader.offset < end else { return }
    try reader.skip(end - reader.offset)
    notes.say(reader.offset, "more of that, of a later version")
  }

  private static func text(_ name: String, _ reader: inout Reader, _ notes: inout FrameNotes) throws(WireError) {
    let text = try reader.string(byteCount: reader.byteCount(atMost: reader.limits.textByteCountMax))
    notes.say(reader.offset, "\(name) \(Words.quoted(text))")
  }

  private static func laterFields(_ reader: inout Reader, _ notes: inout FrameNotes) throws(WireError) {
    while !reader.isAtEnd {
      let number = try reader.varint()
      try reader.skip(reader.byteCount(atMost: reader.limits.frameByteCountMax))
      notes.say(reader.offset, "field \(number), of a later version")
    }
  }
}
