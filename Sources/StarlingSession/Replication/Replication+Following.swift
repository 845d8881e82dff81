import StarlingCore
package import StarlingWire

// Live frames, and what each document's session decides (Protocol/conversation.md, "Following", "Answers").
extension Replication {
  // MARK: Frames

  /// What one peer's frames bring to a document, one after the other: it merges together.
  struct Arrived {
    private(set) var number: DocumentNumber?
    /// Of all frames of the document; nil where others share it.
    private var topic: UInt32?
    var contributions = Contributions()
    private var frameByteCount = 0

    /// As many bytes of frames merge together as a long frame may have.
    private static let frameByteCountMax = 256 << 10

    mutating func begin(with frame: PublishedFrame, of number: DocumentNumber, isAlone: Bool) {
      self.number = number
      topic = isAlone ? frame.topic : nil
      frameByteCount = frame.payload.count
    }

    /// What there is, to be merged; nil where there is nothing.
    mutating func take(from peer: PeerHandle) -> Effect? {
      guard let number else { return nil }
      self.number = nil
      if contributions.isEmpty { return nil }
      return contributions.isOfChangesAlone
        ? .merge(contributions.takeChanges(), from: peer, in: number)
        : .mergeParts(contributions.take(), from: peer, in: number)
    }

    /// Whether a frame goes on with those that are there: what was asked before the first of them need not be asked
    /// again.
    mutating func takes(_ frame: PublishedFrame) -> Bool {
      frameByteCount += frame.payload.count
      return topic == frame.topic && frameByteCount <= Self.frameByteCountMax
    }
  }

  private mutating func merge(_ arrived: inout Arrived, from peer: PeerHandle) {
    if let effect = arrived.take(from: peer) { effects.append(effect) }
  }

  /// A frame that came alone.
  mutating func receive(published bytes: [UInt8], from peer: PeerHandle) {
    var arrived = Arrived()
    receive(published: bytes, from: peer, &arrived)
    merge(&arrived, from: peer)
  }

  private mutating func receive(published bytes: [UInt8], from peer: PeerHandle, _ arrived: inout Arrived) {
    counters.framesReceived += 1
    let frame: PublishedFrame
    do {
      frame = try PublishedFrame(decoding: bytes)
    } catch {
      counters.malformed += 1
      return
    }
    guard frame.stream != PresencePayload.stream else { return receivePresence(frame.payload, from: peer) }
    if let number = arrived.number, arrived.takes(frame) { return receive(frame, from: peer, in: number, &arrived) }
    let numbers = documents.numbers(under: frame.topic)
    for number in numbers where mayWrite(peer, documents[number].id) {
      documents.activate(number)
      // More than the log keeps up with: the stream shows a gap later, and what is lacking is asked for then.
      guard hasCapacity(number) else {
        counters.framesPutOff += 1
        continue
      }
      merge(&arrived, from: peer)
      arrived.begin(with: frame, of: number, isAlone: numbers.count == 1)
      receive(frame, from: peer, in: number, &arrived)
    }
  }

  private mutating func receive(
    _ frame: PublishedFrame, from peer: PeerHandle, in number: DocumentNumber, _ arrived: inout Arrived
  ) {
    let version = documents.look(at: number) { $0.pointee.version }
    switch documents[number].session.receive(
      frame, from: peer, version: version, now: now, into: &arrived.contributions)
    {
    case .effects(let effects):
      merge(&arrived, from: peer)
      carryOut(effects, in: number)
    case .changes, .nothing: break
    }
  }

  /// Frames that a peer published which we dialled, one after the other.
  package mutating func hear(published frames: [[UInt8]], from peer: PeerHandle) {
    guard isOnline, !isClosing else { return }
    var arrived = Arrived()
    var isHeard = false
    for frame in frames {
      counters.bytesReceived += frame.count
      isHeard = isHeard || ask { $0.mayBeHeard(peer, &$1) }
      if isHeard { receive(published: frame, from: peer, &arrived) }
    }
    merge(&arrived, from: peer)
  }

