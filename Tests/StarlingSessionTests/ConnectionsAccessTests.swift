import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

@Suite struct `What peers may do` {
  private let library = DocumentID("library")!
  private let another = DocumentID("another")!
  private let peer = PeerHandle.of(1)
  private let reader = Trust(name: "Ada", role: .reads, documents: [.everything])
  private let writer = Trust(name: "Bob", role: .writes, documents: [DocumentPattern("library")!])
  private let relay = Trust(name: "Cid", role: .relays, documents: [.everything])

  private func connections(
    as trust: Trust?, budgets: [Budgets.Resource: Budgets.Limit] = [:], isRelay: Bool = true
  ) -> Connections {
    var connections = Connections(isRelay: isRelay, budgets: Budgets(limits: budgets))
    open(peer, as: trust, in: &connections)
    return connections
  }

  private func open(_ peer: PeerHandle, as trust: Trust?, in connections: inout Connections) {
    _ = connections.open(peer, as: .key("key \(peer.rawValue)"), isDialled: false, entry: trust, now: 0)
    connections.begin(peer, Endpoints())
    connections.peers[peer]?.hello = Greeting.of(peer.rawValue, relays: trust?.role == .relays)
  }

  private typealias Question = (inout Connections, inout [Connections.Effect]) -> Bool

  private func ask(_ connections: inout Connections, _ question: Question) -> (Bool, [Connections.Effect]) {
    var effects: [Connections.Effect] = []
    let answer = question(&connections, &effects)
    return (answer, effects)
  }

  private func kinds(_ effects: [Connections.Effect]) -> [AccessEvent.Kind] {
    effects.compactMap { if case .tell(.access(let event)) = $0 { event.kind } else { nil } }
  }

  private func refusals(_ effects: [Connections.Effect]) -> [Message.Refusal.Code] {
    effects.compactMap { if case .refuse(_, let refusal) = $0 { refusal.code } else { nil } }
  }

  // MARK: Denials

  @Test func `is counted each time, and told once`() {
    var connections = connections(as: reader)
    let question: Question = { $0.mayWrite(self.peer, self.library, &$1) }
    let (first, effects) = ask(&connections, question)
    #expect(!first)
    #expect(effects.first == .countDenial && effects.count == 3)
    #expect(kinds(effects) == [.writeRefused])
    #expect(refusals(effects) == [.notWelcome])
    let (second, silent) = ask(&connections, question)
    #expect(!second)
    #expect(silent == [.countDenial])
    // Another document is another thing.
    let (_, other) = ask(&connections) { $0.mayWrite(self.peer, self.another, &$1) }
    #expect(kinds(other) == [.writeRefused])
  }

  @Test func `follows from role and documents`() {
    var readers = connections(as: reader)
    var writers = connections(as: writer)
    var relays = connections(as: relay)
    var nobody = connections(as: nil)
    func answers(_ connections: inout Connections, _ document: DocumentID) -> [Bool] {
      [
        ask(&connections) { $0.mayBeHeard(self.peer, &$1) }.0,
        ask(&connections) { $0.mayRead(self.peer, document, &$1) }.0,
        ask(&connections) { $0.mayWrite(self.peer, document, &$1) }.0,
        ask(&connections) { $0.isTrustedWithState(self.peer, document, &$1) }.0,
        ask(&connections) { $0.isTrustedToForget(self.peer, document, &$1) }.0,
      ]
    }
    #expect(answers(&readers, library) == [true, true, false, false, false])
    #expect(answers(&writers, library) == [true, true, true, false, false])
    #expect(answers(&writers, another) == [true, false, false, false, false])
    #expect(answers(&relays, library) == [true, true, true, true, true])
    #expect(answers(&nobody, library) == [false, false, false, false, false])
  }

  // MARK: Trust

  @Test func `is told when somebody with a key comes, not when we dialled`() {
    var connections = Connections()
    let came = connections.open(peer, as: .key("a"), isDialled: false, entry: reader, now: 0)
    #expect(kinds(came) == [.admitted])
    let dialled = connections.open(.of(2), as: .key("b"), isDialled: true, entry: reader, now: 0)
    #expect(dialled.isEmpty)
    let local = connections.open(.of(3), as: .sameUser, isDialled: false, entry: nil, now: 0)
    #expect(local.isEmpty)
  }

  @Test func `is reviewed: who may do something else begins again`() {
    var connections = connections(as: reader)
    let writer = writer
    let changed = connections.reviewTrust(wall: 0, now: .zero) { _, _ in writer }
    #expect(kinds(changed) == [.changed] && changed.last == .beginAgain(peer))
    let same = connections.reviewTrust(wall: 0, now: .zero) { _, _ in writer }
    #expect(same.isEmpty)
    let revoked = connections.reviewTrust(wall: 0, now: .zero) { _, _ in nil }
    #expect(kinds(revoked) == [.revoked] && revoked.last == .beginAgain(peer))
  }

