import StarlingCore
import StarlingEngine
import StarlingGuard
import StarlingSession
import StarlingWire

/// A peer with a key of its own that keeps to no rule: it says hello as others do, and then lies. What it says is drawn: a
/// message that it heard, whole, altered or cut short, or one of its own of any kind, about replicas and versions that it
/// heard of or made up.
final class HostilePeer: Sendable {
  private struct State {
    var peers: [PeerHandle] = []
    /// The latest that it heard, oldest first.
    var heard: [[UInt8]] = []
    var replicas: [ReplicaID] = [ReplicaID(rawValue: 0xBAD)]
    var requests: [UInt32] = [1]
  }

  static let name = "hostile"
  private static let heardCountMax = 64
  private static let store = StoreID(rawValue: 0xBAD)

  private let link: MemoryLink
  private let documents: [DocumentID]
  private let state = Guarded(State())

  init(on network: MemoryNetwork, as identity: PeerIdentity, dialling endpoints: [String], documents: [DocumentID]) {
    link = network.makeLink(named: Self.name, as: identity)
    self.documents = documents
    try? link.start(tick: .milliseconds(50)) { [weak self] in self?.hear($0) }
    link.subscribe([])
    for endpoint in endpoints { _ = try? link.connect(to: endpoint) }
  }

  // MARK: Hearing

  private func hear(_ events: [LinkEvent]) {
    for event in events {
      switch event {
      case .opened(let peer, _, _):
        state.withLock { $0.peers.append(peer) }
        say(hello, to: peer)
      case .closed(let peer, _): state.withLock { $0.peers.removeAll { $0 == peer } }
      case .direct(_, let bytes): keep(bytes)
      case .published(_, let bytes): keep(Message.live(bytes).encoded())
      case .handshakeFailed, .turnedAway: break
      }
    }
  }

  private func keep(_ bytes: [UInt8]) {
    state.withLock { state in
      state.heard.append(bytes)
      if state.heard.count > Self.heardCountMax { state.heard.removeFirst() }
      switch try? Message(decoding: bytes) {
      case .have(let have)?: state.replicas.append(contentsOf: have.version.entries.map(\.replica))
      case .want(let want)?:
        state.requests.append(want.request)
        state.replicas.append(contentsOf: want.version.entries.map(\.replica))
      default: break
      }
      state.replicas = Array(state.replicas.suffix(Self.heardCountMax))
      state.requests = Array(state.requests.suffix(Self.heardCountMax))
    }
  }

  // MARK: Lying

  private var hello: Message {
    .hello(
      Message.Hello(
        lowestVersion: 1, highestVersion: 1, store: Self.store, epoch: 1, agent: Self.name, endpoints: [],
        isDurable: true, relays: false, wantsReply: true))
  }

  private func say(_ message: Message, to peer: PeerHandle) {
    _ = link.send(message.encoded(), to: peer)
  }

  /// Says a few things to somebody to whom it is connected.
  func lie(using generator: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      guard let peer = state.withLock({ $0.peers }).randomElement(using: &generator) else { return }
      _ = link.send(draw(using: &generator), to: peer)
    }
  }

  private func draw(using generator: inout SeededGenerator) -> [UInt8] {
    guard generator.chance(0.5), var bytes = state.withLock({ $0.heard }).randomElement(using: &generator) else {
      return message(using: &generator).encoded()
    }
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

  /// One of its own, of every kind.
  private func message(using generator: inout SeededGenerator) -> Message {
    let (replicas, requests) = state.withLock { ($0.replicas, $0.requests) }
    let document = documents.randomElement(using: &generator)!
    let replica = replicas.randomElement(using: &generator)!
    let request = requests.randomElement(using: &generator)!
    let counter = [0, 1, 3, 40, 1 << 40].randomElement(using: &generator)! as UInt64
    let version = Version(counter == 0 ? [] : [Version.Entry(replica: replica, counter: counter)])
    let dot = Dot(replica, max(1, counter))
    let noise = (0..<Int.random(in: 0...40, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator)
    }
    let position = StreamPosition(stream: UInt32.random(in: 0...3, using: &generator), sequence: counter)
    switch Int.random(in: 0..<19, using: &generator) {
    case 0: return hello
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
    case 12: return .members([Message.Member(store: Self.store, incarnation: max(1, counter), beat: counter)])
    case 13: return .writers([WriterBinding(replica: replica, name: Self.name, boundAt: 0)])
    case 14: return .disown(document, replica)
    case 15: return .forget([document])
    case 16: return .equivocations([EquivocationReport(dot, in: document)])
    case 17: return .paths(Message.Changes(document: document, request: request, batch: noise))
    default: return .heartbeat(counter)
    }
  }
}