  // MARK: The session

  mutating func follow(
    _ document: DocumentID, _ decide: (inout Replication, DocumentNumber) -> [DocumentSession.Effect]
  ) {
    guard let number = documents.number(of: document) else { return }
    documents.activate(number)
    let effects = decide(&self, number)
    carryOut(effects, in: number)
    tellProgress(of: number)
  }

  // MARK: Beginning

  /// Begins the conversation about a document.
  mutating func begin(with peer: PeerHandle, in number: DocumentNumber) {
    begin(with: peer, serves: connections.serves(peer), follows: connections.follows(peer), in: number)
  }

  /// - Parameters:
  ///   - serves: whether the connection receives our stream.
  ///   - follows: whether we receive the peer's.
  mutating func begin(with peer: PeerHandle, serves: Bool, follows: Bool, in number: DocumentNumber) {
    guard let hello = peers[peer]?.hello, connections.isShared(documents[number].id, with: peer) else { return }
    let isSharer = documents[number].sharers.contains(hello.store)
    let isTold = serves && (isSharer || connections.isToldUnasked(peer))
    let isAsked = follows && (isSharer || hello.relays)
    if isTold { sayHave(of: number, to: peer) }
    if isAsked { beginFollowing(peer, in: number) }
    if isTold || isAsked { documents.activate(number) }
  }

  /// A store speaks of a document, perhaps for the first time.
  ///
  /// - Parameter version: what it says that it holds.
  mutating func noteSharer(_ peer: PeerHandle, holding version: VersionVector, in number: DocumentNumber) {
    guard let store = peers[peer]?.hello?.store, documents[number].sharers.insert(store).inserted else { return }
    let lacksSomething = !version.covers(documents[number].version)
    for peer in peers.connections(to: store) {
      // One that relays was told and asked before.
      guard let hello = peers[peer]?.hello, !hello.relays else { continue }
      if connections.serves(peer), lacksSomething || !connections.isToldUnasked(peer) {
        sayHave(of: number, to: peer)
      }
      if connections.follows(peer) { beginFollowing(peer, in: number) }
    }
  }

  mutating func beginFollowing(_ peer: PeerHandle, in number: DocumentNumber) {
    acknowledge(number, to: peer)
    carryOut(
      documents[number].session.follow(
        peer, version: documents[number].version, isTrustedWithState: trust(in: peer).mayRelay,
        account: connections.account(of: peer), now: now), in: number)
  }

  mutating func stopFollowing(_ peer: PeerHandle, in number: DocumentNumber) {
    guard documents[number].session.isAwareOf(peer) else { return }
    documents.activate(number)
    let version = documents[number].version
    carryOut(documents[number].session.forget(peer, version: version, now: now), in: number)
  }

  mutating func carryOut(_ decided: [DocumentSession.Effect], in number: DocumentNumber) {
    documents.noteNews(of: number)
    for effect in decided {
      switch effect {
      case .ask(let peer, let want): ask(want, of: peer, in: number)
      case .credit(let peer, let credit): invite(.credit(credit), from: peer, in: number)
      case .merge(let parts, let peer): effects.append(.mergeParts(parts, from: peer, in: number))
      case .mergeState(let state, let peer): effects.append(.mergeState(state, from: peer, in: number))
      case .adopt(let paths, let peer, let expected):
        effects.append(.adopt(paths, from: peer, expecting: expected, in: number))
      case .refuse(let peer, let refusal):
        counters.malformed += 1
        refuse(peer, refusal)
      }
    }
  }