  @Test func `is revoked in one report, whoever notices first`() {
    var connections = connections(as: reader)
    let first = connections.isNews(revocationOf: "key 1", now: .seconds(1))
    #expect(first)
    let revoked = connections.reviewTrust(wall: 0, now: .seconds(2)) { _, _ in nil }
    #expect(revoked == [.beginAgain(peer)])
    let later = connections.isNews(revocationOf: "key 1", now: .seconds(5))
    #expect(later)
    let keyless = connections.isNews(revocationOf: nil, now: .seconds(5))
    #expect(keyless)
  }

  // MARK: Budgets

  @Test func `is told once a connection for each budget that is passed`() {
    var connections = connections(as: writer, budgets: [.leases: Budgets.Limit(perKey: 0, perProcess: 9)])
    let question: Question = { $0.mayLease(to: self.peer, in: self.library, &$1) }
    let (granted, effects) = ask(&connections, question)
    #expect(!granted)
    #expect(effects.first == .countOverdraft(.leases))
    #expect(kinds(effects) == [.overBudget])
    #expect(refusals(effects) == [.tooLarge])
    let (_, silent) = ask(&connections, question)
    #expect(silent == [.countOverdraft(.leases)])
  }

  @Test func `has no budget where it relays, or need not prove a key`() {
    let limits = [Budgets.Resource.leases: Budgets.Limit(perKey: 0, perProcess: 0)]
    var connections = connections(as: relay, budgets: limits)
    #expect(connections.account(of: peer) == nil)
    #expect(ask(&connections) { $0.mayLease(to: self.peer, in: self.library, &$1) }.0)
    #expect(connections.bringer(peer, in: library) == nil)
    #expect(connections.presenceCapacity(of: peer, in: library) == nil)
    #expect(self.connections(as: writer).account(of: peer) == "Bob")
  }

  @Test func `charges a key for documents that were opened for it`() {
    var connections = connections(as: writer, budgets: [.documents: Budgets.Limit(perKey: 1, perProcess: 9)])
    #expect(ask(&connections) { $0.mayOpen(self.library, for: self.peer, in: .of(0), &$1) }.0)
    #expect(!ask(&connections) { $0.mayOpen(self.another, for: self.peer, in: .of(1), &$1) }.0)
    connections.budgets.release(library)
    #expect(ask(&connections) { $0.mayOpen(self.another, for: self.peer, in: .of(1), &$1) }.0)
  }

  @Test func `heeds so many strangers of a version`() {
    var connections = connections(
      as: writer, budgets: [.versionEntries: Budgets.Limit(perKey: 2, perProcess: 2)])
    let claim = VersionVector((1...5).map { VersionVector.Entry(replica: ReplicaID(rawValue: $0), counter: 1) })
    var effects: [Connections.Effect] = []
    let have = Message.have(Message.Have(document: library, version: claim, position: nil, digest: nil))
    let heeded = connections.heeding(have, from: peer, &effects) { _ in VersionVector() }
    guard case .have(let rest)? = heeded else {
      Issue.record("\(String(describing: heeded))")
      return
    }
    #expect(rest.version.entries.count == 2)
    #expect(effects.first == .countOverdraft(.versionEntries))
    // A part of an acknowledgement would count as if it had said no more.
    let acknowledged = connections.heeding(.acknowledge(library, claim), from: peer, &effects) { _ in VersionVector() }
    #expect(acknowledged == nil)
    // What is here is no stranger.
    let known = connections.heeding(.acknowledge(library, claim), from: peer, &effects) { _ in claim }
    #expect(known == .acknowledge(library, claim))
  }

  // MARK: Writers

  private func areOwn(
    _ replicas: [UInt64], from peer: PeerHandle, in connections: inout Connections, written: Set<UInt64> = []
  ) -> (Bool, [Connections.Effect]) {
    let library = library
    return ask(&connections) { connections, effects in
      connections.areOwn(
        replicas.map { Dot(ReplicaID(rawValue: $0), 1) }, from: peer, in: library, version: VersionVector(), now: .zero,
        wall: 5, &effects, hasWritten: { written.contains($0.rawValue) })
    }
  }

