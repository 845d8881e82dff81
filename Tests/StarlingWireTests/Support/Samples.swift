import StarlingCore
import StarlingWire

/// One of everything, small enough to read.
enum Samples {
  static let ada = ReplicaID(rawValue: 0x0A0A_0A0A_0A0A_0A0A)
  static let bob = ReplicaID(rawValue: 0xB0B0_B0B0_B0B0_B0B0)
  static let document = DocumentID("library")!
  static let version = VersionVector([
    VersionVector.Entry(replica: ada, counter: 7), VersionVector.Entry(replica: bob, counter: 300),
  ])
  static let stamp = Stamp(milliseconds: 1_700_000_000_000)
  static let position = StreamPosition(stream: 0xCAFE_F00D, sequence: 42)

  static let grant = Message.LeaseGrant(replica: bob, number: 7, counter: 300)

  // MARK: Messages

  static let messages: [(String, Message)] = [
    (
      "hello",
      .hello(
        Message.Hello(
          lowestVersion: 1, highestVersion: 3, store: StoreID(rawValue: 0x5705_E000_0000_0001), epoch: 99,
          agent: "starlingd 1.0", endpoints: ["tcp://127.0.0.1:7311", "ipc:///run/starling/a"], isDurable: true,
          relays: false, wantsReply: true))
    ),
    (
      "hello-bare",
      .hello(
        Message.Hello(
          lowestVersion: 1, highestVersion: 1, store: StoreID(rawValue: 1), epoch: 0, agent: "", endpoints: [],
          isDurable: false, relays: true, grantsLeases: true, wantsReply: false))
    ),
    (
      "hello-mesh-peer",
      .hello(
        Message.Hello(
          lowestVersion: 1, highestVersion: 1, store: StoreID(rawValue: 1), epoch: 0, agent: "",
          endpoints: ["tcp://[::1]:7400"], isDurable: true, relays: true, wantsReply: true, isMeshPeer: true))
    ),
    (
      "hello-notice",
      .hello(
        Message.Hello(
          lowestVersion: 1, highestVersion: 1, store: StoreID(rawValue: 1), epoch: 0, agent: "",
          endpoints: ["tcp://[::1]:7400"], isDurable: true, relays: true, wantsReply: false,
          notice: "store 0000000000000002 cannot be dialled at tcp://10.0.0.2:7400"))
    ),
    (
      "hello-generation",
      .hello(
        Message.Hello(
          lowestVersion: 1, highestVersion: 1, store: StoreID(rawValue: 1), epoch: 0, agent: "",
          endpoints: [], isDurable: true, relays: true, wantsReply: false, generation: 300))
    ),
    (
      "hello-known-start",
      .hello(
        Message.Hello(
          lowestVersion: 1, highestVersion: 1, store: StoreID(rawValue: 1), epoch: 0, agent: "",
          endpoints: [], isDurable: true, relays: true, wantsReply: false,
          knownStart: Message.Start(generation: Message.Start.generationMax, epoch: 0x0123_4567_89AB_CDEF)))
    ),
    (
      "hello-shard",
      .hello(
        Message.Hello(
          lowestVersion: 1, highestVersion: 1, store: StoreID(rawValue: 1), epoch: 0, agent: "",
          endpoints: [], isDurable: true, relays: true, wantsReply: false, shard: DocumentShard(200, of: 256)!))
    ),
    (
      "have",
      .have(
        Message.Have(
          document: document, version: version, position: position,
          digest: Digest(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)))
    ),
    ("have-nothing", .have(Message.Have(document: document, version: VersionVector(), position: nil, digest: nil))),
    (
      "have-arriving",
      .have(
        Message.Have(
          document: document, version: version, position: nil, digest: nil,
          arriving: Message.Arrival(byteCount: 300_000, wholeByteCount: 48_000_000)))
    ),
    ("want", .want(Message.Want(document: document, request: 300, version: version))),
    ("want-state", .want(Message.Want(document: document, request: 300, version: version, wantsState: true))),
    (
      "want-begun",
      .want(
        Message.Want(
          document: document, request: 300, version: version,
          begun: Message.BegunState(checksum: 0x0123_4567_89AB_CDEF, byteCount: 1000)))
    ),
    ("want-own", .want(Message.Want(document: document, request: 300, version: version, takesOwnOnly: true))),
    (
      "want-kept",
      .want(
        Message.Want(document: document, request: 300, version: VersionVector(), keptByteCount: 8_388_608))
    ),
    (
      "want-lacking",
      .want(
        Message.Want(
          document: document, request: 300, version: version, lacking: [Dot(ada, 5), Dot(bob, 300)]))
    ),
    ("paths", .paths(Message.Changes(document: document, request: 1, batch: Batch.encode([path])))),
    ("changes", .changes(Message.Changes(document: document, request: 1, batch: Batch.encode([set])))),
    (
      "snapshot",
      .snapshot(
        Message.SnapshotPart(
          document: document, request: 2, checksum: 0x0123_4567_89AB_CDEF, offset: 1000, byteCount: 5000,
          bytes: [1, 2, 3, 4]))
    ),
    (
      "resume",
      .resume(
        Message.Resume(
          document: document, request: 2, version: version, position: position, tables: LiveEncoder().tables()))
    ),
    (
      "live",
      .live(PublishedFrame(topic: 1, stream: 2, sequence: 3, payload: [4, 5]).encoded())
    ),
    ("acknowledge", .acknowledge(document, version)),
    (
      "acknowledge-behind",
      .acknowledge(
        document, version,
        behind: VersionVector([VersionVector.Entry(replica: ReplicaID(rawValue: 0x0A0A_0A0A_0A0A_0A0A), counter: 5)]))
    ),
    (
      "refuse",
      .refuse(Message.Refusal(code: .incompatibleVersion, explanation: "This peer speaks versions 1 to 1."))
    ),
    ("goodbye", .goodbye),
    ("credit", .credit(Message.Credit(document: document, request: 2, byteCount: 5000))),
    ("lease-ask", .lease(Message.Lease(document: document, request: .ask))),
    ("lease-go-on", .lease(Message.Lease(document: document, request: .goOn(grant)))),
    ("lease-give-back", .lease(Message.Lease(document: document, request: .giveBack(grant)))),
    ("leased-granted", .leased(Message.Leased(document: document, answer: .granted(grant)))),
    ("leased-nothing", .leased(Message.Leased(document: document, answer: .nothing))),
    ("leased-over", .leased(Message.Leased(document: document, answer: .over(grant)))),
    ("leased-returned", .leased(Message.Leased(document: document, answer: .returned(grant)))),
    (
      "members",
      .members([
        Message.Member(
          store: StoreID(rawValue: 1), incarnation: 1_700_000_000_000, beat: 7, quietMilliseconds: 1500,
          endpoints: ["tcp://10.0.0.1:7400", "tcp://[fd00::1]:7400"]),
        Message.Member(
          store: StoreID(rawValue: 2), incarnation: 1, beat: 0, tier: .upper, endpoints: ["tcp://10.0.0.2:7400"]),
        Message.Member(
          store: StoreID(rawValue: .max), incarnation: Message.Member.numberMax - 1, beat: Message.Member.numberMax - 1,
          quietMilliseconds: .max, tier: .lower, hasLeft: true),
      ])
    ),
    ("members-none", .members([])),
    (
      "writers",
      .writers([
        WriterBinding(replica: ReplicaID(rawValue: 7), name: "ada", boundAt: 1_800_000_000_000),
        WriterBinding(replica: ReplicaID(rawValue: 300), name: "front-desk_2.b", boundAt: 0),
      ])
    ),
    (
      "equivocations",
      .equivocations([
        EquivocationReport(Dot(ReplicaID(rawValue: 7), 300), in: DocumentID("garden")!),
        EquivocationReport(Dot(ReplicaID(rawValue: 7), 300), in: document),
        EquivocationReport(Dot(ada, 1), in: document),
      ])
    ),
    ("evidence", .evidence(Message.Evidence(document: document, batch: Batch.encode([set])))),
    ("equivocations-none", .equivocations([])),
    ("disown", .disown(document, ReplicaID(rawValue: 0xB0B0_B0B0_B0B0_B0B0))),
    ("forget", .forget([DocumentID("a")!, DocumentID("library")!, DocumentID("é")!])),
    ("forget-none", .forget([])),
    ("heartbeat", .heartbeat(300)),
    ("later-kind", .unknown(kind: 1000)),
  ]

