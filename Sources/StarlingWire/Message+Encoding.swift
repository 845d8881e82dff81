import StarlingCore

/// How a message begins. A message is its kind, the fields of that kind in order, and then any
/// number of later versions' fields, each a number and counted bytes
/// (Protocol/wire-format.md, "Messages").
enum MessageKind {
  static let hello: UInt64 = 1
  static let have: UInt64 = 2
  static let want: UInt64 = 3
  static let changes: UInt64 = 4
  static let snapshot: UInt64 = 5
  static let resume: UInt64 = 6
  static let live: UInt64 = 7
  static let acknowledge: UInt64 = 8
  static let refuse: UInt64 = 9
  static let goodbye: UInt64 = 10
  static let credit: UInt64 = 11
  static let lease: UInt64 = 12
  static let leased: UInt64 = 13
  static let members: UInt64 = 14
  // 15 is not given again: a datagram had it.
  static let writers: UInt64 = 16
  static let disown: UInt64 = 17
  static let forget: UInt64 = 18
  static let paths: UInt64 = 19
  static let equivocations: UInt64 = 20
  static let evidence: UInt64 = 21
  static let heartbeat: UInt64 = 22

  /// What a hello begins with after its kind: "Star".
  static let magic: UInt32 = 0x7261_7453
}

enum HelloFlag {
  static let isDurable: UInt8 = 1 << 0
  static let relays: UInt8 = 1 << 1
  static let wantsReply: UInt8 = 1 << 2
  static let grantsLeases: UInt8 = 1 << 3
  static let isMeshPeer: UInt8 = 1 << 4
}

enum WantFlag {
  static let state: UInt8 = 1 << 0
  static let begun: UInt8 = 1 << 1
  static let known: UInt8 = state | begun
}

/// The numbers of the fields that a hello got after version 1 was fixed.
enum HelloField {
  static let notice: UInt64 = 1
  static let generation: UInt64 = 2
  static let knownStart: UInt64 = 3
  static let shard: UInt64 = 4
}

/// The numbers of the fields that a have got after version 1 was fixed: older readers step over them.
enum HaveField {
  static let arriving: UInt64 = 1
}

/// The same of a want.
enum WantField {
  static let takesOwnOnly: UInt64 = 1
  static let lacking: UInt64 = 2
  static let keptByteCount: UInt64 = 3
}

/// The same of an acknowledge.
enum AcknowledgeField {
  static let behind: UInt64 = 1
}

enum HaveFlag {
  static let position: UInt8 = 1 << 0
  static let digest: UInt8 = 1 << 1
  static let known: UInt8 = position | digest
}

