#if NATS
  import StarlingCore
  import StarlingEngine

  /// A log while we hold it: its stream, and the index of what stands there.
  final class LogSession {
    let name: String
    let stream: LogStream
    /// Ours, drawn at random.
    let session: UInt64
    let store: StoreID
    /// The id that the closing mark and the witness proved, if they did.
    let replica: ReplicaID?
    private let witness: LogWitness?

    var index: LogIndex
    /// The sequence of the last message, which is ours.
    private(set) var last: UInt64
    /// The last sequence when space was made, or was seen not to be worth it.
    var spaceMadeAt: UInt64 = 0
    /// Where the last index ends in the stream; 0 where there is none.
    var indexedAt: UInt64
    /// How many messages may follow it.
    let messageCountPerIndex: UInt64
    /// After how many messages one may be due again.
    var nextIndexAfter: UInt64
    /// Of snapshots and checkpoints; and after how many of them one may be due.
    var stateByteCountSinceIndex = 0
    var nextIndexAfterStateBytes = LogSession.stateByteCountMin
    /// Why nothing can be written any more.
    private var refusal: LogError?
    /// False once a write failed: dots may be in use then that the stream does not know.
    private var knowsEveryDot = true

    init(
      name: String, stream: LogStream, session: UInt64, store: StoreID, replica: ReplicaID?, witness: LogWitness?,
      index: LogIndex, last: UInt64, indexedAt: UInt64
    ) {
      self.indexedAt = indexedAt
      messageCountPerIndex = stream.servers.limits.messageCountPerIndex
      nextIndexAfter = messageCountPerIndex
      self.name = name
      self.stream = stream
      self.session = session
      self.store = store
      self.replica = replica
      self.witness = witness
      self.index = index
      self.last = last
    }

    /// What a message with the next sequence is to say.
    ///
    /// - Returns: the call as it stands in the stream, once all of it does.
    /// - Throws: `LogError`. Nothing of the call counts then, unless the answer to its last part was lost for good; the
    ///   log takes no more in this case.
    ///
    /// - Parameter partToken: the subject of all messages but the last; nil for the same.
    func write(
      _ call: StreamCall, to token: String, beforeLast partToken: String? = nil
    ) throws(LogError) -> ReadCall {
      if let refusal { throw refusal }
      guard call.head.count <= StreamCall.headByteCountMax else {
        throw LogError(.misuse, "One call of the log names more than its \(StreamCall.headByteCountMax) bytes allow.")
      }
      let byteCountMax = stream.messageByteCountMax
      let first = last + 1
      let count = call.messageCount(byteCountMax: byteCountMax)
      for (number, message) in call.messages(of: session, from: first, byteCountMax: byteCountMax).enumerated() {
        try publish(message, to: number + 1 == count ? token : partToken ?? token)
      }
      return ReadCall(
        kind: call.kind, session: session, first: first, last: last, head: call.head,
        partByteCount: call.partByteCount(byteCountMax: byteCountMax), bodyByteCount: call.body.count)
    }

    private func publish(_ message: [UInt8], to token: String) throws(LogError) {
      var isOpen = false
      do throws(LogError) {
        let deadline = ContinuousClock.now + stream.servers.limits.patience
        while true {
          switch try stream.publish(message, to: token, behind: last, isOpen: &isOpen) {
          case .stored:
            last += 1
            return
          case .displaced(let standing): throw try displacement() ?? intrusion(standing)
          case .nowhere: try checkIsBehind(until: deadline)
          }
          stream.servers.rest()
        }
      } catch {
        knowsEveryDot = false
        // A stream that is full may be enlarged; but what may have been stored must not be said again under another
        // number.
        guard isOpen || error.code != .unwritable else { throw error }
        var final = error
        final.isTransient = false
        refusal = final
        throw final
      }
    }

    private func intrusion(_ standing: LogStream.Message) -> LogError {
      LogError.corrupt(stream, standing.sequence, "was written by somebody who does not hold the log")
    }

    /// A server that answers from behind the others hears of them within seconds, and steps down: it is worth asking
    /// again as long as the stream is ours.
    ///
    /// - Throws: `LogError` where it is not, or nothing has changed until `deadline`.
    private func checkIsBehind(until deadline: ContinuousClock.Instant) throws(LogError) {
      if let error = try displacement() { throw error }
      guard try stream.isReplaced() || .now >= deadline else { return }
      throw LogError(
        .corrupt,
        "Somebody removed or replaced the stream '\(stream.name)' while the log '\(name)' was open: it does not hold what "
          + "was written up to sequence \(last). Put back a backup, or open the log again and let the peers fill it.")
    }

    /// Names the process that opened the log after us, if any did.
    func displacement() throws(LogError) -> LogError? {
      try stream.displacement(of: session, at: last)
    }

    /// The index as the stream alone says it, for a move that is to be checked.
    func reread() throws(LogError) {
      index = try stream.readIndex(through: last)
    }

    // MARK: Closing

    /// Leaves the closing mark, where the stream and we are known to agree.
    ///
    /// - Throws: `LogError` where it could not be left.
    func close(continuing replica: ReplicaID) throws(LogError) {
      guard refusal == nil, knowsEveryDot else { return }
      if index.move == nil { writeLastIndex() }
      _ = try write(StreamCall(kind: .closed, head: index.mark(of: replica).encoded), to: LogSubjects.session)
      guard var witness else { return }
      try witness.catchUp(with: session)
      try witness.say(.closed, by: session)
    }
  }

  extension LogStream {
    /// Names the process that opened the log after this session, whose last message is at `last`, if any did.
    func displacement(of session: UInt64, at last: UInt64) throws(LogError) -> LogError? {
      guard let message = try lastMessage(of: LogSubjects.session), message.sequence > last,
        let part = try? StreamPart(decoding: message.bytes, at: message.sequence), part.session != session
      else { return nil }
      var reader = CallReader()
      let opening = (try? reader.take(part, at: message.sequence)).flatMap { OpenedHead(decoding: $0.head) }
      let holder = opening.map { "(\($0.holder)) " } ?? ""
      return LogError(
        .busy,
        "Another process \(holder)opened the log in the stream '\(name)', by sequence \(message.sequence), and holds it now. "
          + "Stop it and open the log again, or give each a name of its own.")
    }
  }

  extension LogError {
    /// - Parameter fault: a sentence's end, after the name of the message.
    static func corrupt(_ stream: LogStream, _ sequence: UInt64, _ fault: String) -> LogError {
      LogError(
        .corrupt,
        "The message \(sequence) of the stream '\(stream.name)' \(fault). Nothing was changed in it. Put back a backup (nats "
          + "stream restore), or remove the stream and let the peers fill a new one.")
    }
  }
#endif