  private mutating func ask(_ want: Message.Want, of peer: PeerHandle, in number: DocumentNumber) {
    var want = want
    if want.version.isEmpty, !want.takesOwnOnly {
      want.keptByteCount = pipeline.policy.compaction.compactionByteCountMin.map(UInt64.init)
    }
    if asks.place(of: peer) == nil { asks.set(AskWindow(), for: peer) }
    var mayGo = true
    asks.update(peer) { mayGo = $0.add(AskWindow.Ask(document: number, want: want)) }
    if mayGo {
      invite(.want(want), from: peer, in: number)
    } else {
      documents[number].session.hold(want.request, to: peer)
    }
  }

  /// With each tick: asks that were held back go out as those before them end.
  mutating func askInTurn() {
    for peer in asks.handles {
      guard var window = asks.remove(peer) else { continue }
      window.review { isAsked($0, of: peer) }
      if window.takeAnswered() { for ask in window.underWay { prolong(ask, to: peer) } }
      while let ask = window.next({ isAsked($0, of: peer) }) { release(ask, to: peer) }
      if !window.isEmpty { asks.set(window, for: peer) }
    }
  }

  /// A peer that answers is not silent, however long others of its answers take: asked again, it would have more to do.
  mutating func noteAnswer(from peer: PeerHandle) { asks.update(peer) { $0.noteAnswer() } }

  private mutating func prolong(_ ask: AskWindow.Ask, to peer: PeerHandle) {
    documents[ask.document].session.prolong(ask.want.request, to: peer, now: now)
    documents.noteNews(of: ask.document)
  }

  private func isAsked(_ ask: AskWindow.Ask, of peer: PeerHandle) -> Bool {
    documents.contains(ask.document)
      && documents.look(at: ask.document) { $0.pointee.session.isAsking(peer, for: ask.want.request) }
  }

  private mutating func release(_ ask: AskWindow.Ask, to peer: PeerHandle) {
    documents[ask.document].session.release(ask.want.request, to: peer, now: now)
    documents.activate(ask.document)
    var want = ask.want
    want.version = documents[ask.document].version
    invite(.want(want), from: peer, in: ask.document)
  }

  /// Says what brings more of the document: now, or once the log keeps up.
  private mutating func invite(_ message: Message, from peer: PeerHandle, in number: DocumentNumber) {
    if hasCapacity(number) {
      say(message, to: peer)
    } else {
      documents[number].postponed[peer] = message
    }
  }

  /// The link did not take what was said to the peer.
  package mutating func untold(_ message: Message, to peer: PeerHandle) {
    guard case .want(let want) = message, let number = documents.number(of: want.document) else { return }
    documents[number].session.undelivered(want.request, to: peer, now: now)
    documents.noteNews(of: number)
  }

  mutating func tellProgress(of number: DocumentNumber) {
    if documents.look(at: number, { $0.pointee.isWatched }) { effects.append(.tellProgress(number)) }
  }

  // MARK: Where peers stand

  mutating func receive(_ have: Message.Have, from peer: PeerHandle) {
    peers[peer]?.note(have)
    guard let number = documents.number(of: have.document) else {
      return openDocument(have.document, for: peer, heeding: .have(have))
    }
    documents.activate(number)
    hear(peer, in: number)
    noteSharer(peer, holding: have.version, in: number)
    let version = documents[number].version
    let standing = Connections.Standing(
      replica: documents[number].replica, version: version, digest: documents[number].presentDigest)
    for effect in connections.judge(have, from: peer, in: standing, &documents[number].disagreements, now: now) {
      switch effect {
      case .rename: rename(for: number)
      case .takeState:
        tellEvidence(of: number, to: peer)
        carryOut(documents[number].session.takeState(of: peer, version: version, now: now), in: number)
      case .separate(let store, let refusal):
        counters.divergences += 1
        report(.diverged(have.document, store))
        refuse(peer, refusal)
        stopFollowing(peer, in: number)
      case .receive(let have):
        carryOut(documents[number].session.receive(have, from: peer, version: version, now: now), in: number)
        if !documents[number].disowned.isEmpty { reviewDisowned(by: peer, in: number) }
      }
    }
  }
}
