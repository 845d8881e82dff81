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
        #expect(try called.open(caller.seal(text)) == text)
        #expect(try caller.open(called.seal(text)) == text)
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

    @Test func `ends the session at a replay, a gap, a reflection or a change`() throws {
      let (caller, called) = try sessions()
      var sending = caller
      let first = try sending.seal([1, 2])
      let second = try sending.seal([3])
      var reading = called
      #expect(try reading.open(first) == [1, 2])
      #expect(throws: SealingFault.notAuthentic) { try reading.open(first) }
      #expect(throws: SealingFault.notAuthentic) { try reading.open(second) }
      reading = called
      #expect(throws: SealingFault.notAuthentic) { try reading.open(second) }
      #expect(throws: SealingFault.notAuthentic) { try sending.open(first) }
      for place in first.indices {
        var changed = first
        changed[place] ^= 1
        reading = called
        #expect(throws: SealingFault.notAuthentic) { try reading.open(changed) }
        reading = called
        #expect(throws: SealingFault.self) { try reading.open(Array(first.prefix(place))) }
      }
    }
  }
#endif
