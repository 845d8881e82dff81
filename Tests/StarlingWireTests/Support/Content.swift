import StarlingCore
import StarlingWire

// What was decoded, in the words of Protocol/vectors/README.md: integers of 64 bits as decimal
// texts, ids and bytes as hexadecimal digits, a dot as "replica:counter".

extension JSON {
  static func integer(_ value: some FixedWidthInteger) -> JSON { .text(String(value)) }
  static func bytes(_ value: some Sequence<UInt8>) -> JSON { .text(Array(value).hex) }
  static func bits(_ value: UInt64) -> JSON { .text(ReplicaID(rawValue: value).description) }

  static func dots(_ dots: some Sequence<Dot>) -> JSON { .array(dots.map { .text($0.description) }) }

  static func version(_ version: VersionVector) -> JSON {
    dots(version.entries.map { Dot($0.replica, $0.counter) })
  }

  static func id(_ object: ObjectID) -> JSON {
    .text(ReplicaID(rawValue: object.high).description + ReplicaID(rawValue: object.low).description)
  }

  static func kind(_ kind: Kind) -> JSON { .text("\(kind)") }

  static func key(_ key: Key) -> JSON {
    switch key {
    case .name(let name): ["name": .text(name)]
    case .integer(let integer): ["integer": .integer(integer)]
    case .bytes(let bytes): ["bytes": .bytes(bytes)]
    case .element(let dot): ["element": .text(dot.description)]
    }
  }

  static func value(_ value: Value) -> JSON {
    switch value {
    case .null: ["null": .null]
    case .bool(let value): ["bool": .bool(value)]
    case .integer(let value): ["integer": .integer(value)]
    case .unsigned(let value): ["integer": .integer(value)]
    case .double(let value): ["double": .bits(value.bitPattern)]
    case .string(let value): ["text": .text(value)]
    case .bytes(let value): ["bytes": .bytes(value)]
    case .json(let value): ["json": .text(value)]
    case .date(let value): ["date": .bits(value.bitPattern)]
    case .object(let value): ["object": .kind(value)]
    case .derived(let value): ["derived": .kind(value)]
    case .reference(let value): ["reference": .id(value)]
    case .unknown(let tag, let payload): ["unknown": ["tag": .integer(tag), "payload": .bytes(payload)]]
    }
  }

  // MARK: Changes

  static func change(_ change: Change) -> JSON {
    [
      "replica": .text(change.replica.description),
      "firstCounter": .integer(change.firstCounter),
      "stamp": .integer(change.stamp.rawValue),
      "frontier": .dots(change.frontier),
      "objects": .array(change.objects.map { .definition($0) }),
      "operations": .array(change.operations.map { .operation($0) }),
      "message": change.message.map { .text($0) } ?? .null,
    ]
  }

  static func changes(_ changes: [Change]) -> JSON { .array(changes.map { .change($0) }) }

  static func definition(_ definition: ObjectDefinition) -> JSON {
    [
      "id": .id(definition.id), "parent": .id(definition.parent), "key": .key(definition.key),
      "kind": .kind(definition.kind),
    ]
  }

  private static func operation(_ operation: Operation) -> JSON {
    var members: [String: JSON] = ["object": .id(operation.object), "key": .key(operation.key)]
    switch operation.action {
    case .set(let value, let replacing, let clearing):
      members["set"] = .value(value)
      members["replacing"] = .dots(replacing)
      members["clearing"] = clearing.map { .version($0) } ?? .null
    case .remove(let replacing, let clearing):
      members["remove"] = .bool(true)
      members["replacing"] = .dots(replacing)
      members["clearing"] = clearing.map { .version($0) } ?? .null
    case .increment(let amount, let birth):
      members["increment"] = .integer(amount)
      members["birth"] = .integer(birth)
    case .insert(let content, let side):
      switch content {
      case .text(let scalars): members["insertText"] = .text(scalars.text)
      case .values(let values): members["insertValues"] = .array(values.map { .value($0) })
      }
      members["side"] = .text("\(side)")
    case .removeRun(let count):
      members["removeRun"] = .integer(count)
    case .move(let edge, let replacing):
      members["move"] = .edge(edge)
      members["replacing"] = .dots(replacing)
    case .mark(let mark):
      members["mark"] = .value(mark.value)
      members["start"] = .edge(mark.start)
      members["end"] = .edge(mark.end)
      members["rank"] = .integer(mark.rank)
      members["replacing"] = .dots(mark.replacing)
    }
    return .object(members)
  }

  private static func edge(_ edge: Edge) -> JSON {
    ["item": .text(edge.item.description), "side": .text("\(edge.side)")]
  }

  // MARK: Snapshots

  static func snapshot(_ snapshot: Snapshot) -> JSON {
    [
      "version": .version(snapshot.version),
      "frontier": .dots(snapshot.frontier),
      "latestStamp": .integer(snapshot.latestStamp.rawValue),
      "objects": .array(
        snapshot.objects.map { object in
          var members: [String: JSON] = [
            "id": .id(object.id), "origin": .origin(object.origin),
            "slots": .array(object.slots.map { .slot($0) }),
          ]
          members["sequence"] = object.sequence.map { .sequence($0) }
          return .object(members)
        }),
    ]
  }

