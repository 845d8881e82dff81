#if NATS
  import Testing

  @testable import StarlingNATS

  private func pair(_ byte: UInt8) throws -> SealingKeyPair {
    try SealingKeyPair(secret: [UInt8](repeating: byte, count: 32))
  }

  private let context = HandshakeContext(
    group: "isles", session: 7, caller: MemberID(rawValue: 1), called: MemberID(rawValue: 2))

  private func sessions() throws -> (caller: SealedSession, called: SealedSession) {
    let call = try HandshakeCall(from: pair(1), to: pair(2).publicKey, ephemeral: pair(3), in: context)
    let read = try HandshakeAnswer(reading: call.message, by: pair(2), in: context)
    let (message, called) = try read.answer(ephemeral: pair(4))
    return (try call.session(after: message), called)
  }

  @Suite struct `A handshake over NATS` {
    @Test func `tells each side the other, and opens what each seals`() throws {
      let call = try HandshakeCall(from: pair(1), to: pair(2).publicKey, ephemeral: pair(3), in: context)
      #expect(try HandshakeAnswer(reading: call.message, by: pair(2), in: context).callerKey == pair(1).publicKey)
      var (caller, called) = try sessions()
      for text in [[], [1], [2, 3]] as [[UInt8]] {
        let (up, down) = (caller.nextCounter, called.nextCounter)
        #expect(try called.open(caller.seal(text, over: [7]), counter: up, over: [7]) == text)
        #expect(try caller.open(called.seal(text, over: [8]), counter: down, over: [8]) == text)
      }
    }

    @Test func `refuses a caller so that nobody else can`() throws {
      let call = try HandshakeCall(from: pair(1), to: pair(2).publicKey, ephemeral: pair(3), in: context)
      let refusal = try HandshakeAnswer(reading: call.message, by: pair(2), in: context).refusal()
      #expect(call.isRefused(by: refusal))
      let later = try HandshakeCall(from: pair(1), to: pair(2).publicKey, ephemeral: pair(5), in: context)
      #expect(!later.isRefused(by: refusal))
      for place in refusal.indices {
        var changed = refusal
        changed[place] ^= 1
        #expect(!call.isRefused(by: changed) && !call.isRefused(by: Array(refusal.prefix(place))))
      }
    }

    @Test func `fails at another key, group, session or member`() throws {
      let call = try HandshakeCall(from: pair(1), to: pair(2).publicKey, ephemeral: pair(3), in: context)
      let changes: [(inout HandshakeContext) -> Void] = [
        { $0.group = "islets" }, { $0.session = 8 }, { $0.caller = $0.called }, { $0.called = $0.caller },
      ]
      for change in changes {
        var other = context
        change(&other)
        #expect(throws: SealingFault.notAuthentic) {
          try HandshakeAnswer(reading: call.message, by: pair(2), in: other)
        }
      }
      #expect(throws: SealingFault.notAuthentic) {
        try HandshakeAnswer(reading: call.message, by: pair(5), in: context)
      }
    }

    @Test func `fails cut at every byte, and with any byte changed`() throws {
      let call = try HandshakeCall(from: pair(1), to: pair(2).publicKey, ephemeral: pair(3), in: context)
      let answer = try HandshakeAnswer(reading: call.message, by: pair(2), in: context).answer(ephemeral: pair(4))
      for place in call.message.indices {
        var changed = call.message
        changed[place] ^= 1
        #expect(throws: SealingFault.self) { try HandshakeAnswer(reading: changed, by: pair(2), in: context) }
        #expect(throws: SealingFault.malformed) {
          try HandshakeAnswer(reading: Array(call.message.prefix(place)), by: pair(2), in: context)
        }
      }
      for place in answer.message.indices {
        var changed = answer.message
        changed[place] ^= 1
        #expect(throws: SealingFault.self) { try call.session(after: changed) }
        #expect(throws: SealingFault.malformed) { try call.session(after: Array(answer.message.prefix(place))) }
      }
      #expect(throws: SealingFault.weakKey) {
        try HandshakeAnswer(reading: [UInt8](repeating: 0, count: 96), by: pair(2), in: context)
      }
    }

    @Test func `opens over gaps and out of order, and nothing twice, reflected or changed`() throws {
      var (sending, reading) = try sessions()
      let sealed = try (0..<4).map { try sending.seal([$0], over: [9]) }
      #expect(try reading.open(sealed[0], counter: 0, over: [9]) == [0])
      #expect(try reading.open(sealed[2], counter: 2, over: [9]) == [2])
      for past in [0, 2] {
        #expect(throws: SealingFault.replayed) {
          try reading.open(sealed[past], counter: UInt64(past), over: [9])
        }
      }
      #expect(try reading.open(sealed[1], counter: 1, over: [9]) == [1])
      #expect(throws: SealingFault.replayed) { try reading.open(sealed[1], counter: 1, over: [9]) }
      #expect(throws: SealingFault.notAuthentic) { try reading.open(sealed[3], counter: 4, over: [9]) }
      #expect(throws: SealingFault.notAuthentic) { try reading.open(sealed[3], counter: 3, over: []) }
      #expect(throws: SealingFault.exhausted) { try reading.open(sealed[3], counter: .max, over: [9]) }
      #expect(throws: SealingFault.notAuthentic) { try sending.open(sealed[3], counter: 3, over: [9]) }
      for place in sealed[3].indices {
        var changed = sealed[3]
        changed[place] ^= 1
        #expect(throws: SealingFault.notAuthentic) { try reading.open(changed, counter: 3, over: [9]) }
        let cut = Array(sealed[3].prefix(place))
        #expect(throws: SealingFault.self) { try reading.open(cut, counter: 3, over: [9]) }
      }
      #expect(try reading.open(sealed[3], counter: 3, over: [9]) == [3], "faults leave the session as it was")
    }
  }

  @Suite struct `A broadcast key` {
    @Test func `opens what was published after it was handed over, each once`() throws {
      var key = BroadcastKey(number: 3, key: [UInt8](repeating: 5, count: 32))
      let before = try key.seal([1], over: [])
      guard case .key(let number, let bytes, let counter) = key.handover else {
        Issue.record("no key is handed over")
        return
      }
      var received = ReceivedBroadcastKey(number: number, key: bytes, from: counter)
      let after = try key.seal([2], over: [])
      #expect((number, counter) == (3, 1))
      #expect(throws: SealingFault.replayed) { try received.open(before, counter: 0, over: []) }
      #expect(try received.open(after, counter: 1, over: []) == [2])
      #expect(throws: SealingFault.replayed) { try received.open(after, counter: 1, over: []) }
      #expect(!key.isWorn)
    }

    @Test func `is handed over in a note that reads as it was written`() {
      let notes: [SealedNote] = [
        .here, .heard, .key(number: 7, key: Array(1...32), counter: 9), .taken(number: .max),
      ]
      for note in notes {
        let bytes = note.encoded()
        #expect(SealedNote(decoding: bytes) == note)
        #expect(SealedNote(decoding: bytes + [0]) == nil)
        for count in bytes.indices { #expect(SealedNote(decoding: Array(bytes.prefix(count))) == nil) }
      }
      #expect(SealedNote(decoding: [4]) == nil)
    }
  }

  @Suite struct `The handshakes that a link computes` {
    @Test func `are so many at once, and so many a second`() {
      let start = ContinuousClock.now
      var budget = HandshakeBudget(perSecond: 4, now: start)
      func taken(at moment: Duration) -> Int {
        (0..<10).count { _ in budget.take(now: start + moment) }
      }
      #expect(taken(at: .zero) == 4)
      #expect(taken(at: .milliseconds(249)) == 0)
      #expect(taken(at: .milliseconds(250)) == 1)
      #expect(taken(at: .milliseconds(900)) == 2)
      #expect(taken(at: .seconds(1)) == 1, "what was left of an interval counts")
      #expect(taken(at: .seconds(3600)) == 4)
    }
  }
#endif
