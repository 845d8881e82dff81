#if NATS
  import Testing

  @testable import StarlingNATS

  private let ada = MemberID(rawValue: 0x0123_4567_89ab_cdef)
  private let line = Assembly.Line(kind: .up, sender: ada, session: 1)

  @Suite struct `An envelope` {
    @Test func `reads as it was written`() throws {
      for rawValue in 1...22 as ClosedRange<UInt8> {
        let kind = try #require(Envelope.Kind(rawValue: rawValue))
        let part = Envelope.Part(frame: 7, byteCount: 9, offset: 2, bytes: [1, 2, 3])
        var sent = Envelope(kind, from: ada, session: kind.hasSession ? 5 : 0, part: kind.hasPart ? part : nil)
        if let count = kind.keyByteCount { sent.body = (0..<count).map { UInt8($0) }[...] }
        if kind.isSealed { (sent.counter, sent.body) = (6, [UInt8](repeating: 4, count: 20)[...]) }
        let read = try #require(Envelope(decoding: sent.encoded()))
        #expect((read.kind, read.sender, read.session) == (sent.kind, sent.sender, sent.session))
        #expect((read.counter, Array(read.body)) == (sent.counter, Array(sent.body)))
        #expect(read.part.map { Array($0.bytes) } == sent.part.map { Array($0.bytes) })
        #expect(
          read.part.map { [$0.frame, $0.byteCount, $0.offset] }
            == sent.part.map { [$0.frame, $0.byteCount, $0.offset] })
      }
      #expect(Envelope.Kind(rawValue: 0) == nil && Envelope.Kind(rawValue: 23) == nil)
    }

    @Test func `is refused at every length but its own`() {
      for kind in [Envelope.Kind.here, .call, .leaving] {
        let bytes = Envelope(kind, from: ada, session: 1).encoded()
        for count in 0..<bytes.count { #expect(Envelope(decoding: Array(bytes.prefix(count))) == nil) }
        #expect(Envelope(decoding: bytes + [0]) == nil)
      }
      for kind in [Envelope.Kind.keyedHere, .keyedGuest, .keyedCall, .keyedAnswer, .keyedRefusal] {
        let body = [UInt8](repeating: 1, count: kind.keyByteCount ?? 0)
        let bytes = Envelope(kind, from: ada, session: 1, body: body).encoded()
        for count in 0..<bytes.count { #expect(Envelope(decoding: Array(bytes.prefix(count))) == nil) }
        #expect(Envelope(decoding: bytes + [0]) == nil)
      }
      for kind in [Envelope.Kind.sealedUp, .sealedDown, .sealedOnly, .sealedPublished, .noteUp, .noteDown] {
        var envelope = Envelope(kind, from: ada, session: 1, counter: 2)
        envelope.body = [UInt8](repeating: 1, count: 16)[...]
        let bytes = envelope.encoded()
        for count in 0..<bytes.count { #expect(Envelope(decoding: Array(bytes.prefix(count))) == nil) }
        #expect(Envelope(decoding: bytes) != nil)
      }
      let part = Envelope.Part(frame: 1, byteCount: 3, offset: 0, bytes: [1, 2, 3])
      let bytes = Envelope(.published, from: ada, part: part).encoded()
      // With a byte missing it is the beginning of the frame; with none left, or one too many, it is nothing.
      #expect(Envelope(decoding: Array(bytes.dropLast())) != nil)
      #expect(Envelope(decoding: Array(bytes.dropLast(3))) == nil)
      #expect(Envelope(decoding: bytes + [0]) == nil)
    }

    @Test func `names a member in sixteen digits`() {
      #expect(MemberID(rawValue: 0x1f).text == "000000000000001f")
      #expect(MemberID("000000000000001f") == MemberID(rawValue: 0x1f))
      for wrong in ["", "1f", "000000000000001F", "+00000000000001f", "00000000000000001f"] {
        #expect(MemberID(wrong[...]) == nil)
      }
    }
  }

  @Suite struct `A frame in parts` {
    private func part(_ bytes: [UInt8], at offset: UInt32, of byteCount: UInt32, frame: UInt32 = 1) -> Envelope.Part {
      Envelope.Part(frame: frame, byteCount: byteCount, offset: offset, bytes: bytes[...])
    }

    @Test func `is whole with its last part`() {
      var assembly = Assembly(frameByteCountMax: 10, byteCountMax: 10)
      #expect(assembly.take(part([], at: 0, of: 0), of: line) == [])
      #expect(assembly.take(part([1, 2], at: 0, of: 5), of: line) == nil)
      #expect(assembly.take(part([3, 4], at: 2, of: 5), of: line) == nil)
      #expect(assembly.take(part([5], at: 4, of: 5), of: line) == [1, 2, 3, 4, 5])
      #expect(assembly.lostCount == 0)
      #expect(assembly.byteCount == 0)
    }

    @Test func `is lost with any of its parts, and takes none of another frame`() {
      let parts = [part([1], at: 0, of: 3), part([2], at: 1, of: 3), part([3], at: 2, of: 3)]
      for missing in 0..<3 {
        var assembly = Assembly(frameByteCountMax: 10, byteCountMax: 10)
        for (index, part) in parts.enumerated() where index != missing {
          #expect(assembly.take(part, of: line) == nil)
        }
        #expect(assembly.take(part([9], at: 0, of: 1, frame: 2), of: line) == [9])
        #expect(assembly.byteCount == 0)
      }
      var assembly = Assembly(frameByteCountMax: 10, byteCountMax: 10)
      #expect(assembly.take(part([1], at: 0, of: 2, frame: 1), of: line) == nil)
      #expect(assembly.take(part([2], at: 1, of: 2, frame: 2), of: line) == nil)
      #expect(assembly.lostCount == 1)
    }

    @Test func `takes no more than there is space for, on all lines together`() {
      var assembly = Assembly(frameByteCountMax: 4, byteCountMax: 6)
      #expect(assembly.take(part([1, 2, 3, 4], at: 0, of: 5), of: line) == nil)
      #expect(assembly.byteCount == 0, "larger than a frame may be")
      for session in 1...9 as ClosedRange<UInt64> {
        let line = Assembly.Line(kind: .up, sender: ada, session: session)
        #expect(assembly.take(part([1, 2, 3], at: 0, of: 4), of: line) == nil)
        #expect(assembly.byteCount <= 6)
      }
      #expect(assembly.lostCount == 8)
      assembly.forget { $0.sender == ada }
      #expect(assembly.byteCount == 0)
    }
  }
#endif
