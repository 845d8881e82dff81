#if NATS
  /// What both sides of a handshake agree on before it: another group, member or session yields other keys.
  struct HandshakeContext: Sendable {
    var group: String
    var session: UInt64
    var caller: MemberID
    var called: MemberID

    fileprivate var encoded: [UInt8] {
      var bytes = Array("Starling over NATS, handshake 1".utf8)
      bytes.append(text: group)
      bytes.append(number: session)
      bytes.append(number: caller.rawValue)
      bytes.append(number: called.rawValue)
      return bytes
    }
  }

  /// What was said so far, and the key that follows from it.
  private struct Transcript: Sendable {
    var hash: [UInt8]
    var chain: [UInt8]
    var key: [UInt8] = []

    init(_ context: HandshakeContext, called: [UInt8]) {
      hash = Sealing.hash(context.encoded + called)
      chain = hash
    }

    mutating func add(_ bytes: [UInt8]) { hash = Sealing.hash(bytes, key: hash) }

    mutating func mix(_ shared: [UInt8]) {
      let mixed = Sealing.hash(shared, key: chain)
      chain = Sealing.hash([1], key: mixed)
      key = Array(Sealing.hash(chain + [2], key: mixed).prefix(32))
    }

    /// Each key seals once: another is mixed before each.
    mutating func seal(_ bytes: [UInt8]) -> [UInt8] {
      let sealed = Sealing.seal(bytes, key: key, counter: 0, over: hash)
      add(sealed)
      return sealed
    }

    mutating func open(_ sealed: [UInt8]) throws(SealingFault) -> [UInt8] {
      let bytes = try Sealing.open(sealed, key: key, counter: 0, over: hash)
      add(sealed)
      return bytes
    }

    /// The caller's key and the called one's, bound to all that was said.
    var keys: (caller: [UInt8], called: [UInt8]) {
      let last = Sealing.hash(hash, key: chain)
      return (Array(last.prefix(32)), Array(last.suffix(32)))
    }
  }

  /// The caller's side, which knows whose key it calls. Shaped like Noise IK.
  ///
  /// ```
  ///   caller  | ephemeral, 32 | its key sealed, 48 | nothing sealed, 16 |  -->  called
  ///           <--  | ephemeral, 32 | nothing sealed, 16 |     answer
  ///           <--  | 1 sealed, 17 |                           or refusal
  /// ```
  struct HandshakeCall: Sendable {
    static let byteCount = 96

    let message: [UInt8]
    /// The key that is called.
    let calledKey: [UInt8]
    private let own: SealingKeyPair
    private let ephemeral: SealingKeyPair
    private let transcript: Transcript

    /// - Parameter ephemeral: drawn at random for this call alone.
    init(
      from own: SealingKeyPair, to called: [UInt8], ephemeral: SealingKeyPair, in context: HandshakeContext
    ) throws(SealingFault) {
      var transcript = Transcript(context, called: called)
      transcript.add(ephemeral.publicKey)
      transcript.mix(try ephemeral.shared(with: called))
      let key = transcript.seal(own.publicKey)
      transcript.mix(try own.shared(with: called))
      message = ephemeral.publicKey + key + transcript.seal([])
      calledKey = called
      self.own = own
      self.ephemeral = ephemeral
      self.transcript = transcript
    }

    /// Whether these bytes are the refusal of whoever owns the called key, and of nobody else.
    func isRefused(by refusal: [UInt8]) -> Bool {
      var transcript = transcript
      transcript.mix(HandshakeAnswer.refused)
      return (try? transcript.open(refusal)) == HandshakeAnswer.refused
    }

    /// - Parameter answer: what the called one said.
    func session(after answer: [UInt8]) throws(SealingFault) -> SealedSession {
      guard answer.count == HandshakeAnswer.byteCount else { throw .malformed }
      var transcript = transcript
      let other = Array(answer.prefix(32))
      transcript.add(other)
      transcript.mix(try ephemeral.shared(with: other))
      transcript.mix(try own.shared(with: other))
      _ = try transcript.open(Array(answer.dropFirst(32)))
      let keys = transcript.keys
      return SealedSession(sendingKey: keys.caller, receivingKey: keys.called)
    }
  }

  /// A call as the called one reads it: it knows who calls, and has answered nothing.
  ///
  /// The call may be an old one, said again; only a first message of the session proves that its caller is there.
  struct HandshakeAnswer: Sendable {
    static let byteCount = 48
    static let refusalByteCount = 17
    fileprivate static let refused: [UInt8] = [1]

    /// The caller's, to be looked up before anything is answered.
    let callerKey: [UInt8]
    private let callerEphemeral: [UInt8]
    private let transcript: Transcript

    /// - Complexity: two products on the curve, whoever calls.
    init(reading call: [UInt8], by own: SealingKeyPair, in context: HandshakeContext) throws(SealingFault) {
      guard call.count == HandshakeCall.byteCount else { throw .malformed }
      var transcript = Transcript(context, called: own.publicKey)
      callerEphemeral = Array(call.prefix(32))
      transcript.add(callerEphemeral)
      transcript.mix(try own.shared(with: callerEphemeral))
      callerKey = try transcript.open(Array(call[32..<80]))
      transcript.mix(try own.shared(with: callerKey))
      _ = try transcript.open(Array(call[80...]))
      self.transcript = transcript
    }

    /// Says to the caller, and to nobody else, that its key is not let in.
    func refusal() -> [UInt8] {
      var transcript = transcript
      // The last key has sealed already.
      transcript.mix(Self.refused)
      return transcript.seal(Self.refused)
    }

    /// - Parameter ephemeral: drawn at random for this answer alone.
    func answer(ephemeral: SealingKeyPair) throws(SealingFault) -> (message: [UInt8], session: SealedSession) {
      var transcript = transcript
      transcript.add(ephemeral.publicKey)
      transcript.mix(try ephemeral.shared(with: callerEphemeral))
      transcript.mix(try ephemeral.shared(with: callerKey))
      let message = ephemeral.publicKey + transcript.seal([])
      let keys = transcript.keys
      return (message, SealedSession(sendingKey: keys.called, receivingKey: keys.caller))
    }
  }
#endif