  private static func sequence(_ sequence: Snapshot.Sequence) -> JSON {
    var runs: [JSON] = []
    sequence.forEachRun { runs.append(.run($0, $1)) }
    return [
      "runs": .array(runs),
      "marks": .array(
        sequence.marks.map { mark in
          [
            "dot": .text(mark.dot.description), "name": .key(mark.name), "start": .edge(mark.start),
            "end": .edge(mark.end), "rank": .integer(mark.rank), "value": .value(mark.value),
          ]
        }),
    ]
  }

  private static func run(_ run: Snapshot.Run, _ text: ArraySlice<UInt8>) -> JSON {
    var members: [String: JSON] = ["first": .text(run.first.description), "anchor": .edge(run.anchor)]
    switch run.content {
    case .text: members["text"] = .text(String(decoding: text, as: UTF8.self))
    case .removed(let count): members["removed"] = .integer(count)
    case .elements(let count): members["elements"] = .integer(count)
    case .moved(let element, let stamp):
      members["moved"] = .text(element.description)
      members["stamp"] = .integer(stamp.rawValue)
    }
    return .object(members)
  }

  private static func origin(_ origin: Snapshot.Origin) -> JSON {
    switch origin {
    case .root: "root"
    case .assigned(let kind): ["assigned": .kind(kind)]
    case .orphan(let kind): ["orphan": .kind(kind)]
    case .derived(let definition):
      ["parent": .id(definition.parent), "key": .key(definition.key), "kind": .kind(definition.kind)]
    }
  }

  private static func slot(_ slot: Snapshot.Slot) -> JSON {
    [
      "key": .key(slot.key),
      "entries": .array(
        slot.entries.map { entry in
          [
            "dot": .text(entry.dot.description), "stamp": .integer(entry.stamp.rawValue),
            "value": .value(entry.value),
          ]
        }),
      "shares": .array(
        slot.shares.map { share in
          [
            "replica": .text(share.replica.description), "birth": .integer(share.birth),
            "last": .integer(share.last), "total": .integer(share.total), "stamp": .integer(share.stamp.rawValue),
          ]
        }),
    ]
  }

  // MARK: Frames

  static func published(_ frame: PublishedFrame) -> JSON {
    [
      "topic": .integer(frame.topic), "stream": .integer(frame.stream), "sequence": .integer(frame.sequence),
      "payload": .bytes(frame.payload),
    ]
  }

  static func presence(_ payload: PresencePayload) -> JSON {
    [
      "document": .text(payload.document.name),
      "notices": .array(
        payload.notices.map { notice in
          [
            "origin": .bits(notice.origin), "number": .integer(notice.number),
            "lifetime": .integer(notice.lifetimeMilliseconds), "key": .text(notice.key),
            "value": notice.value.map { .value($0) } ?? .null,
          ]
        }),
    ]
  }

  private static func have(_ have: Message.Have) -> [String: JSON] {
    var content: [String: JSON] = [
      "message": "have", "document": .text(have.document.name), "version": .version(have.version),
      "position": have.position.map { .position($0) } ?? .null,
      "digest": have.digest.map { .text($0.description) } ?? .null,
    ]
    // A field that only some have.
    content["arriving"] = have.arriving.map {
      ["byteCount": .integer($0.byteCount), "wholeByteCount": .integer($0.wholeByteCount)]
    }
    return content
  }

  private static func acknowledge(_ document: DocumentID, _ version: VersionVector, _ behind: VersionVector?)
    -> [String: JSON]
  {
    var content: [String: JSON] = [
      "message": "acknowledge", "document": .text(document.name), "version": .version(version),
    ]
    // A field that only some have.
    content["behind"] = behind.map { .version($0) }
    return content
  }

  private static func want(_ want: Message.Want) -> [String: JSON] {
    var content: [String: JSON] = [
      "message": "want", "document": .text(want.document.name), "request": .number(Int(want.request)),
      "version": .version(want.version), "wantsState": .bool(want.wantsState),
      "begun": want.begun.map {
        ["checksum": .bits($0.checksum), "byteCount": .integer($0.byteCount)]
      } ?? .null,
    ]
    // A field that only some have.
    if want.takesOwnOnly { content["takesOwnOnly"] = .bool(true) }
    if let kept = want.keptByteCount { content["keptByteCount"] = .integer(kept) }
    if !want.lacking.isEmpty { content["lacking"] = .array(want.lacking.map { .text($0.description) }) }
    return content
  }

