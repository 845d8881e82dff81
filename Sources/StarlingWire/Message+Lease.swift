public import StarlingCore

// Leased replica ids (Protocol/conversation.md, "Leases").
extension Message {
  /// One lease of a replica id for one document.
  public struct LeaseGrant: Hashable, Sendable {
    public var replica: ReplicaID
    /// The number of this lease among those of the id: a later one ends all earlier ones.
    public var number: UInt64
    /// How far the id has got: what its next holder goes on from, or where its holder left off. 0 for one that never
    /// wrote.
    public var counter: UInt64

    public init(replica: ReplicaID, number: UInt64, counter: UInt64) {
      self.replica = replica
      self.number = number
      self.counter = counter
    }
  }

  /// What a process asks of a peer that grants leases.
  public struct Lease: Hashable, Sendable {
    public enum Request: Hashable, Sendable {
      case ask
      /// It has held the lease since an earlier connection.
      case goOn(LeaseGrant)
      /// It writes no more under it.
      case giveBack(LeaseGrant)
    }

    public var document: DocumentID
    public var request: Request

    public init(document: DocumentID, request: Request) {
      self.document = document
      self.request = request
    }
  }

  /// The answer of the peer that grants leases.
  public struct Leased: Hashable, Sendable {
    public enum Answer: Hashable, Sendable {
      case granted(LeaseGrant)
      /// Nothing is granted, or the lease is not known: the holder of an id keeps it.
      case nothing
      /// The id has been leased again since: its former holder writes no more under it.
      case over(LeaseGrant)
      case returned(LeaseGrant)
    }

    public var document: DocumentID
    public var answer: Answer

    public init(document: DocumentID, answer: Answer) {
      self.document = document
      self.answer = answer
    }
  }
}

/// How the requests and answers are spelled (Protocol/wire-format.md, "Messages").
enum LeaseWord {
  static let ask: UInt8 = 0
  static let goOn: UInt8 = 1
  static let giveBack: UInt8 = 2

  static let granted: UInt8 = 0
  static let nothing: UInt8 = 1
  static let over: UInt8 = 2
  static let returned: UInt8 = 3
}

extension [UInt8] {
  mutating func append(_ lease: Message.Lease) {
    append(counted: lease.document.name)
    switch lease.request {
    case .ask: append(LeaseWord.ask)
    case .goOn(let grant): append(LeaseWord.goOn, grant)
    case .giveBack(let grant): append(LeaseWord.giveBack, grant)
    }
  }

  mutating func append(_ leased: Message.Leased) {
    append(counted: leased.document.name)
    switch leased.answer {
    case .granted(let grant): append(LeaseWord.granted, grant)
    case .nothing: append(LeaseWord.nothing)
    case .over(let grant): append(LeaseWord.over, grant)
    case .returned(let grant): append(LeaseWord.returned, grant)
    }
  }

  private mutating func append(_ word: UInt8, _ grant: Message.LeaseGrant) {
    append(word)
    append(fixed64: grant.replica.rawValue)
    append(varint: grant.number)
    append(varint: grant.counter)
  }
}

extension Reader {
  mutating func lease() throws(WireError) -> Message.Lease {
    let document = try document()
    let start = offset
    let request: Message.Lease.Request
    switch try byte() {
    case LeaseWord.ask: request = .ask
    case LeaseWord.goOn: request = .goOn(try grant())
    case LeaseWord.giveBack: request = .giveBack(try grant())
    case let word: throw error(.malformed, "A lease asks for \(word), which is nothing", at: start)
    }
    return Message.Lease(document: document, request: request)
  }

  mutating func leased() throws(WireError) -> Message.Leased {
    let document = try document()
    let start = offset
    let answer: Message.Leased.Answer
    switch try byte() {
    case LeaseWord.granted: answer = .granted(try grant())
    case LeaseWord.nothing: answer = .nothing
    case LeaseWord.over: answer = .over(try grant())
    case LeaseWord.returned: answer = .returned(try grant())
    case let word: throw error(.malformed, "A lease is answered with \(word), which is nothing", at: start)
    }
    return Message.Leased(document: document, answer: answer)
  }

  mutating func grant() throws(WireError) -> Message.LeaseGrant {
    let replica = ReplicaID(rawValue: try fixed64())
    let number = try varint()
    let start = offset
    let counter = try varint()
    guard counter < 1 << 63 else { throw error(.malformed, "A counter of a lease has 64 bits", at: start) }
    return Message.LeaseGrant(replica: replica, number: number, counter: counter)
  }
}
