#if NATS
  import StarlingCore
  import StarlingEngine
  import StarlingLogTestSupport
  import StarlingTestSupport
  import Testing

  @testable import StarlingNATS

  @Suite struct `A message of a log's stream` {
    private let part = StreamPart(.records, isLast: true, session: 7, first: 3, bytes: [1, 2, 3])

    @Test func `reads as it was written`() throws {
      for kind in StreamPart.Kind.allCases {
        var part = part
        part.kind = kind
        let read = try StreamPart(decoding: part.encoded(), at: 5)
        #expect((read.kind, read.isLast, read.session, read.first) == (kind, true, 7, 3))
        #expect(Array(read.bytes) == [1, 2, 3])
      }
    }

    @Test func `is refused with any bit of it turned, and at every length but its own`() {
      let message = part.encoded()
      for place in message.indices {
        for bit in 0..<8 {
          var altered = message
          altered[place] ^= 1 << bit
          #expect(throws: StreamPart.Fault.self, "bit \(bit) of byte \(place)") {
            try StreamPart(decoding: altered, at: 5)
          }
        }
      }
      for count in 0..<message.count {
        #expect(throws: StreamPart.Fault.self) { try StreamPart(decoding: Array(message.prefix(count)), at: 5) }
      }
      #expect(throws: StreamPart.Fault.self) { try StreamPart(decoding: message + [0], at: 5) }
    }

    @Test func `is refused before the place at which its call begins, and where nothing can be`() {
      for sequence in [0, 1, 2, 1 << 62, .max] as [UInt64] {
        #expect(throws: StreamPart.Fault.self) { try StreamPart(decoding: part.encoded(), at: sequence) }
      }
    }

    /// A program that knows format 1 alone says so of a snapshot beside which records stay, and does not take it for
    /// damage.
    @Test func `bears the first format that has its kind, and is refused under another`() {
      let formats: [StreamPart.Kind: UInt8] = [
        .keepingSnapshot: 2, .checkpoint: 3, .sealed: 3, .index: 3, .generations: 3, .forgotten: 3, .moved: 3,
      ]
      for kind in StreamPart.Kind.allCases {
        var part = part
        part.kind = kind
        let message = part.encoded()
        #expect(message[2] == formats[kind] ?? 1)
        var altered = message
        altered[2] = message[2] == 1 ? 2 : 1
        #expect {
          try StreamPart(decoding: altered, at: 5)
        } throws: {
          if case .damaged = $0 as? StreamPart.Fault { true } else { false }
        }
      }
    }

    @Test func `of a later format says so`() {
      var message = part.encoded()
      message[2] = 4
      #expect {
        try StreamPart(decoding: message, at: 5)
      } throws: {
        if case .tooNew(4) = $0 as? StreamPart.Fault { true } else { false }
      }
    }
  }

  @Suite struct `A call in parts` {
    private let call = StreamCall(kind: .snapshot, head: Array(0..<20), body: Array(20..<100))

    private func parts(from first: UInt64, byteCountMax: Int, session: UInt64 = 7) throws -> [(UInt64, StreamPart)] {
      try call.messages(of: session, from: first, byteCountMax: byteCountMax).enumerated().map { place, message in
        #expect(message.count <= max(byteCountMax, StreamPart.headByteCount + 1))
        return (first + UInt64(place), try StreamPart(decoding: message, at: first + UInt64(place)))
      }
    }

    /// Every size of a message, from one byte a part to all in one.
    @Test func `is read with its last part, and every piece of its body is found`() throws {
      for byteCountMax in 20...135 {
        let parts = try parts(from: 9, byteCountMax: byteCountMax)
        var reader = CallReader()
        var read: ReadCall?
        for (sequence, part) in parts {
          #expect(read == nil)
          read = try reader.take(part, at: sequence)
        }
        let whole = try #require(read)
        #expect(whole.head == call.head && whole.bodyByteCount == call.body.count)
        #expect((whole.first, whole.last) == (9, 8 + UInt64(parts.count)))
        #expect(whole.partByteCount == call.partByteCount(byteCountMax: byteCountMax))
        let bytes = Dictionary(uniqueKeysWithValues: parts)
        for offset in stride(from: 0, through: 80, by: 7) {
          for count in 0...(80 - offset) {
            let span = whole.span(from: offset, byteCount: count)
            let found = span.sequences.flatMap { sequence in
              bytes[sequence]!.bytes.dropFirst(span.range(at: sequence).lowerBound).prefix(
                span.range(at: sequence).count)
            }
            #expect(found == Array(call.body[offset..<offset + count]))
          }
        }
      }
    }

    @Test func `that lacks any part never was, and the next is read`() throws {
      let parts = try parts(from: 1, byteCountMax: 60)
      #expect(parts.count == 3)
      let next = UInt64(parts.count) + 1
      for missing in parts.indices {
        var reader = CallReader()
        for (place, (sequence, part)) in parts.enumerated() where place != missing {
          #expect(try reader.take(part, at: sequence) == nil, "without part \(missing)")
        }
        for (sequence, part) in try self.parts(from: next, byteCountMax: 1000) {
          #expect(try reader.take(part, at: sequence)?.head == call.head)
        }
      }
    }

    @Test func `is not continued by another session's part`() throws {
      var reader = CallReader()
      let (ours, theirs) = (try parts(from: 1, byteCountMax: 60), try parts(from: 1, byteCountMax: 60, session: 8))
      #expect(try reader.take(ours[0].1, at: 1) == nil)
      #expect(try reader.take(theirs[1].1, at: 2) == nil)
      #expect(try reader.take(ours[2].1, at: 3) == nil)
    }
  }

  @Suite struct `What a call says first` {
    private let version = StarlingLogTestSupport.version([ada: 3, bob: 1 << 62])

    private var heads: [([UInt8], ([UInt8]) -> [UInt8]?)] {
      var records = RecordsHead()
      records.documents = [library, garden]
      records.countsBefore = [0, 7]
      records.entries = [
        .init(document: 1, replica: ada, firstCounter: 1, lastCounter: 2, byteCount: 3),
        .init(document: 0, replica: bob, firstCounter: 9, lastCounter: 9, byteCount: 0),
      ]
      return [
        (
          OpenedHead(store: StoreID(rawValue: 1), holder: "pid 1, ä").encoded,
          { OpenedHead(decoding: $0)?.encoded }
        ),
        (
          ClosedHead(replica: ada, heads: [.init(document: library, counter: 4)]).encoded,
          { ClosedHead(decoding: $0)?.encoded }
        ),
        (records.encoded, { RecordsHead(decoding: $0, bodyByteCount: 3)?.encoded }),
        (
          SnapshotHead(document: garden, countLeft: 5, version: version).encoded,
          { SnapshotHead(decoding: $0, as: .snapshot)?.encoded }
        ),
        (DocumentHead(document: garden).encoded, { DocumentHead(decoding: $0)?.encoded }),
        (
          MembersBody.encode([LogMember(store: StoreID(rawValue: 9), acknowledged: version, heardAt: 8)]),
          { MembersBody.decode($0).map(MembersBody.encode) }
        ),
        (
          LeasesBody.encode([
            LogLease(replica: ada, number: 1, counter: 2, holder: StoreID(rawValue: 3), user: "key")
          ]),
          { LeasesBody.decode($0).map(LeasesBody.encode) }
        ),
        (
          SnapshotHead(document: garden, countLeft: 5, version: version, kept: [ada: 0, bob: 1 << 62]).encoded,
          { SnapshotHead(decoding: $0, as: .keepingSnapshot)?.encoded }
        ),
      ]
    }

    @Test func `reads as it was written, and not when it is cut`() {
      for (place, (bytes, recoded)) in heads.enumerated() {
        #expect(recoded(bytes) == bytes)
        // An empty list of members, or of leases, is one.
        for count in (place < 5 ? 0 : 1)..<bytes.count {
          #expect(recoded(Array(bytes.prefix(count))) == nil, "\(place) cut to \(count)")
        }
        #expect(recoded(bytes + [0]) == nil)
      }
    }

    /// Whatever bytes come: no trap, no memory taken for what is only promised.
    @Test(arguments: [UInt64(1), 2, 3]) func `refuses or takes any bytes`(seed: UInt64) {
      var dice = Dice(seed: seed)
      for (bytes, recoded) in heads {
        for _ in 0..<2000 {
          var altered = bytes
          for _ in 0...dice.roll(3) { altered[dice.roll(altered.count)] = UInt8(truncatingIfNeeded: dice.next()) }
          if let again = recoded(altered) { #expect(again.count <= altered.count, "seed \(seed)") }
        }
      }
    }
  }
#endif
