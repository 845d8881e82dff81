#if NATS
  /// What one message on the cluster says. Numbers are little-endian.
  ///
  /// ```
  ///   here, guest, leaving, returned   | kind, 1 | sender, 8 |
  ///   call, answer, hangUp, refuse     | kind, 1 | sender, 8 | session, 8 |
  ///   up, down                         | kind, 1 | sender, 8 | session, 8 | part ... |
  ///   published                        | kind, 1 | sender, 8 | part ...              |
  ///
  ///   keyedHere, keyedGuest            | kind, 1 | sender, 8 | public key, 32 |
  ///   keyedCall, keyedAnswer,
  ///   keyedRefusal                     | kind, 1 | sender, 8 | session, 8 | handshake, 96, 48 or 17 |
  ///   sealedUp, sealedDown,
  ///   sealedOnly, noteUp, noteDown     | kind, 1 | sender, 8 | session, 8 | counter, 8 | sealed ... |
  ///   sealedPublished                  | kind, 1 | sender, 8 | key's number, 8 | counter, 8 | sealed ... |
  ///
  ///   part                             | frame, 4 | byte count, 4 | offset, 4 | bytes ... |
  ///   sealed                           a part, or what a note says, and 16 bytes more
  /// ```
  ///
  /// A session is the dialler's number for one stretch of a connection; it never has two of the same. Members with keys
  /// send the kinds from 12 on. Versions that know nothing of keys count these as malformed.
  struct Envelope {
    enum Kind: UInt8 {
      /// I am here, and may be dialled.
      case here = 1
      /// I am here, and dial others.
      case guest = 2
      case leaving = 3
      /// I dial you.
      case call = 4
      /// You are heard.
      case answer = 5
      /// A frame, from the one who dialled.
      case up = 6
      /// A frame, to the one who dialled.
      case down = 7
      /// The one who dialled hangs up.
      case hangUp = 8
      /// The other one does, or knows nothing of the session.
      case refuse = 9
      case published = 10
      /// I lost my connection, and my sessions with it.
      case returned = 11
      /// As `here`, from a member that proves its key.
      case keyedHere = 12
      /// As `guest`, from a member that proves its key.
      case keyedGuest = 13
      case keyedCall = 14
      case keyedAnswer = 15
      /// Your key is not let in.
      case keyedRefusal = 16
      case sealedUp = 17
      case sealedDown = 18
      /// What links say in a session, from the one who dialled.
      case noteUp = 19
      /// The same, to the one who dialled.
      case noteDown = 20
      /// For all relays; its session is the number of the key.
      case sealedPublished = 21
      /// Published for the one who dialled alone.
      case sealedOnly = 22

      var hasSession: Bool { (4...9).contains(rawValue) || rawValue >= 14 }
      var hasPart: Bool { self == .up || self == .down || self == .published }
      var isSealed: Bool { rawValue >= 17 }

      /// How many bytes of a key or a handshake end it.
      var keyByteCount: Int? {
        switch self {
        case .keyedHere, .keyedGuest: Sealing.keyByteCount
        case .keyedCall: HandshakeCall.byteCount
        case .keyedAnswer: HandshakeAnswer.byteCount
        case .keyedRefusal: HandshakeAnswer.refusalByteCount
        default: nil
        }
      }
    }

    /// A piece of a frame, or all of it.
    struct Part {
      static let headByteCount = 12

      /// The sender's number for the frame.
      var frame: UInt32
      /// Of the whole frame.
      var byteCount: UInt32
      /// Of this part in the frame.
      var offset: UInt32
      var bytes: ArraySlice<UInt8>

      init(frame: UInt32, byteCount: UInt32, offset: UInt32, bytes: ArraySlice<UInt8>) {
        self.frame = frame
        self.byteCount = byteCount
        self.offset = offset
        self.bytes = bytes
      }

      /// Nil for bytes of another shape.
      init?(decoding bytes: ArraySlice<UInt8>) {
        var rest = bytes
        guard let frame = rest.takeNumber(4), let byteCount = rest.takeNumber(4), let offset = rest.takeNumber(4),
          offset <= byteCount, rest.count <= byteCount - offset, !rest.isEmpty || byteCount == 0
        else { return nil }
        self.init(frame: UInt32(frame), byteCount: UInt32(byteCount), offset: UInt32(offset), bytes: rest)
      }

      func encode(into all: inout [UInt8]) {
        all.append(number: frame)
        all.append(number: byteCount)
        all.append(number: offset)
        all += bytes
      }
    }

    /// The most that stands before, and behind, the bytes of a part.
    static let headByteCountMax = 1 + 8 + 8 + 8 + Part.headByteCount + Sealing.tagByteCount

    var kind: Kind
    var sender: MemberID
    var session: UInt64 = 0
    var part: Part?
    /// Of a sealed message.
    var counter: UInt64 = 0
    /// A key, a word of the handshake, or sealed bytes.
    var body: ArraySlice<UInt8> = []

    init(_ kind: Kind, from sender: MemberID, session: UInt64 = 0, part: Part? = nil) {
      self.kind = kind
      self.sender = sender
      self.session = session
      self.part = part
    }

    /// A key or a word of the handshake.
    init(_ kind: Kind, from sender: MemberID, session: UInt64 = 0, body: [UInt8]) {
      self.init(kind, from: sender, session: session)
      self.body = body[...]
    }

    /// The head of a sealed message, whose bytes are still to come.
    init(_ kind: Kind, from sender: MemberID, session: UInt64, counter: UInt64) {
      self.init(kind, from: sender, session: session)
      self.counter = counter
    }

    /// Nil for bytes of another shape.
    init?(decoding bytes: [UInt8]) {
      var rest = bytes[...]
      guard let kind = rest.popFirst().flatMap(Kind.init), let sender = rest.takeNumber(8) else { return nil }
      self.init(kind, from: MemberID(rawValue: sender))
      if kind.hasSession {
        guard let session = rest.takeNumber(8) else { return nil }
        self.session = session
      }
      if kind.hasPart {
        guard let part = Part(decoding: rest) else { return nil }
        self.part = part
        return
      }
      if kind.isSealed {
        guard let counter = rest.takeNumber(8), rest.count >= Sealing.tagByteCount else { return nil }
        self.counter = counter
      } else {
        guard rest.count == kind.keyByteCount ?? 0 else { return nil }
      }
      body = rest
    }

    /// The sender's number for the message, and the place in a frame that has several. Of one kind they rise.
    var order: (UInt64, UInt32) { (kind.isSealed ? counter : UInt64(part?.frame ?? 0), part?.offset ?? 0) }

    /// What stands before the part or the body.
    var head: [UInt8] {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(Self.headByteCountMax + (part?.bytes.count ?? body.count))
      bytes.append(kind.rawValue)
      bytes.append(number: sender.rawValue)
      if kind.hasSession { bytes.append(number: session) }
      if kind.isSealed { bytes.append(number: counter) }
      return bytes
    }

    func encoded() -> [UInt8] {
      var bytes = head
      part?.encode(into: &bytes)
      bytes += body
      return bytes
    }
  }
#endif
