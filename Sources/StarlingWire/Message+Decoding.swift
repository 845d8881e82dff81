import StarlingCore

extension Message {
  /// Whether a frame, which need not be valid, is of a kind that says what its sender holds.
  package static func claimsVersion(_ frame: [UInt8]) -> Bool {
    let kinds = [MessageKind.have, MessageKind.want, MessageKind.resume, MessageKind.acknowledge]
    return frame.first.map { kinds.contains(UInt64($0)) } ?? false
  }

  /// Whether a frame, which need not be valid, is of the kind that says what its sender holds durably.
  package static func isAcknowledgement(_ frame: [UInt8]) -> Bool {
    frame.first.map { MessageKind.acknowledge == UInt64($0) } ?? false
  }

  /// Reads one frame. A kind of a later version gives `unknown`; fields of a later version are
  /// stepped over.
  public init(decoding bytes: [UInt8], limits: WireLimits = .standard) throws(WireError) {
    self = try Reader.read(bytes[...], atMost: limits.frameByteCountMax, limits: limits) {
      reader throws(WireError) -> Message in
      let kind = try reader.varint()
      guard var message = try reader.message(of: kind) else {
        try reader.skip(reader.remaining)
        return .unknown(kind: kind)
      }
      var last: UInt64 = 0
      while let field = try reader.laterField(after: last) {
        try reader.read(field, into: &message)
        last = field.number
      }
      return message
    }
  }
}

extension Reader {
  /// The known fields of a message; nil for a kind of a later version.
  fileprivate mutating func message(of kind: UInt64) throws(WireError) -> Message? {
    switch kind {
    case 0: throw error(.malformed, "No message is of kind 0", at: 0)
    case MessageKind.hello: return .hello(try hello())
    case MessageKind.have: return .have(try have())
    case MessageKind.want: return .want(try want())
    case MessageKind.changes: return .changes(try changes())
    case MessageKind.equivocations: return .equivocations(try equivocations())
    case MessageKind.evidence: return .evidence(Message.Evidence(document: try document(), batch: try blob()))
    case MessageKind.paths: return .paths(try changes())
    case MessageKind.snapshot: return .snapshot(try snapshotPart())
    case MessageKind.resume:
      return .resume(
        Message.Resume(
          document: try document(), request: try request(), version: try version(), position: try position(),
          tables: try blob()))
    case MessageKind.live: return .live(try blob())
    case MessageKind.acknowledge: return .acknowledge(try document(), try version(), behind: nil)
    case MessageKind.refuse: return .refuse(try refusal())
    case MessageKind.goodbye: return .goodbye
    case MessageKind.credit:
      return .credit(Message.Credit(document: try document(), request: try request(), byteCount: try varint()))
    case MessageKind.lease: return .lease(try lease())
    case MessageKind.leased: return .leased(try leased())
    case MessageKind.members: return .members(try members())
    case MessageKind.writers: return .writers(try writers())
    case MessageKind.disown: return .disown(try document(), ReplicaID(rawValue: try fixed64()))
    case MessageKind.forget: return .forget(try forgotten())
    case MessageKind.heartbeat: return .heartbeat(try varint())
    default: return nil
    }
  }

  private mutating func changes() throws(WireError) -> Message.Changes {
    Message.Changes(document: try document(), request: try request(), batch: try blob())
  }

  private mutating func forgotten() throws(WireError) -> [DocumentID] {
    // The shortest name has one byte, and its length another.
    let count = try count(atMost: Message.forgottenCountMax, ofSize: 2)
    var documents: [DocumentID] = []
    documents.reserveCapacity(count)
    for _ in 0..<count {
      let start = offset
      let document = try document()
      if let last = documents.last, !last.name.utf8.lexicographicallyPrecedes(document.name.utf8) {
        throw error(.outOfOrder, "'\(document)' follows '\(last)'", at: start)
      }
      documents.append(document)
    }
    return documents
  }

