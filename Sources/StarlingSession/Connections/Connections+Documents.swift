public import StarlingCore
public import StarlingWire

// What a peer says of one document: where it stands, and that it is forgotten; and which are opened for it.
extension Connections {
  // MARK: Where it stands

  /// Where a document stands here.
  public struct Standing: Hashable, Sendable {
    /// The id that it is written under.
    public var replica: ReplicaID
    public var version: VersionVector
    /// What it holds at that version, where that is known.
    public var digest: Digest?

    public init(replica: ReplicaID, version: VersionVector, digest: Digest?) {
      self.replica = replica
      self.version = version
      self.digest = digest
    }
  }

  /// What follows from what a peer says of where a document stands.
  public enum StandingEffect: Hashable, Sendable {
    /// Somebody else writes under our id.
    case rename
    /// Our versions are equal, and our states are not: ask for the peer's, and tell it the evidence.
    case takeState
    /// They still are not. Merging on would spread the damage: nothing is merged with the peer any more.
    case separate(StoreID, Message.Refusal)
    /// Follow the document with what the peer says.
    case receive(Message.Have)
  }

  public mutating func judge(
    _ have: Message.Have, from peer: PeerHandle, in standing: Standing, _ disagreements: inout Disagreements,
    now: Duration
  ) -> [StandingEffect] {
    let trust = trusts[peer]
    var effects: [StandingEffect] = []
    // A peer that knows more of our own id than we do has it from another holder; if it may only read, it says so and
    // no more.
    if have.version[standing.replica] > standing.version[standing.replica], trust.mayWrite { effects.append(.rename) }
    guard peers[peer]?.diverged.contains(have.document) != true else { return effects }
    if trust.mayWrite, let theirs = have.digest, have.version == standing.version, let ours = standing.digest {
      switch disagreements.compare(peer, isEqual: ours == theirs, isTrustedWithState: trust.mayRelay, now: now) {
      case .goOn: break
      case .takeState: effects.append(.takeState)
      case .separate: return effects + separate(have.document, from: peer)
      }
    }
    var have = have
    // Of a peer whose stream we do not take, only what it holds matters.
    if peers[peer]?.relation == .standby { have.position = nil }
    return effects + [.receive(have)]
  }

  private mutating func separate(_ document: DocumentID, from peer: PeerHandle) -> [StandingEffect] {
    guard let store = peers[peer]?.hello?.store, peers[peer]?.diverged.insert(document).inserted == true else {
      return []
    }
    let explanation = "'\(document)': our versions are equal and our states are not. Compare the two stores' dumps."
    return [.separate(store, Message.Refusal(code: .digestMismatch, explanation: explanation))]
  }

  // MARK: Opening

  /// What a replica has of a document that a peer speaks of.
  public struct Library: Hashable, Sendable {
    /// How many documents are open or about to be, and how many may be for peers.
    public var count: Int
    public var countMax: Int
    /// Whether the one in question is among them.
    public var isOpen: Bool
    /// Whether it is not, and the log holds it.
    public var isStored: Bool
    /// Whether what the log holds of that one cannot be read.
    public var isDamaged: Bool

    public init(count: Int, countMax: Int, isOpen: Bool, isStored: Bool = false, isDamaged: Bool) {
      self.count = count
      self.countMax = countMax
      self.isOpen = isOpen
      self.isStored = isStored
      self.isDamaged = isDamaged
    }
  }

  /// Whether a document may be opened for the peer, which is then charged for it. It is told once a connection where so
  /// many are open already.
  public mutating func mayOpen(
    _ document: DocumentID, for peer: PeerHandle, in library: Library, _ effects: inout [Effect]
  ) -> Bool {
    // A reader reads what there is. It hears of the others once somebody who may write opens them.
    guard library.isStored || trusts[peer].mayWrite else {
      effects.append(.countUnopened)
      return false
    }
    guard !library.isDamaged else {
      effects += refuseDamaged(document, for: peer)
      return false
    }
    if library.isOpen { return true }
    guard library.count < library.countMax else {
      effects.append(.countUnopened)
      guard peers[peer]?.isNews(.capacity) == true else { return false }
      let explanation = "'\(document)' is not opened: \(library.count) documents are open, as many as may be for peers."
      effects += [
        .tell(.refused(peers[peer]?.hello?.store, explanation: explanation)),
        .refuse(peer, Message.Refusal(code: .notWelcome, explanation: explanation)),
      ]
      return false
    }
    guard library.isStored || mayHold(document, for: peer, &effects) else {
      effects.append(.countUnopened)
      return false
    }
    return true
  }

  /// The document is not served. The peer is told so once a connection.
  public mutating func refuseDamaged(_ document: DocumentID, for peer: PeerHandle) -> [Effect] {
    guard peers[peer]?.isNews(.damage(document)) == true else { return [] }
    let explanation = "'\(document)' is damaged in this store and not served. See its daemon's log."
    return [.refuse(peer, Message.Refusal(code: .notWelcome, explanation: explanation))]
  }

  // MARK: Forgetting

  /// Tells the peer what of these it may read.
  public mutating func tell(forgotten documents: [DocumentID], to peer: PeerHandle) -> [Effect] {
    let documents = documents.filter { trusts[peer].covers($0) }
    guard !documents.isEmpty else { return [] }
    peers[peer]?.tellForgotten(documents)
    return [.say(.forget(documents), to: peer)]
  }

  /// The peer speaks of a document that is forgotten, and is told so: once, and once more.
  public mutating func refuse(forgotten document: DocumentID, to peer: PeerHandle) -> [Effect] {
    guard trusts[peer].covers(document), peers[peer]?.refuseForgotten(document) == true else { return [] }
    let explanation =
      "'\(document)' was forgotten in this group and is not taken back. Forget it there too (starling forget), "
      + "or update a program that does not know how; to keep what it holds, dump it and load it under another name."
    return [
      .say(.forget([document]), to: peer),
      .refuse(peer, Message.Refusal(code: .notWelcome, explanation: explanation)),
    ]
  }

  // MARK: Dialling

  /// Where a peer is dialled that dialled us.
  ///
  /// - Parameters:
  ///   - isDaemon: whether this replica is one of the group's daemons, which dial each other by plan.
  ///   - mayDial: whether an endpoint may be dialled that the owner of a key names.
  public func endpointToDialBack(
    _ peer: PeerHandle, isDaemon: Bool, mayDial: (_ endpoint: String, _ key: String?) -> Bool
  ) -> String? {
    guard let known = peers[peer], known.endpoint == nil, !known.isRefused, let hello = known.hello,
      trusts[peer].mayRelay, !isDaemon || !isMeshPeer(hello)
    else { return nil }
    let key = identity(of: peer).key
    return hello.endpoints.first { mayDial($0, key) }
  }
}
