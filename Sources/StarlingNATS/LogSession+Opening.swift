#if NATS
  import StarlingCore
  import StarlingEngine

  extension LogSession {
    /// Opens or makes the log, and displaces whoever holds it.
    static func open(
      _ subjects: LogSubjects, replicas: Int, at cluster: Servers, limits: JetStreamLog.Limits
    ) throws(LogError) -> LogSession {
      var opening = try LogOpening(subjects, replicas: replicas, at: cluster, limits: limits)
      let deadline = ContinuousClock.now + limits.patience
      while .now < deadline {
        try opening.follow()
        if let session = try opening.take() { return session }
      }
      throw opening.isContended
    }
  }

  /// A log before we hold it.
  ///
  /// ```
  ///   follow: read all that is new ──► take: write "opened" behind the last of it ──► nobody else writes any more
  ///     ▲                                │
  ///     └────── somebody wrote since ────┘
  /// ```
  ///
  /// All that is there is read before anybody is displaced: what cannot be read is left alone. Whoever waits for the
  /// log follows it, so that little is left to be read when its turn comes.
  struct LogOpening {
    private let subjects: LogSubjects
    private let replicas: Int
    let stream: LogStream
    /// Ours, drawn at random.
    let session = UInt64.random(in: .min ... .max)
    private let newcomer: StoreID
    private var reading: OpeningReader
    private var store: StoreID?
    private var last: UInt64 = 0

    init(
      _ subjects: LogSubjects, replicas: Int, at cluster: Servers, limits: JetStreamLog.Limits
    ) throws(LogError) {
      self.subjects = subjects
      self.replicas = replicas
      let servers = try JetStreamConnection(to: cluster, limits: limits)
      stream = try LogStream(
        LogStream.Settings(
          name: subjects.stream, root: subjects.root, replicas: replicas, byteCountMax: limits.byteCountMax),
        at: servers)
      var generator = SystemRandomNumberGenerator()
      newcomer = StoreID.random(using: &generator)
      reading = OpeningReader(stream)
    }

    var isContended: LogError {
      LogError(
        .busy,
        "The stream '\(stream.name)' is written to all the time by another process, which holds the log. Stop it, or "
          + "choose another name.")
    }

    /// Reads what is new in the stream.
    mutating func follow() throws(LogError) {
      let bounds = try stream.bounds()
      last = bounds.last
      // What was purged while nobody read here is not known: a store may have left, and another come.
      if reading.last > 0, bounds.first > reading.last + 1 { reading = OpeningReader(stream) }
      store = try reading.readAll(before: last)
    }

    /// The process that opened the log last, by what was read, and what the servers' memory says of it.
    ///
    /// - Throws: `LogError` where the servers keep nothing in memory.
    func standing() throws(LogError) -> LeaseStanding {
      let witness: LogWitness
      do throws(LogError) {
        witness = try LogWitness(subjects, replicas: replicas, at: stream.servers)
      } catch {
        guard error.code == .unwritable, !stream.servers.isUnreachable else { throw error }
        throw LogError(
          .unwritable,
          "A lease on the log '\(subjects.name)' stands in the memory of the servers, which refuse that. Let the account "
            + "keep a stream in memory. (\(error.message))", cause: error.cause, isTransient: false)
      }
      try checkIsHere()
      guard let opening = reading.index.opening else { return .unheld }
      // Between the mark and what it tells the servers' memory, the holder still closes.
      if let mark = reading.index.closing, mark.session == opening.session, mark.sequence == reading.last,
        witness.openedBy != mark.session
      {
        return .unheld
      }
      return .held(
        LeaseStanding.Holder(session: opening.session, said: witness.last, name: opening.head.holder))
    }

    /// - Throws: `LogError(.misuse)` where the store is at another place.
    func checkIsHere() throws(LogError) {
      guard let move = reading.index.move else { return }
      throw LogError(
        .misuse,
        move.stage == .gone
          ? "The store in the stream '\(stream.name)' moved to \(move.place). Open it there."
          : "A move from \(move.place) into the stream '\(stream.name)' was broken off; the store is still there. Run "
            + "starling store move again.")
    }

    /// What the stream says of the store, for those who move it.
    var found: (store: StoreID?, move: MovedHead?) { (store, reading.index.move) }

    /// Holds the log from here on; nil if somebody wrote since it was followed.
    ///
    /// - Parameter move: a store that comes from elsewhere, in place of what is here.
    mutating func take(for move: MovedHead? = nil) throws(LogError) -> LogSession? {
      if let move {
        // First, so that at no moment an empty store seems to be here.
        guard try stream.begin(StreamCall(kind: .moved, head: move.encoded), by: session, behind: last) else {
          return nil
        }
        last += 1
      } else {
        try checkIsHere()
      }
      let opened = OpenedHead(store: move?.store ?? store ?? newcomer, holder: LogHolder.ownName)
      guard try stream.begin(StreamCall(kind: .opened, head: opened.encoded), by: session, behind: last) else {
        return nil
      }
      last += 1
      try reading.readOn(through: last)
      try reading.finish(at: last, of: session)

      var (replica, witness) = (ReplicaID?.none, LogWitness?.none)
      if var found = try? LogWitness(subjects, replicas: replicas, at: stream.servers) {
        let mark = reading.index.standingMark
        let isProven = mark != nil && found.closedBy == mark?.session
        // Before anybody hears of the id: no later open finds the two agree on it again.
        if (try? found.say(.opened, by: session)) != nil {
          if isProven { replica = mark?.head.replica }
          witness = found
        }
      }
      let counted = reading.index.generationsAt != nil
      let held = LogSession(
        name: subjects.name, stream: stream, session: session, store: opened.store, replica: replica, witness: witness,
        index: reading.index, last: last, indexedAt: reading.indexedAt)
      if counted, move == nil {
        var generations = held.index.generations
        generations.own += 1
        try held.write(generations)
      }
      held.makeSpace()
      held.writeIndexIfDue()
      return held
    }
  }

  extension LogStream {
    /// Says the first of what a holder says; false if somebody wrote since.
    fileprivate func begin(_ call: StreamCall, by session: UInt64, behind last: UInt64) throws(LogError) -> Bool {
      let messages = Array(call.messages(of: session, from: last + 1, byteCountMax: messageByteCountMax))
      guard messages.count == 1 else {
        throw LogError(
          .unwritable,
          "The NATS server takes messages of \(messageByteCountMax) bytes, which is less than the opener of a log has to say. "
            + "Raise max_payload in its configuration; 1048576 is its default.")
      }
      var isOpen = false
      guard case .stored = try publish(messages[0], to: LogSubjects.session, behind: last, isOpen: &isOpen) else {
        return false
      }
      return true
    }

    /// All that is in the stream, read from its beginning.
    func readIndex(through end: UInt64) throws(LogError) -> LogIndex {
      var reading = OpeningReader(self)
      try reading.readOn(through: end)
      return reading.index
    }
  }

  /// Reads a stream into an index: the last index that was written into it, and what follows; or all from its beginning.
  private struct OpeningReader {
    let stream: LogStream
    private(set) var index = LogIndex()
    private(set) var last: UInt64 = 0
    /// Where the index ends that it began with; 0 for none.
    private(set) var indexedAt: UInt64 = 0
    private var hasBegun = false
    private var calls = CallReader()

    init(_ stream: LogStream) {
      self.stream = stream
    }

    /// Reads what was not read before, up to where the stream ends.
    ///
    /// - Parameter end: the last sequence that the stream gave, whether or not that message is still there.
    /// - Returns: the name of the store; nil where nothing was ever opened.
    mutating func readAll(before end: UInt64) throws(LogError) -> StoreID? {
      if !hasBegun, let (index, last) = try stream.lastIndex() {
        (self.index, self.last, indexedAt) = (index, last, last)
      }
      hasBegun = true
      if let last = try stream.lastMessage(of: ">") { try readOn(through: last.sequence) }
      if let opening = index.opening { return opening.head.store }
      guard !index.documents.isEmpty else { return nil }
      // A process that opens the log purges the opening before, and we may have read between the two: then the stream
      // goes on.
      let isEnd = try stream.extent().last == end
      if isEnd { throw LogError.corrupt(stream, last, "ends a stream that has lost the name of its store") }
      return nil
    }

    mutating func readOn(through end: UInt64) throws(LogError) {
      try readFollowing(through: end)
      guard index.isBlind else { return }
      (index, calls, last, indexedAt) = (LogIndex(), CallReader(), 0, 0)
      try readFollowing(through: end)
    }

    private mutating func readFollowing(through end: UInt64) throws(LogError) {
      var (calls, index) = (calls, index)
      // One owner, or the first change would copy all.
      (self.calls, self.index) = (CallReader(), LogIndex())
      try stream.readAll(behind: last, through: end) { message throws(LogError) in
        do {
          let part = try StreamPart(decoding: message.bytes, at: message.sequence)
          guard let call = try calls.take(part, at: message.sequence) else { return }
          guard index.take(call) else { throw StreamPart.Fault.damaged }
        } catch let fault as StreamPart.Fault {
          throw LogError(fault, stream, message.sequence)
        } catch {
          preconditionFailure("reading a message threw \(error)")
        }
      }
      (self.calls, self.index, last) = (calls, index, max(last, end))
    }

    /// - Throws: `LogError(.corrupt)` where the stream does not end as it must, or has lost a record; `.busy` where
    ///   somebody else opened the log already.
    func finish(at sequence: UInt64, of session: UInt64) throws(LogError) {
      guard let opening = index.opening, opening.sequence == sequence, opening.session == session else {
        if let error = try stream.displacement(of: session, at: sequence) { throw error }
        throw LogError.corrupt(stream, sequence, "is not what was written there")
      }
      for (name, document) in index.documents {
        guard let place = document.lackingAt else { continue }
        throw LogError.corrupt(stream, place, "follows on records of '\(name)' that the stream has lost")
      }
    }
  }

  extension LogError {
    fileprivate init(_ fault: StreamPart.Fault, _ stream: LogStream, _ sequence: UInt64) {
      switch fault {
      case .tooNew(let format):
        self.init(
          .tooNew,
          "The message \(sequence) of the stream '\(stream.name)' has the format \(format); this program knows up to "
            + "\(StreamPart.format). Run a later version of it.")
      case .damaged:
        self = .corrupt(stream, sequence, "is not what a log wrote")
      }
    }
  }
#endif
