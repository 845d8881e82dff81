import StarlingCore
import StarlingEngine
import StarlingSession
import StarlingWire

/// A peer that the test speaks for, message by message.
final class Stranger {
  let link: MemoryLink
  private let world: World
  private let heard = Box<[LinkEvent]>([])
  private let connection = Box<PeerHandle?>(nil)

  /// Dials `name`, or listens at its own where that is nil.
  convenience init(_ ownName: String, dialling name: String?, as user: String? = nil, in world: World) throws {
    try self.init(ownName, dialling: name, identity: user.map { .key($0) } ?? .sameUser, in: world)
  }

  init(_ ownName: String, dialling name: String?, identity: PeerIdentity, in world: World) throws {
    self.world = world
    link = world.network.makeLink(named: ownName, as: identity)
    try link.start(tick: .milliseconds(50)) { [heard, connection] events in
      for event in events {
        if case .opened(let peer, _, _) = event { connection.change { $0 = peer } }
        heard.change { $0.append(event) }
      }
    }
    if let name {
      _ = try link.connect(to: "memory:\(name)")
      guard world.run(until: { connection.value != nil }) else { throw World.Unfinished() }
    } else {
      _ = try link.bind("memory:\(ownName)")
    }
  }

  /// What was sent to it directly.
  var messages: [Message] {
    heard.value.compactMap { event in
      if case .direct(_, let bytes) = event { try? Message(decoding: bytes) } else { nil }
    }
  }

  func say(_ message: Message) {
    say(bytes: message.encoded())
  }

  func say(bytes: [UInt8]) {
    if let peer = connection.value { _ = link.send(bytes, to: peer) }
    world.run(for: .milliseconds(5))
  }

  /// Names a document, and holds nothing of it.
  func name(_ document: DocumentID) {
    say(.have(Message.Have(document: document, version: VersionVector(), position: nil, digest: nil)))
  }

  func publish(_ bytes: [UInt8]) {
    link.publish(bytes)
    world.run(for: .milliseconds(5))
  }

  /// - Parameter isRelay: whether it says that it passes on what it hears, and keeps it.
  static func hello(
    versions: ClosedRange<UInt16> = 1...1, store: UInt64 = 77, epoch: UInt64 = 1, endpoints: [String] = [],
    isRelay: Bool = false, wantsReply: Bool = true
  ) -> Message {
    .hello(
      Message.Hello(
        lowestVersion: versions.lowerBound, highestVersion: versions.upperBound, store: StoreID(rawValue: store),
        epoch: epoch, agent: "stranger", endpoints: endpoints, isDurable: isRelay, relays: isRelay,
        wantsReply: wantsReply))
  }
}

extension [Message] {
  var hellos: [Message.Hello] { compactMap { if case .hello(let hello) = $0 { hello } else { nil } } }
  var haves: [Message.Have] { compactMap { if case .have(let have) = $0 { have } else { nil } } }
  var wants: [Message.Want] { compactMap { if case .want(let want) = $0 { want } else { nil } } }
  var changes: [Message.Changes] { compactMap { if case .changes(let changes) = $0 { changes } else { nil } } }
  var parts: [Message.SnapshotPart] { compactMap { if case .snapshot(let part) = $0 { part } else { nil } } }
  var resumes: [Message.Resume] { compactMap { if case .resume(let resume) = $0 { resume } else { nil } } }
  var refusals: [Message.Refusal] { compactMap { if case .refuse(let refusal) = $0 { refusal } else { nil } } }
  var live: [[UInt8]] { compactMap { if case .live(let frame) = $0 { frame } else { nil } } }
  var acknowledgements: [VersionVector] {
    compactMap { if case .acknowledge(_, let version, _) = $0 { version } else { nil } }
  }
  var credits: [Message.Credit] { compactMap { if case .credit(let credit) = $0 { credit } else { nil } } }
  /// Bytes of batches and of parts of states.
  var answeredByteCount: Int { changes.reduce(0) { $0 + $1.batch.count } + parts.reduce(0) { $0 + $1.bytes.count } }
  /// The same, as it counts for credit.
  var answeredWeight: Int { answeredByteCount + (changes.count + parts.count) * AnswerFlow.partByteCount }
  var goodbyes: Int { count { if case .goodbye = $0 { true } else { false } } }
}