  /// The head of a field that was added after version 1 was fixed: a number, ascending from 1, and counted bytes.
  fileprivate struct LaterField {
    var number: UInt64
    /// Where its bytes end.
    var end: Int
  }

  fileprivate mutating func laterField(after last: UInt64) throws(WireError) -> LaterField? {
    guard !isAtEnd else { return nil }
    let start = offset
    let number = try varint()
    guard number > last else {
      throw error(.outOfOrder, "Field \(number) follows field \(last)", at: start)
    }
    let byteCount = try byteCount(atMost: limits.frameByteCountMax)
    return LaterField(number: number, end: offset + byteCount)
  }

  /// Takes what is known of a field; what follows in it was added later still.
  fileprivate mutating func read(_ field: LaterField, into message: inout Message) throws(WireError) {
    let start = offset
    if case .have(var have) = message, field.number == HaveField.arriving {
      have.arriving = Message.Arrival(byteCount: try varint(), wholeByteCount: try varint())
      message = .have(have)
    }
    if case .want(var want) = message, field.number == WantField.takesOwnOnly {
      want.takesOwnOnly = true
      message = .want(want)
    }
    if case .want(var want) = message, field.number == WantField.lacking {
      let count = try count(atMost: Message.Want.lackingCountMax, ofSize: 9)
      for _ in 0..<count { want.lacking.append(try dot()) }
      message = .want(want)
    }
    if case .want(var want) = message, field.number == WantField.keptByteCount {
      want.keptByteCount = try varint()
      message = .want(want)
    }
    if case .acknowledge(let document, let version, _) = message, field.number == AcknowledgeField.behind {
      message = .acknowledge(document, version, behind: try self.version())
    }
    if case .hello(var hello) = message, field.number == HelloField.notice {
      guard field.end - start <= limits.textByteCountMax else {
        throw error(.tooLarge, "A notice of \(field.end - start) bytes", at: start)
      }
      hello.notice = try string(byteCount: field.end - start)
      message = .hello(hello)
    }
    if case .hello(var hello) = message, field.number == HelloField.generation {
      hello.generation = try generation()
      message = .hello(hello)
    }
    if case .hello(var hello) = message, field.number == HelloField.knownStart {
      hello.knownStart = Message.Start(generation: try generation(), epoch: try fixed64())
      message = .hello(hello)
    }
    if case .hello(var hello) = message, field.number == HelloField.shard {
      hello.shard = try shard()
      message = .hello(hello)
    }
    guard offset <= field.end else {
      throw error(.malformed, "Field \(field.number) ends within a number", at: start)
    }
    try skip(field.end - offset)
  }

  private mutating func generation() throws(WireError) -> UInt64 {
    let start = offset
    let generation = try varint()
    guard generation >= 1, generation <= Message.Start.generationMax else {
      throw error(.malformed, "A generation is \(generation), outside 1...2^48 - 1", at: start)
    }
    return generation
  }

  private mutating func shard() throws(WireError) -> DocumentShard {
    let start = offset
    let (number, count) = (try varint(), try varint())
    guard let shard = DocumentShard(Int(clamping: number), of: Int(clamping: count)) else {
      throw error(.malformed, "A hello serves shard \(number) of \(count)", at: start)
    }
    return shard
  }

  private mutating func hello() throws(WireError) -> Message.Hello {
    let start = offset
    guard try fixed32() == MessageKind.magic else {
      throw error(.malformed, "A hello does not say 'Star'; its sender is no peer of this kind", at: start)
    }
    let versionsPlace = offset
    let lowest = try number16()
    let highest = try number16()
    guard lowest <= highest else {
      throw error(.malformed, "A hello offers versions \(lowest) to \(highest)", at: versionsPlace)
    }
    let store = StoreID(rawValue: try fixed64())
    let epoch = try fixed64()
    // Flags of a later version mean nothing here.
    let flags = try byte()
    let agent = try text()
    let endpointCount = try count(atMost: limits.endpointCountMax, ofSize: 1)
    var endpoints: [String] = []
    for _ in 0..<endpointCount { endpoints.append(try text()) }
    return Message.Hello(
      lowestVersion: lowest, highestVersion: highest, store: store, epoch: epoch, agent: agent,
      endpoints: endpoints, isDurable: flags & HelloFlag.isDurable != 0, relays: flags & HelloFlag.relays != 0,
      grantsLeases: flags & HelloFlag.grantsLeases != 0, wantsReply: flags & HelloFlag.wantsReply != 0,
      isMeshPeer: flags & HelloFlag.isMeshPeer != 0)
  }

