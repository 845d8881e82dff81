import StarlingCore
import StarlingSession
import StarlingWire

/// What a hostile peer says: a message that it heard, whole, altered or cut short, or one of its own of any kind, about
/// replicas and versions that it heard of or made up.
struct Lies {
  let documents: [DocumentID]
  /// The latest that it heard, oldest first.
  private var heard: [[UInt8]] = []
  private var replicas: [ReplicaID] = [ReplicaID(rawValue: 0xBAD)]
  private var requests: [UInt32] = [1]

  private static let heardCountMax = 64
  private static let store = StoreID(rawValue: 0xBAD)

  init(about documents: [DocumentID]) {
    self.documents = documents
  }

  static func hello(relays: Bool) -> Message {
    .hello(
      Message.Hello(
        lowestVersion: 1, highestVersion: 1, store: store, epoch: 1, agent: HostilePeer.name, endpoints: [],
        isDurable: true, relays: relays, wantsReply: true))
  }

  mutating func hear(_ bytes: [UInt8]) {
    heard.append(bytes)
    if heard.count > Self.heardCountMax { heard.removeFirst() }
    switch try? Message(decoding: bytes) {
    case .have(let have)?: replicas.append(contentsOf: have.version.entries.map(\.replica))
    case .want(let want)?:
      requests.append(want.request)
      replicas.append(contentsOf: want.version.entries.map(\.replica))
    default: break
    }
    replicas = Array(replicas.suffix(Self.heardCountMax))
    requests = Array(requests.suffix(Self.heardCountMax))
  }

  // MARK: Drawing

  func draw(using generator: inout SeededGenerator) -> [UInt8] {
    guard generator.chance(0.5), let bytes = heard.randomElement(using: &generator) else {
      return message(using: &generator).encoded()
    }
    return Self.altered(bytes, using: &generator)
  }

  /// The same, cut short, or with some bytes replaced.
  static func altered(_ bytes: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: break
    case 1: bytes.removeLast(Int.random(in: 0...bytes.count, using: &generator))
    default:
      guard !bytes.isEmpty else { break }
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
    }
    return bytes
  }

  /// One that says nothing of what documents contain: of whoever may relay everything would be believed.
  func drawWithoutContent(using generator: inout SeededGenerator) -> [UInt8] {
    for _ in 0..<8 {
      let bytes: [UInt8]
      if generator.chance(0.4), let old = heard.randomElement(using: &generator) {
        // Changed bytes of a change are another content of its operations; the same ones again are not.
        bytes = Self.isContent(old) ? old : Self.altered(old, using: &generator)
      } else {
        bytes = message(using: &generator).encoded()
        if Self.isContent(bytes) { continue }
      }
      return bytes
    }
    return Message.goodbye.encoded()
  }

  /// The same, where it says how far the sender is, with a version that is ahead of the truth or behind it.
  func withAnotherVersion(_ bytes: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
    func falsified(_ version: VersionVector) -> VersionVector {
      guard generator.chance(0.6), let replica = replicas.randomElement(using: &generator) else {
        return VersionVector()
      }
      var version = version
      version[replica] += [1, 7, 1 << 30].randomElement(using: &generator)!
      return version
    }
    switch try? Message(decoding: bytes) {
    case .have(var have)?:
      have.version = falsified(have.version)
      return Message.have(have).encoded()
    case .acknowledge(let document, let version, let behind)?:
      return Message.acknowledge(document, falsified(version), behind: behind.map(falsified)).encoded()
    case .resume(var resume)?:
      resume.version = falsified(resume.version)
      return Message.resume(resume).encoded()
    case .want(var want)?:
      want.version = falsified(want.version)
      return Message.want(want).encoded()
    default: return bytes
    }
  }

  /// Whether it has changes or states, has a document forgotten, says how frames are to be read, or who writes under
  /// which replica id.
  static func isContent(_ bytes: [UInt8]) -> Bool {
    switch try? Message(decoding: bytes) {
    case .changes, .snapshot, .live, .paths, .evidence, .forget, .resume, .writers, .equivocations: true
    case .hello, .have, .want, .credit, .acknowledge, .lease, .leased, .refuse, .goodbye, .members, .disown,
      .heartbeat, .unknown, nil:
      false
    }
  }

  /// One of its own, of every kind.
  private func message(using generator: inout SeededGenerator) -> Message {
    let document = documents.randomElement(using: &generator)!
    let replica = replicas.randomElement(using: &generator)!
    let request = requests.randomElement(using: &generator)!
    let counter = [0, 1, 3, 40, 1 << 40].randomElement(using: &generator)! as UInt64
    let version = VersionVector(counter == 0 ? [] : [VersionVector.Entry(replica: replica, counter: counter)])
    let dot = Dot(replica, max(1, counter))
    let noise = (0..<Int.random(in: 0...40, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator)
    }
    let position = StreamPosition(stream: UInt32.random(in: 0...3, using: &generator), sequence: counter)
    switch Int.random(in: 0..<21, using: &generator) {
    case 0: return Self.hello(relays: false)
    case 1: return .have(Message.Have(document: document, version: version, position: position, digest: nil))
    case 2:
      return .want(
        Message.Want(
          document: document, request: request, version: version, wantsState: generator.chance(0.5), lacking: [dot]))
    case 3: return .changes(Message.Changes(document: document, request: request, batch: noise))
    case 4:
      return .snapshot(
        Message.SnapshotPart(
          document: document, request: request, checksum: counter, offset: 0, byteCount: UInt64(noise.count),
          bytes: noise))
    case 5:
      return .resume(
        Message.Resume(document: document, request: request, version: version, position: position, tables: noise))
    case 6: return .live(noise)
    case 7: return .credit(Message.Credit(document: document, request: request, byteCount: counter))
    case 8: return .acknowledge(document, version, behind: generator.chance(0.5) ? version : nil)
    case 9: return .lease(Message.Lease(document: document, request: .ask))
    case 10: return .refuse(Message.Refusal(code: .malformed, explanation: "no"))
    case 11: return .goodbye
    case 12:
      let endpoints = generator.chance(0.5) ? ["memory:nobody"] : []
      return .members([
        Message.Member(store: Self.store, incarnation: max(1, counter), beat: counter, endpoints: endpoints)
      ])
    case 13: return .writers([WriterBinding(replica: replica, name: HostilePeer.name, boundAt: 0)])
    case 14: return .disown(document, replica)
    case 15: return .forget([document])
    case 16: return .equivocations([EquivocationReport(dot, in: document)])
    case 17: return .paths(Message.Changes(document: document, request: request, batch: noise))
    case 18:
      return .leased(
        Message.Leased(
          document: document, answer: .granted(Message.LeaseGrant(replica: replica, number: 1, counter: counter))))
    case 19: return .evidence(Message.Evidence(document: document, batch: noise))
    default: return .heartbeat(counter)
    }
  }
}
