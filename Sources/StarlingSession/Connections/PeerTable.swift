public import StarlingCore
public import StarlingWire

/// The connections that stand, and what was said on each. Performs nothing.
///
/// ```
///   handle    1          4          7         ascending, so that one seed gives one run
///   peer    [ hello ]  [ silent ] [ hello ]
///           store A               store A     one peer that is reached by two connections
/// ```
public struct PeerTable: Sendable {
  /// One connection.
  public struct Peer: Sendable {
    /// The endpoint at which we dialled it; nil for one that dialled us.
    public let endpoint: String?
    /// In what way we follow it there.
    public var relation: Relation
    /// The peer's hello; nil until it has said it.
    public var hello: Message.Hello?
    /// The endpoints that it heard from us. They stand for as long as the connection does: both ends
    /// derive from them who follows which peer.
    public var toldEndpoints: [String]?
    /// A later start of its store than the one that it told of.
    public var knownStart: Message.Start?
    /// Set once either end has said that they cannot talk.
    public var isRefused = false
    /// How far it was told whose replica ids are, and which operations have two contents.
    public var writersTold = 0
    public var equivocationsTold = 0
    /// Documents that the peer asked for: it is told where they stand.
    public var interests: Set<DocumentID> = []
    /// How many messages were exchanged, so that both ends notice when some were lost.
    public var tally = MessageTally()
    /// The answers under way.
    public var flow = AnswerFlow()
    /// Documents in which this peer's state contradicts ours.
    public var diverged: Set<DocumentID> = []
    /// Where its documents stand, for a caller that asks for the status.
    public private(set) var documents: [DocumentID: PeerDocument] = [:]
    /// Forgotten documents: it heard that they are, was refused because of it, or said so itself.
    private var toldForgotten: Set<DocumentID> = []
    private var refusedForgotten: Set<DocumentID> = []
    private var saidForgotten: Set<DocumentID> = []
    /// What is said once a connection, and was.
    private var told: Set<Notice> = []

    public init(endpoint: String?, relation: Relation, toldEndpoints: [String]? = nil) {
      self.endpoint = endpoint
      self.relation = relation
      self.toldEndpoints = toldEndpoints
    }
  }

  /// What the operator or the peer hears of once a connection.
  public enum Notice: Hashable, Sendable {
    /// What came in place of a greeting could not be read.
    case foreign
    /// No more documents are opened for it.
    case capacity
    /// A document that it named is served by another daemon.
    case elsewhere
    /// The document is damaged here.
    case damage(DocumentID)
    /// It passed the budget.
    case budget(Budgets.Resource)
  }

  /// A peer that speaks of more documents is not remembered with all of them.
  static let documentCountMax = 4096

  /// Nil only while one of them is altered.
  private var entries = HandleTable<Peer?>()

  public init() {}

  public var isEmpty: Bool { entries.isEmpty }
  public var count: Int { entries.count }

  // MARK: One peer

  /// - Complexity: O(log *n*) in the connections; O(*n*) where one begins or ends.
  public subscript(handle: PeerHandle) -> Peer? {
    // Inlined, so that whoever reads one field copies that alone.
    @inline(__always)
    get { entries.place(of: handle).flatMap { entries[at: $0] } }
    @inline(__always)
    _modify {
      if let place = entries.place(of: handle) {
        defer { if entries[at: place] == nil { entries.remove(handle) } }
        yield &entries[at: place]
      } else {
        var entry: Peer?
        defer { if let entry { entries.set(entry, for: handle) } }
        yield &entry
      }
    }
  }

  // MARK: Several

  /// Those that `isWanted` picks, ascending.
  @inline(__always)
  public func handles(where isWanted: (PeerHandle, Peer) -> Bool) -> [PeerHandle] {
    entries.handles.indices.compactMap { place in
      guard let peer = entries[at: place], isWanted(entries.handles[place], peer) else { return nil }
      return entries.handles[place]
    }
  }

  /// All of them, ascending.
  public var all: [PeerHandle] { entries.handles }

  /// Those that have said who they are.
  public var talking: [PeerHandle] { handles { $1.hello != nil } }

  /// It is time for a heartbeat: the peers that are sent one, and those whose messages were lost, as their own
  /// show.
  mutating func takeHeartbeats() -> (due: [PeerHandle], lacking: [PeerHandle]) {
    var (due, lacking): ([PeerHandle], [PeerHandle]) = ([], [])
    for place in entries.handles.indices where entries[at: place]?.isTalking == true {
      if entries[at: place]?.tally.isHeartbeatDue() == true { due.append(entries.handles[place]) }
      if entries[at: place]?.tally.waitedForHeartbeat() == true { lacking.append(entries.handles[place]) }
    }
    return (due, lacking)
  }