extension Message {
  /// The message as one frame.
  public func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    switch self {
    case .hello(let hello):
      bytes.append(varint: MessageKind.hello)
      bytes.append(hello)
    case .have(let have):
      bytes.append(varint: MessageKind.have)
      bytes.append(have)
    case .want(let want):
      bytes.append(varint: MessageKind.want)
      bytes.append(want)
    case .changes(let changes):
      bytes.append(varint: MessageKind.changes)
      bytes.append(changes)
    case .snapshot(let part):
      bytes.append(varint: MessageKind.snapshot)
      bytes.append(counted: part.document.name)
      bytes.append(varint: UInt64(part.request))
      bytes.append(fixed64: part.checksum)
      bytes.append(varint: part.offset)
      bytes.append(varint: part.byteCount)
      bytes.append(counted: part.bytes)
    case .resume(let resume):
      bytes.append(varint: MessageKind.resume)
      bytes.append(counted: resume.document.name)
      bytes.append(varint: UInt64(resume.request))
      bytes.append(resume.version)
      bytes.append(resume.position)
      bytes.append(counted: resume.tables)
    case .live(let frame):
      bytes.append(varint: MessageKind.live)
      bytes.append(counted: frame)
    case .acknowledge(let document, let version, let behind):
      bytes.append(varint: MessageKind.acknowledge)
      bytes.append(counted: document.name)
      bytes.append(version)
      if let behind {
        bytes.append(field: AcknowledgeField.behind) { $0.append(behind) }
      }
    case .refuse(let refusal):
      bytes.append(varint: MessageKind.refuse)
      bytes.append(varint: UInt64(refusal.code.rawValue))
      bytes.append(counted: refusal.explanation)
    case .goodbye: bytes.append(varint: MessageKind.goodbye)
    case .credit(let credit):
      bytes.append(varint: MessageKind.credit)
      bytes.append(counted: credit.document.name)
      bytes.append(varint: UInt64(credit.request))
      bytes.append(varint: credit.byteCount)
    case .lease(let lease):
      bytes.append(varint: MessageKind.lease)
      bytes.append(lease)
    case .leased(let leased):
      bytes.append(varint: MessageKind.leased)
      bytes.append(leased)
    case .members(let members):
      bytes.append(varint: MessageKind.members)
      bytes.append(members)
    case .writers(let bindings):
      bytes.append(varint: MessageKind.writers)
      bytes.append(bindings)
    case .disown(let document, let replica):
      bytes.append(varint: MessageKind.disown)
      bytes.append(counted: document.name)
      bytes.append(fixed64: replica.rawValue)
    case .forget(let documents):
      bytes.append(varint: MessageKind.forget)
      bytes.append(varint: documents.count)
      for document in documents { bytes.append(counted: document.name) }
    case .equivocations(let reports):
      bytes.append(varint: MessageKind.equivocations)
      bytes.append(reports)
    case .evidence(let evidence):
      bytes.append(varint: MessageKind.evidence)
      bytes.append(counted: evidence.document.name)
      bytes.append(counted: evidence.batch)
    case .paths(let paths):
      bytes.append(varint: MessageKind.paths)
      bytes.append(paths)
    case .heartbeat(let count):
      bytes.append(varint: MessageKind.heartbeat)
      bytes.append(varint: count)
    case .unknown(let kind): bytes.append(varint: kind)
    }
    return bytes
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ hello: Message.Hello) {
    append(fixed32: MessageKind.magic)
    append(varint: UInt64(hello.lowestVersion))
    append(varint: UInt64(hello.highestVersion))
    append(fixed64: hello.store.rawValue)
    append(fixed64: hello.epoch)
    append(
      (hello.isDurable ? HelloFlag.isDurable : 0) | (hello.relays ? HelloFlag.relays : 0)
        | (hello.wantsReply ? HelloFlag.wantsReply : 0) | (hello.grantsLeases ? HelloFlag.grantsLeases : 0)
        | (hello.isMeshPeer ? HelloFlag.isMeshPeer : 0))
    append(counted: hello.agent)
    append(varint: hello.endpoints.count)
    for endpoint in hello.endpoints { append(counted: endpoint) }
    if let notice = hello.notice {
      append(varint: HelloField.notice)
      append(counted: notice)
    }
    if let generation = hello.generation {
      append(field: HelloField.generation) { $0.append(varint: generation) }
    }
    if let start = hello.knownStart {
      append(field: HelloField.knownStart) {
        $0.append(varint: start.generation)
        $0.append(fixed64: start.epoch)
      }
    }
    if hello.shard.isPart {
      append(field: HelloField.shard) {
        $0.append(varint: hello.shard.number)
        $0.append(varint: hello.shard.count)
      }
    }
  }

  /// A field that a message got after version 1 was fixed: its number and its bytes, counted, for readers to step over.
  fileprivate mutating func append(field number: UInt64, _ write: (inout [UInt8]) -> Void) {
    var field: [UInt8] = []
    write(&field)
    append(varint: number)
    append(counted: field)
  }

  fileprivate mutating func append(_ have: Message.Have) {
    append(counted: have.document.name)
    append(have.version)
    append((have.position == nil ? 0 : HaveFlag.position) | (have.digest == nil ? 0 : HaveFlag.digest))
    if let position = have.position { append(position) }
    if let digest = have.digest {
      append(fixed64: digest.high)
      append(fixed64: digest.low)
    }
    if let arriving = have.arriving {
      append(field: HaveField.arriving) {
        $0.append(varint: arriving.byteCount)
        $0.append(varint: arriving.wholeByteCount)
      }
    }
  }

  fileprivate mutating func append(_ changes: Message.Changes) {
    append(counted: changes.document.name)
    append(varint: UInt64(changes.request))
    append(counted: changes.batch)
  }

  fileprivate mutating func append(_ want: Message.Want) {
    append(counted: want.document.name)
    append(varint: UInt64(want.request))
    append(want.version)
    append((want.wantsState ? WantFlag.state : 0) | (want.begun == nil ? 0 : WantFlag.begun))
    if let begun = want.begun {
      append(fixed64: begun.checksum)
      append(varint: begun.byteCount)
    }
    if want.takesOwnOnly {
      append(varint: WantField.takesOwnOnly)
      append(varint: 0)
    }
    if !want.lacking.isEmpty {
      append(field: WantField.lacking) {
        $0.append(varint: want.lacking.count)
        for dot in want.lacking { $0.append(dot) }
      }
    }
    if let keptByteCount = want.keptByteCount {
      append(field: WantField.keptByteCount) { $0.append(varint: keptByteCount) }
    }
  }

  fileprivate mutating func append(_ position: StreamPosition) {
    append(fixed32: position.stream)
    append(varint: position.sequence)
  }
}