  // MARK: Changes

  /// A single set of a known key, the most common change of all.
  static let set = change(1, [.set(.string("Dune"), replacing: [], clearing: nil)])

  /// Four tombstones of a text, as the path of an anchor.
  static let path = change(
    2, [.insert(.text(Scalars("    ")), side: .right)],
    object: ObjectID.derived(parent: .root, key: "text", kind: .text),
    key: .element(Dot(ada, 1)), stamp: Stamp(rawValue: 0),
    objects: [ObjectDefinition(parent: .root, key: "text", kind: .text)])

  /// One change with an operation under "title" for each action.
  static func change(
    _ first: UInt64, _ actions: [Action], object: ObjectID = .root, key: Key = "title", by replica: ReplicaID = ada,
    stamp: Stamp = stamp, frontier: [Dot] = [], objects: [ObjectDefinition] = [], message: String? = nil
  ) -> Change {
    Change(
      replica: replica, firstCounter: first, stamp: stamp, frontier: frontier, objects: objects,
      operations: actions.map { Operation(object: object, key: key, action: $0) }, message: message)
  }

  static let values: [(String, Value)] = [
    ("null", .null), ("false", .bool(false)), ("true", .bool(true)),
    ("integers", .integer(0)), ("integers", .integer(63)), ("integers", .integer(64)), ("integers", .integer(8255)),
    ("integers", .integer(8256)), ("integers", .integer(-1)), ("integers", .integer(.max)),
    ("integers", .integer(.min)), ("integers", .unsigned(1 << 63)), ("integers", .unsigned(.max)),
    ("doubles", .double(0.1)), ("doubles", .double(-0.0)), ("doubles", .double(.infinity)),
    ("doubles", .double(Double(nan: 7, signaling: false))),
    ("texts", .string("")), ("texts", .string("Grüße 🪶")), ("texts", .string(String(repeating: "x", count: 63))),
    ("texts", .string(String(repeating: "x", count: 64))), ("texts", .string("e\u{301}")),
    ("bytes", .bytes([])), ("bytes", .bytes([0, 255])),
    ("json", .json("{\"a\":1}")), ("dates", .date(700_000_000.25)),
    ("objects", .object(.map)), ("objects", .derived(.text)),
    ("references", .reference(.root)), ("references", .reference(.assigned(by: Dot(bob, 9)))),
    ("references", .reference(books.id)),
    ("later", .unknown(tag: 99, payload: [1, 2, 3])),
  ]

  static let books = ObjectDefinition(parent: .root, key: "books", kind: .dictionary)
  static let dune = ObjectDefinition(parent: books.id, key: "dune", kind: .map)
  static let tags = ObjectDefinition(parent: dune.id, key: "tags", kind: .set)
}

extension Message {
  /// As it was before fields were added to it.
  var withoutAddedFields: Message {
    switch self {
    case .have(var have):
      have.arriving = nil
      return .have(have)
    case .want(var want):
      want.takesOwnOnly = false
      want.lacking = []
      want.keptByteCount = nil
      return .want(want)
    case .acknowledge(let document, let version, _): return .acknowledge(document, version)
    case .hello(var hello):
      hello.notice = nil
      hello.generation = nil
      hello.knownStart = nil
      hello.shard = .whole
      return .hello(hello)
    default: return self
    }
  }
}