  /// The connections by which a store is reached: of two processes that find each other in a directory, both may dial.
  public func connections(to store: StoreID) -> [PeerHandle] { handles { $1.hello?.store == store } }

  /// Whether a store is there, by another connection than `peer`.
  public func isReached(_ store: StoreID, besides peer: PeerHandle? = nil) -> Bool {
    entries.handles.indices.contains { entries.handles[$0] != peer && entries[at: $0]?.hello?.store == store }
  }

  /// Whether no peer is there but `store` and those that have not named themselves.
  public func isAlone(_ store: StoreID) -> Bool {
    entries.values.allSatisfy { $0?.hello.map { $0.store == store } ?? true }
  }

  /// What those have said who they are, ascending by handle.
  public var hellos: [Message.Hello] { entries.values.compactMap { $0?.hello } }

  /// The stores of those.
  public var stores: Set<StoreID> {
    var stores: Set<StoreID> = []
    for place in entries.handles.indices {
      if let store = entries[at: place]?.hello?.store { stores.insert(store) }
    }
    return stores
  }

  /// Those that we dialled, and that are to be greeted once more: a greeting or its answer may be lost like any other
  /// frame.
  public var unanswered: [PeerHandle] { handles { $1.endpoint != nil && $1.hello == nil && !$1.isRefused } }

  /// The relays among them, which talk with us.
  public var relays: [PeerHandle] { handles { $1.isRelay && !$1.isRefused } }

  /// The stores that have spoken of a document.
  public func stores(speakingOf document: DocumentID) -> Set<StoreID> {
    Set(entries.values.compactMap { $0?.documents[document] == nil ? nil : $0?.hello?.store })
  }

  /// Whether a peer is being answered about a document, or holds another state of it at an equal version.
  func isAnswered(about document: DocumentID) -> Bool {
    entries.values.contains { $0.map { $0.flow.isAnswering(document) || $0.diverged.contains(document) } ?? false }
  }

  /// A document is open here no more: who asked for it is told of it again once it is.
  mutating func close(_ document: DocumentID) {
    for place in entries.values.indices { entries[at: place]?.close(document) }
  }

  // MARK: Forgotten documents

  /// A document is forgotten: nothing is kept for it.
  public mutating func forget(_ document: DocumentID) {
    for place in entries.values.indices { entries[at: place]?.forget(document) }
  }

  /// How many other stores that serve it have said that they forgot it.
  public func forgottenCount(of document: DocumentID) -> Int {
    Set(
      entries.values.compactMap { known -> StoreID? in
        guard let known, let hello = known.hello, known.hasSaidForgotten(document) else { return nil }
        return hello.shard.contains(document) ? hello.store : nil
      }
    ).count
  }
}

extension PeerTable.Peer {
  @inline(__always)
  fileprivate var isTalking: Bool { hello != nil && !isRefused }

  public var isRelay: Bool { hello?.relays == true }

  /// The peer spoke of a document.
  public mutating func note(_ have: Message.Have) {
    guard documents[have.document] != nil || documents.count < PeerTable.documentCountMax else { return }
    documents[have.document] = PeerDocument(have)
  }

  /// - Returns: whether that was not said yet on this connection.
  public mutating func isNews(_ notice: PeerTable.Notice) -> Bool { told.insert(notice).inserted }

  // MARK: Forgotten documents

  public mutating func tellForgotten(_ documents: [DocumentID]) { toldForgotten.formUnion(documents) }

  /// The peer speaks of a document that is forgotten.
  ///
  /// - Returns: whether it is told so: where it was not, and once more where it was.
  public mutating func refuseForgotten(_ document: DocumentID) -> Bool {
    guard toldForgotten.insert(document).inserted || !refusedForgotten.contains(document) else { return false }
    refusedForgotten.insert(document)
    return true
  }

  /// The peer says that it has forgotten it.
  public mutating func sayForgotten(_ document: DocumentID) { saidForgotten.insert(document) }

  fileprivate func hasSaidForgotten(_ document: DocumentID) -> Bool { saidForgotten.contains(document) }

  fileprivate mutating func forget(_ document: DocumentID) {
    close(document)
    flow.end(document)
  }

  fileprivate mutating func close(_ document: DocumentID) {
    interests.remove(document)
    documents[document] = nil
  }
}