  private static func hello(_ hello: Message.Hello) -> [String: JSON] {
    var content: [String: JSON] = [
      "message": "hello", "lowestVersion": .number(Int(hello.lowestVersion)),
      "highestVersion": .number(Int(hello.highestVersion)), "store": .text(hello.store.description),
      "epoch": .bits(hello.epoch), "agent": .text(hello.agent),
      "endpoints": .array(hello.endpoints.map { .text($0) }), "isDurable": .bool(hello.isDurable),
      "relays": .bool(hello.relays), "grantsLeases": .bool(hello.grantsLeases), "wantsReply": .bool(hello.wantsReply),
      "isMeshPeer": .bool(hello.isMeshPeer),
    ]
    // A field that only some hellos have.
    content["notice"] = hello.notice.map { .text($0) }
    content["generation"] = hello.generation.map { .integer($0) }
    content["knownStart"] = hello.knownStart.map {
      ["generation": .integer($0.generation), "epoch": .bits($0.epoch)]
    }
    if hello.shard.isPart { content["shard"] = .text(hello.shard.description) }
    return content
  }

  static func message(_ message: Message) -> JSON {
    switch message {
    case .hello(let hello): .object(Self.hello(hello))
    case .have(let have): .object(Self.have(have))
    case .want(let want): .object(Self.want(want))
    case .changes(let changes):
      [
        "message": "changes", "document": .text(changes.document.name), "request": .number(Int(changes.request)),
        "batch": .bytes(changes.batch),
      ]
    case .paths(let paths):
      [
        "message": "paths", "document": .text(paths.document.name), "request": .number(Int(paths.request)),
        "batch": .bytes(paths.batch),
      ]
    case .snapshot(let part):
      [
        "message": "snapshot", "document": .text(part.document.name), "request": .number(Int(part.request)),
        "checksum": .bits(part.checksum), "offset": .integer(part.offset), "byteCount": .integer(part.byteCount),
        "bytes": .bytes(part.bytes),
      ]
    case .resume(let resume):
      [
        "message": "resume", "document": .text(resume.document.name), "request": .number(Int(resume.request)),
        "version": .version(resume.version), "position": .position(resume.position),
        "tables": .bytes(resume.tables),
      ]
    case .live(let frame): ["message": "live", "frame": .bytes(frame)]
    case .acknowledge(let document, let version, let behind): .object(Self.acknowledge(document, version, behind))
    case .refuse(let refusal):
      [
        "message": "refuse", "code": .number(Int(refusal.code.rawValue)), "explanation": .text(refusal.explanation),
      ]
    case .goodbye: ["message": "goodbye"]
    case .credit(let credit):
      [
        "message": "credit", "document": .text(credit.document.name), "request": .number(Int(credit.request)),
        "byteCount": .integer(credit.byteCount),
      ]
    case .lease(let lease):
      switch lease.request {
      case .ask: ["message": "lease", "document": .text(lease.document.name), "asks": "one", "grant": .null]
      case .goOn(let grant):
        ["message": "lease", "document": .text(lease.document.name), "asks": "goOn", "grant": .grant(grant)]
      case .giveBack(let grant):
        ["message": "lease", "document": .text(lease.document.name), "asks": "giveBack", "grant": .grant(grant)]
      }
    case .leased(let leased):
      switch leased.answer {
      case .granted(let grant):
        ["message": "leased", "document": .text(leased.document.name), "answer": "granted", "grant": .grant(grant)]
      case .nothing:
        ["message": "leased", "document": .text(leased.document.name), "answer": "nothing", "grant": .null]
      case .over(let grant):
        ["message": "leased", "document": .text(leased.document.name), "answer": "over", "grant": .grant(grant)]
      case .returned(let grant):
        ["message": "leased", "document": .text(leased.document.name), "answer": "returned", "grant": .grant(grant)]
      }
    case .evidence(let evidence):
      ["message": "evidence", "document": .text(evidence.document.name), "batch": .bytes(evidence.batch)]
    case .equivocations(let reports):
      [
        "message": "equivocations",
        "equivocations": .array(
          reports.map { ["dot": .text($0.dot.description), "document": .text($0.document.name)] }),
      ]
    case .forget(let documents):
      ["message": "forget", "documents": .array(documents.map { .text($0.name) })]
    case .members(let members):
      [
        "message": "members",
        "members": .array(
          members.map {
            [
              "store": .text($0.store.description), "incarnation": .integer($0.incarnation),
              "beat": .integer($0.beat), "quiet": .number(Int($0.quietMilliseconds)),
              "tier": .text("\($0.tier)"), "hasLeft": .bool($0.hasLeft),
              "endpoints": .array($0.endpoints.map { .text($0) }),
            ]
          }),
      ]
    case .writers(let bindings):
      [
        "message": "writers",
        "writers": .array(
          bindings.map {
            ["replica": .text($0.replica.description), "name": .text($0.name), "boundAt": .integer($0.boundAt)]
          }),
      ]
    case .heartbeat(let count): ["message": "heartbeat", "count": .text(String(count))]
    case .disown(let document, let replica):
      ["message": "disown", "document": .text(document.name), "replica": .text(replica.description)]
    case .unknown(let kind): ["message": "unknown", "kind": .integer(kind)]
    }
  }

  private static func grant(_ grant: Message.LeaseGrant) -> JSON {
    [
      "replica": .text(grant.replica.description), "number": .integer(grant.number), "counter": .integer(grant.counter),
    ]
  }

  private static func position(_ position: StreamPosition) -> JSON {
    ["stream": .integer(position.stream), "sequence": .integer(position.sequence)]
  }
}
