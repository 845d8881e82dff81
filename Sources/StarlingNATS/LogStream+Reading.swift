#if NATS
  import CNATS
  import StarlingEngine

  extension LogStream {
    // MARK: One

    /// Nil if it is not there; the stream's leader says so.
    func message(at sequence: UInt64) throws(LogError) -> Message? {
      try message { js_GetMsg($0, servers.context, name, sequence, $1, $2) }
    }

    /// The last under `token`.
    func lastMessage(of token: String) throws(LogError) -> Message? {
      let subject = settings.root + "." + token
      return try message { js_GetLastMsg($0, servers.context, name, subject, $1, $2) }
    }

    private func message(
      _ get: (
        UnsafeMutablePointer<OpaquePointer?>, UnsafeMutablePointer<jsOptions>, UnsafeMutablePointer<jsErrCode>
      ) -> natsStatus
    ) throws(LogError) -> Message? {
      var message: OpaquePointer?
      defer { natsMsg_Destroy(message) }
      let answer = servers.ask { get(&message, $0, $1) }
      if answer.isGood, let message {
        let sequence = natsMsg_GetSequence(message)
        guard sequence < 1 << 62 else { throw LogError.corrupt(self, sequence, "is where none can be") }
        read = (read.messageCount + 1, read.byteCount + Int(natsMsg_GetDataLength(message)))
        return Message(sequence: sequence, bytes: [UInt8](of: message))
      }
      guard answer.isNotFound else { throw answer.error(while: "reading the stream '\(name)'", servers.places) }
      return nil
    }

    // MARK: Some

    /// How many messages are asked for before the first is here.
    private static let countAtOnce = 32

    /// The messages at these sequences, as many of them as are there. One counts as gone where a replica tells of a
    /// later message that it is the next: who has nothing later may be behind, and is asked again for as long as one
    /// waits for an answer.
    func messages(at sequences: [UInt64]) throws(LogError) -> [UInt64: [UInt8]] {
      var found: [UInt64: [UInt8]] = [:]
      for start in stride(from: 0, to: sequences.count, by: Self.countAtOnce) {
        let asked = sequences[start..<min(start + Self.countAtOnce, sequences.count)]
        found.merge(gather(asked.map(Question.at).lazy).map { ($0.value.sequence, $0.value.bytes) }) { $1 }
        for sequence in asked where found[sequence] == nil {
          found[sequence] = try settled(sequence)
        }
      }
      return found
    }

    /// The message at `sequence`; nil once that is known to be gone.
    private func settled(_ sequence: UInt64) throws(LogError) -> [UInt8]? {
      let deadline = ContinuousClock.now + servers.limits.patience
      while true {
        if let next = gather(CollectionOfOne(Question.behind(sequence))).values.first {
          return next.sequence == sequence ? next.bytes : nil
        }
        guard .now < deadline, try !isReplaced() else { return nil }
        servers.rest()
      }
    }

    // MARK: All

    /// How many bytes are asked for before the first is here, as far as one can tell.
    private static let byteCountAtOnce = 8 << 20

    /// Calls `body` with each message between `start` and `end`, without `start`, in their order.
    ///
    /// No consumer is asked. One that lives on a server that was just started again says too early that nothing is
    /// pending, and nats-server 2.9 moves consumers forward where somebody purges a subject. Here a sequence counts as
    /// gone only if a replica tells of a later message that it is the next.
    func readAll(
      behind start: UInt64, through end: UInt64, _ body: (Message) throws(LogError) -> Void
    ) throws(LogError) {
      var next = start + 1
      var countAtOnce = UInt64(Self.countAtOnce)
      while next <= end {
        let window = next...min(next + countAtOnce - 1, end)
        var largest = 1
        next = window.upperBound + 1
        let (messages, following) = try messages(in: window)
        for message in messages {
          largest = max(largest, message.bytes.count)
          try body(message)
        }
        if let following { next = max(next, following) }
        countAtOnce = UInt64(min(1024, max(16, Self.byteCountAtOnce / largest)))
      }
    }

    /// All messages in `window`, in their order; and the sequence of the next behind it, if that is known.
    private func messages(in window: ClosedRange<UInt64>) throws(LogError) -> ([Message], following: UInt64?) {
      var found: [UInt64: [UInt8]] = [:]
      for message in gather(window.lazy.map(Question.at)).values { found[message.sequence] = message.bytes }
      var gone: Set<UInt64> = []
      var following: UInt64?
      let deadline = ContinuousClock.now + servers.limits.patience
      while true {
        let missing = window.filter { found[$0] == nil && !gone.contains($0) }
        let begins = missing.filter { $0 == window.lowerBound || found[$0 - 1] != nil || gone.contains($0 - 1) }
        if begins.isEmpty { break }
        let answers = gather(begins.lazy.map(Question.behind))
        for (question, message) in answers {
          guard case .behind(let begin) = question, message.sequence >= begin else { continue }
          if window.contains(message.sequence) {
            found[message.sequence] = message.bytes
          } else {
            following = message.sequence
          }
          gone.formUnion(begin..<min(message.sequence, window.upperBound + 1))
        }
        guard answers.isEmpty else { continue }
        guard .now < deadline else {
          throw JetStreamConnection.Answer(status: NATS_TIMEOUT).error(
            while: "reading the stream '\(name)' from \(begins[0]) on", servers.places)
        }
        servers.rest()
      }
      return (
        window.compactMap { sequence in found[sequence].map { Message(sequence: sequence, bytes: $0) } }, following
      )
    }

    // MARK: Questions

    /// What is asked of whichever replica is nearest.
    private enum Question: Hashable {
      case at(UInt64)
      /// The first message that is not before this sequence.
      case behind(UInt64)

      var text: String {
        switch self {
        case .at(let sequence): "{\"seq\":\(sequence)}"
        case .behind(let sequence): "{\"seq\":\(sequence),\"next_by_subj\":\">\"}"
        }
      }
    }

    /// Asks all at once, each under a subject of its own that tells the answers apart. What is not answered is left
    /// out.
    private func gather(_ questions: some Collection<Question>) -> [Question: Message] {
      var inbox: UnsafeMutablePointer<natsInbox>?
      guard natsInbox_Create(&inbox) == NATS_OK, let inbox else { return [:] }
      defer { natsInbox_Destroy(inbox) }
      let root = String(cString: inbox) + "."
      var subscription: OpaquePointer?
      guard natsConnection_SubscribeSync(&subscription, servers.connection, root + "*") == NATS_OK else { return [:] }
      defer { natsSubscription_Destroy(subscription) }
      // What is asked for is all that comes.
      natsSubscription_SetPendingLimits(subscription, -1, -1)
      let questions = Array(questions)
      for (number, question) in questions.enumerated() {
        guard
          natsConnection_PublishRequestString(
            servers.connection, "$JS.API.DIRECT.GET." + name, root + String(number), question.text) == NATS_OK
        else { return [:] }
      }
      var unanswered = Set(questions.indices)
      var answers: [Question: Message] = [:]
      while !unanswered.isEmpty {
        var message: OpaquePointer?
        defer { natsMsg_Destroy(message) }
        guard natsSubscription_NextMsg(&message, subscription, servers.limits.answering.milliseconds) == NATS_OK,
          let message
        else { break }
        let subject = String(cString: natsMsg_GetSubject(message))
        guard let number = Int(subject.dropFirst(root.count)), unanswered.remove(number) != nil else { continue }
        guard let sequence = message.header("Nats-Sequence").flatMap({ UInt64($0) }) else { continue }
        read = (read.messageCount + 1, read.byteCount + Int(natsMsg_GetDataLength(message)))
        answers[questions[number]] = Message(sequence: sequence, bytes: [UInt8](of: message))
      }
      return answers
    }
  }

  extension [UInt8] {
    /// What a message of libnats' carries.
    fileprivate init(of message: OpaquePointer) {
      self = [UInt8](
        UnsafeRawBufferPointer(start: natsMsg_GetData(message), count: Int(natsMsg_GetDataLength(message))))
    }
  }

  extension OpaquePointer {
    /// A header of a message of libnats'.
    fileprivate func header(_ key: String) -> String? {
      var value: UnsafePointer<CChar>?
      guard natsMsgHeader_Get(self, key, &value) == NATS_OK, let value else { return nil }
      return String(cString: value)
    }
  }
#endif