  @Test func `binds a free replica id to the first who writes under it`() {
    var connections = connections(as: writer)
    let (isOwn, effects) = areOwn([7, 7], from: peer, in: &connections)
    #expect(isOwn)
    let binding = WriterBinding(replica: ReplicaID(rawValue: 7), name: "Bob", boundAt: 5)
    #expect(Array(effects.prefix(2)) == [.keep([binding]), .tellRelays])
    #expect(kinds(effects) == [.writerBound])
    let again = areOwn([7], from: peer, in: &connections)
    #expect(again.0 && again.1.isEmpty)
    // Another may not.
    open(.of(2), as: Trust(name: "Eli", role: .writes, documents: [.everything]), in: &connections)
    let (isOther, refused) = areOwn([7], from: .of(2), in: &connections)
    #expect(!isOther)
    #expect(kinds(refused) == [.writerRefused])
    #expect(
      refused.suffix(2) == [.say(.disown(library, ReplicaID(rawValue: 7)), to: .of(2)), .sayHave(library, to: .of(2))])
    // A relay passes on what others wrote; a reader writes nothing.
    open(.of(3), as: relay, in: &connections)
    #expect(areOwn([7], from: .of(3), in: &connections).0)
    open(.of(4), as: reader, in: &connections)
    #expect(!areOwn([8], from: .of(4), in: &connections).0)
  }

  @Test func `binds no more replica ids than the budget allows`() {
    var connections = connections(as: writer, budgets: [.replicaIDs: Budgets.Limit(perKey: 1, perProcess: 9)])
    let (isGranted, effects) = areOwn([7, 8], from: peer, in: &connections)
    #expect(!isGranted)
    #expect(effects.first == .countOverdraft(.replicaIDs))
    #expect(connections.writers[ReplicaID(rawValue: 7)] == nil)
  }

  @Test func `waits for relays to say whose a written id is, and asks again then`() {
    var connections = connections(as: writer)
    let daemon = PeerHandle.of(2)
    open(daemon, as: relay, in: &connections)
    let (isOwn, silent) = areOwn([7], from: peer, in: &connections, written: [7])
    #expect(!isOwn && silent.isEmpty)
    let binding = WriterBinding(replica: ReplicaID(rawValue: 7), name: "Bob", boundAt: 1)
    let effects = connections.receive([binding], from: daemon)
    #expect(effects == [.keep([binding]), .begin(peer, serves: false, follows: true), .tellRelays])
    #expect(areOwn([7], from: peer, in: &connections, written: [7]).0)
    // Nobody else is believed.
    let stranger = connections.receive(
      [WriterBinding(replica: ReplicaID(rawValue: 9), name: "Bob", boundAt: 1)], from: peer)
    #expect(stranger.isEmpty)
  }

  @Test func `counts no operations that are somebody else's as acknowledged`() {
    var connections = connections(as: writer)
    _ = areOwn([7], from: peer, in: &connections)
    open(.of(2), as: Trust(name: "Eli", role: .writes, documents: [.everything]), in: &connections)
    let held = VersionVector([VersionVector.Entry(replica: ReplicaID(rawValue: 7), counter: 1)])
    let claim = VersionVector([VersionVector.Entry(replica: ReplicaID(rawValue: 7), counter: 9)])
    #expect(connections.heeded(claim, from: .of(2), beside: held) == held)
    #expect(connections.heeded(claim, from: peer, beside: held) == claim)
  }

  // MARK: Telling relays

  @Test func `tells each relay what it has not heard, writers first`() {
    var connections = connections(as: writer)
    let daemon = PeerHandle.of(2)
    open(daemon, as: relay, in: &connections)
    #expect(connections.news(for: daemon) == nil)
    _ = areOwn([7], from: peer, in: &connections)
    let report = EquivocationReport(Dot(ReplicaID(rawValue: 7), 1), in: library)
    let suspended = connections.note(report)
    #expect(kinds(suspended) == [.equivocated])
    #expect(suspended.last == .tellRelays)
    #expect(suspended.contains { if case .suspend("Bob", _, report) = $0 { true } else { false } })
    let again = connections.note(report)
    #expect(again.isEmpty)
    guard let first = connections.news(for: daemon), case .writers(let bindings) = first.message else {
      Issue.record("Nothing is told.")
      return
    }
    #expect(bindings.map(\.name) == ["Bob"])
    // A queue that was full: the same once more.
    #expect(connections.news(for: daemon) == first)
    connections.told(first, to: daemon)
    guard let second = connections.news(for: daemon) else {
      Issue.record("The equivocation is not told.")
      return
    }
    #expect(second.message == .equivocations([report]))
    connections.told(second, to: daemon)
    #expect(connections.news(for: daemon) == nil)
  }

  @Test func `suspends a writer once it is known whose the id is`() {
    var connections = connections(as: relay)
    let report = EquivocationReport(Dot(ReplicaID(rawValue: 7), 1), in: library)
    let unknown = connections.receive([report], from: peer)
    #expect(kinds(unknown) == [.equivocated] && unknown.count == 2)
    let binding = WriterBinding(replica: ReplicaID(rawValue: 7), name: "Bob", boundAt: 1)
    let late = connections.receive([binding], from: peer)
    #expect(late.contains { if case .suspend("Bob", _, report) = $0 { true } else { false } })
  }
}
