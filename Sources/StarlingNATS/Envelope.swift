#if NATS
  /// What one message on the cluster says. Numbers are little-endian.
  ///
  /// ```
  ///   here, guest, leaving, returned   | kind, 1 | sender, 8 |
  ///   call, answer, hangUp, refuse     | kind, 1 | sender, 8 | session, 8 |
  ///   up, down                         | kind, 1 | sender, 8 | session, 8 | part ... |
  ///   published                        | kind, 1 | sender, 8 | part ...              |
  ///
  ///   part                             | frame, 4 | byte count, 4 | offset, 4 | bytes ... |
  /// ```
  ///
  /// A session is the dialler's number for one stretch of a connection; it never has two of the same.
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

      var hasSession: Bool { (4...9).contains(rawValue) }
      var hasPart: Bool { self == .up || self == .down || self == .published }
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
    }

    /// The most that stands before the bytes of a part.
    static let headByteCountMax = 1 + 8 + 8 + Part.headByteCount

    var kind: Kind
    var sender: MemberID
    var session: UInt64 = 0
    var part: Part?

    init(_ kind: Kind, from sender: MemberID, session: UInt64 = 0, part: Part? = nil) {
      self.kind = kind
      self.sender = sender
      self.session = session
      self.part = part
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
      guard kind.hasPart else {
        guard rest.isEmpty else { return nil }
        return
      }
      guard let frame = rest.takeNumber(4), let byteCount = rest.takeNumber(4), let offset = rest.takeNumber(4),
        offset <= byteCount, rest.count <= byteCount - offset, !rest.isEmpty || byteCount == 0
      else { return nil }
      part = Part(
        frame: UInt32(frame), byteCount: UInt32(byteCount), offset: UInt32(offset), bytes: rest)
    }

    func encoded() -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(Self.headByteCountMax + (part?.bytes.count ?? 0))
      bytes.append(kind.rawValue)
      bytes.append(number: sender.rawValue)
      if kind.hasSession { bytes.append(number: session) }
      if let part {
        bytes.append(number: part.frame)
        bytes.append(number: part.byteCount)
        bytes.append(number: part.offset)
        bytes += part.bytes
      }
      return bytes
    }
  }
#endif