  private mutating func have() throws(WireError) -> Message.Have {
    let document = try document()
    let version = try version()
    let start = offset
    let flags = try byte()
    guard flags & ~HaveFlag.known == 0 else {
      throw error(.malformed, "A have has unknown flags: \(flags)", at: start)
    }
    let position = flags & HaveFlag.position == 0 ? nil : try position()
    let digest = flags & HaveFlag.digest == 0 ? nil : Digest(high: try fixed64(), low: try fixed64())
    return Message.Have(document: document, version: version, position: position, digest: digest)
  }

  private mutating func want() throws(WireError) -> Message.Want {
    let document = try document()
    let request = try request()
    let version = try version()
    let start = offset
    let flags = try byte()
    guard flags & ~WantFlag.known == 0 else {
      throw error(.malformed, "A want has unknown flags: \(flags)", at: start)
    }
    let begun =
      flags & WantFlag.begun == 0 ? nil : Message.BegunState(checksum: try fixed64(), byteCount: try varint())
    return Message.Want(
      document: document, request: request, version: version, wantsState: flags & WantFlag.state != 0, begun: begun)
  }

  private mutating func snapshotPart() throws(WireError) -> Message.SnapshotPart {
    let document = try document()
    let request = try request()
    let checksum = try fixed64()
    let start = offset
    let partOffset = try varint()
    let sizePlace = offset
    let byteCount = try varint()
    guard byteCount <= UInt64(limits.snapshotByteCountMax) else {
      throw error(
        .tooLarge, "A snapshot of \(byteCount) bytes where \(limits.snapshotByteCountMax) are allowed", at: sizePlace)
    }
    let bytes = try blob()
    guard partOffset <= byteCount, UInt64(bytes.count) <= byteCount - partOffset else {
      throw error(.malformed, "A part of a snapshot passes its end", at: start)
    }
    return Message.SnapshotPart(
      document: document, request: request, checksum: checksum, offset: partOffset, byteCount: byteCount, bytes: bytes)
  }

  private mutating func refusal() throws(WireError) -> Message.Refusal {
    let code = Message.Refusal.Code(rawValue: try number16()) ?? .unknown
    return Message.Refusal(code: code, explanation: try text())
  }

  // MARK: Parts of messages

  mutating func document() throws(WireError) -> DocumentID {
    let start = offset
    let count = try byteCount(atMost: limits.frameByteCountMax)
    guard (1...200).contains(count), let document = DocumentID(try string(byteCount: count)) else {
      throw error(.malformed, "The name of a document has \(count) bytes, not 1 to 200", at: start)
    }
    return document
  }

  private mutating func request() throws(WireError) -> UInt32 {
    let start = offset
    guard let request = UInt32(exactly: try varint()) else {
      throw error(.malformed, "A request's number has more than 32 bits", at: start)
    }
    return request
  }

  private mutating func number16() throws(WireError) -> UInt16 {
    let start = offset
    guard let number = UInt16(exactly: try varint()) else {
      throw error(.malformed, "A number has more than 16 bits", at: start)
    }
    return number
  }

  private mutating func position() throws(WireError) -> StreamPosition {
    StreamPosition(stream: try fixed32(), sequence: try varint())
  }

  private mutating func text() throws(WireError) -> String {
    try string(byteCount: byteCount(atMost: limits.textByteCountMax))
  }

  private mutating func blob() throws(WireError) -> [UInt8] {
    try bytes(count: byteCount(atMost: limits.frameByteCountMax))
  }
}
