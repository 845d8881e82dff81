#if NATS
  import StarlingEngine

  /// One message of a log's stream: a call of the log, or a part of one. Numbers are little-endian.
  ///
  /// ```
  ///   0      2        3      4        5         13                 21         25
  ///   +------+--------+------+--------+---------+------------------+----------+-----------+
  ///   | "SL" | format | kind | isLast | session | sequence of the  | checksum | bytes ... |
  ///   |      | 1 to 3 |      | 0 or 1 |         | call's first part|          |           |
  ///   +------+--------+------+--------+---------+------------------+----------+-----------+
  /// ```
  ///
  /// A writer knows the sequence that its next message will have, as it names the last one with each: so
  /// every message says where it belongs, and only its last part makes a call count. The checksum is
  /// CRC-32C of all the other bytes.
  struct StreamPart {
    enum Kind: UInt8, CaseIterable {
      /// Somebody opened the log, and holds it from here on.
      case opened = 1
      /// It was closed in good order.
      case closed = 2
      case records = 3
      case snapshot = 4
      case members = 5
      case leases = 6
      /// All records of a document that count, once more, so that those before need not be kept.
      case rewritten = 7
      /// A snapshot beside which records that it covers stay.
      case keepingSnapshot = 8
      /// A state beside the records that it covers, from which a document is recovered.
      case checkpoint = 9
      /// Where records stand that a checkpoint covers: what is read of them when somebody asks for the history.
      case sealed = 10
      /// Where everything stands that counts before it: opening begins with the last of these.
      case index = 11
      /// How often the store was started, and the known starts of others.
      case generations = 12
      /// The names of all documents that are forgotten.
      case forgotten = 13
      /// The store comes from another place, is here from now on, or is gone to another place.
      case moved = 14

      /// The first format that has it, which its messages bear: an earlier program reads a stream until it meets one.
      var format: UInt8 {
        switch self {
        case .keepingSnapshot: 2
        case .checkpoint, .sealed, .index, .generations, .forgotten, .moved: 3
        default: 1
        }
      }
    }

    enum Fault: Error {
      /// Written by a later version of the program, under this format.
      case tooNew(UInt8)
      case damaged
    }

    static let mark = Array("SL".utf8)
    /// The latest.
    static let format: UInt8 = 3
    static let headByteCount = 25

    var kind: Kind
    var isLast: Bool
    /// Of the opener that wrote it: drawn at random.
    var session: UInt64
    /// The sequence of the call's first part.
    var first: UInt64
    var bytes: ArraySlice<UInt8>

    init(_ kind: Kind, isLast: Bool, session: UInt64, first: UInt64, bytes: ArraySlice<UInt8>) {
      self.kind = kind
      self.isLast = isLast
      self.session = session
      self.first = first
      self.bytes = bytes
    }

    /// - Parameter sequence: where it stands in the stream; below 2⁶², so that one may count on from it.
    init(decoding message: [UInt8], at sequence: UInt64) throws(Fault) {
      var rest = message[...]
      guard sequence < 1 << 62, rest.starts(with: Self.mark) else { throw .damaged }
      rest = rest.dropFirst(Self.mark.count)
      guard let format = rest.popFirst() else { throw .damaged }
      guard format <= Self.format else { throw .tooNew(format) }
      guard let kind = rest.popFirst().flatMap(Kind.init), format == kind.format, let isLast = rest.popFirst(),
        isLast <= 1,
        let session = rest.takeNumber(8), let first = rest.takeNumber(8), 1 <= first, first <= sequence,
        let checksum = rest.takeNumber(4)
      else { throw .damaged }
      self.init(kind, isLast: isLast == 1, session: session, first: first, bytes: rest)
      guard checksum == UInt64(self.checksum) else { throw .damaged }
    }

    func encoded() -> [UInt8] {
      var message = head
      message.reserveCapacity(Self.headByteCount + bytes.count)
      message.append(number: checksum)
      message += bytes
      return message
    }

    private var head: [UInt8] {
      var head = Self.mark + [kind.format, kind.rawValue, isLast ? 1 : 0]
      head.append(number: session)
      head.append(number: first)
      return head
    }

    private var checksum: UInt32 {
      var sum = CRC32C()
      sum.add(head)
      bytes.withUnsafeBytes { sum.add($0) }
      return sum.value
    }
  }
#endif
