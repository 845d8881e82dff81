import StarlingCore
import StarlingWire

@testable import StarlingSession

extension FuzzedDecoder {
  /// What a peer says over a connection to a daemon that has a client: messages and published frames, in any state of
  /// the conversation, while the other two talk to each other.
  ///
  /// The first byte chooses what the peer may do. Where it may only read, nothing that it says may touch what the
  /// others have, nor keep them from each other.
  static let conversation = FuzzedDecoder(name: "conversation", byteCountPerByte: 1 << 16) { bytes in
    var input = InputReader(bytes)
    let role = Trust.Role.allCases[input.next() % Trust.Role.allCases.count]
    var meeting = Meeting(role)
    while !input.isAtEnd {
      let choice = input.next()
      switch choice % 8 {
      case 0..<4: meeting.hear(input.part(), isPublished: false)
      case 4, 5: meeting.hear(input.part(), isPublished: true)
      case 6: meeting.pass(ticks: 1 + choice / 64)
      default: meeting.write()
      }
    }
    let isRead = meeting.hasGreeted
    guard role == .reads else { return isRead }
    meeting.settle()
    try hold(meeting.isCaughtUp, "A daemon and its client are not up to date: \(meeting.versions)")
    try hold(meeting.hasOwnAlone, "A peer that may only read has changed what others have: \(meeting.versions)")
    return isRead
  }
}

/// A daemon, its client, and the peer that says anything.
private struct Meeting: ~Copyable {
  private var daemon = ValueReplica(2, isRelay: true)
  private var client = ValueReplica(1)
  private var now = Duration.zero
  private var written: Int64 = 0
  private let friend = PeerHandle.of(1)
  private let stranger = PeerHandle.of(2)

  init(_ role: Trust.Role) {
    daemon.decide(now: now) { $0.bind("tcp://daemon:1") }
    client.decide(now: now) { $0.connect(to: "tcp://daemon:1") }
    daemon.decide(now: now) { [friend] in $0.opened(friend, isDialled: false, as: .sameUser, entry: nil) }
    client.decide(now: now) { [friend] in $0.opened(friend, isDialled: true, as: .sameUser, entry: nil) }
    let trust = Trust(name: "stranger", role: role, documents: [.everything])
    daemon.allowlist["stranger"] = trust
    daemon.decide(now: now) { [stranger] in
      $0.opened(stranger, isDialled: false, as: .key("stranger"), entry: trust)
    }
    carry()
  }

  var hasGreeted: Bool { daemon.replication.peers[stranger]?.hello != nil }
  var isCaughtUp: Bool {
    daemon.content.version == client.content.version && daemon.content.cut().digest() == client.content.cut().digest()
  }
  var versions: String { "\(daemon.content.version) and \(client.content.version)" }
  var hasOwnAlone: Bool {
    daemon.content.version.entries.map(\.replica.rawValue) == (written > 1 ? [1, 2] : written > 0 ? [1] : [])
  }

  mutating func hear(_ bytes: [UInt8], isPublished: Bool) {
    daemon.decide(now: now) { [stranger] in
      if isPublished {
        $0.hear(published: [bytes], from: stranger)
      } else {
        $0.receive(direct: bytes, from: stranger)
      }
    }
    carry()
  }

  mutating func write() {
    written += 1
    if written.isMultiple(of: 2) {
      daemon.write(written, for: "daemon", now: now)
    } else {
      client.write(written, for: "client", now: now)
    }
    carry()
  }

  mutating func pass(ticks: Int) {
    for _ in 0..<ticks {
      now += .milliseconds(500)
      daemon.tick(now: now)
      client.tick(now: now)
      carry()
    }
  }

  mutating func settle() { pass(ticks: 20) }

  /// What the two say arrives at once. What the daemon says to the stranger is lost, and nobody follows the client.
  private mutating func carry() {
    while true {
      let (down, up) = (daemon.takeOutputs(), client.takeOutputs())
      if down.isEmpty && up.isEmpty { return }
      for output in down {
        switch output {
        case .direct(let bytes, friend): client.decide(now: now) { [friend] in $0.receive(direct: bytes, from: friend) }
        case .published(let frame): client.decide(now: now) { [friend] in $0.hear(published: [frame], from: friend) }
        default: break
        }
      }
      for case .direct(let bytes, friend) in up {
        daemon.decide(now: now) { [friend] in $0.receive(direct: bytes, from: friend) }
      }
    }
  }
}

extension PeerHandle {
  /// `ValueReplica` is of the tests of the module, which have it too.
  static func of(_ number: UInt64) -> PeerHandle { PeerHandle(rawValue: number) }
}
