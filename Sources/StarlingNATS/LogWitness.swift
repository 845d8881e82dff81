#if NATS
  import StarlingEngine

  /// A second stream, in the servers' memory, that says who opened the log last and whether it was closed.
  ///
  /// ```
  ///   stream      ... | closed by 7 | opened by 9 | records | closed by 9 |
  ///   witness                                                 closed by 9     they agree: nothing came since
  /// ```
  ///
  /// A stream that was put back from a backup, or lost its end with the power, may end with an old mark, and all later
  /// dots would be used a second time. What is in memory alone goes with the power, is in no backup, and says of an
  /// old mark that somebody opened the log since. So a mark counts only where the witness tells of the same.
  struct LogWitness {
    private let subjects: LogSubjects
    private let stream: LogStream
    /// The sequence of what was said last, which grows with each thing that is said.
    private(set) var last: UInt64
    /// The session that closed the log, if it is closed.
    let closedBy: UInt64?
    /// The session that holds the log, as far as was said.
    let openedBy: UInt64?

    /// - Throws: `LogError` where there can be none; the log does without, and hands no replica id on.
    init(_ subjects: LogSubjects, replicas: Int, at servers: JetStreamConnection) throws(LogError) {
      self.subjects = subjects
      stream = try LogStream(
        LogStream.Settings(
          name: subjects.witnessStream, root: subjects.witnessRoot, replicas: replicas, isInMemory: true, countMax: 1),
        at: servers)
      last = try stream.extent().last
      guard let message = try stream.lastMessage(of: LogSubjects.session), message.sequence == last,
        let part = try? StreamPart(decoding: message.bytes, at: last)
      else {
        (closedBy, openedBy) = (nil, nil)
        return
      }
      closedBy = part.kind == .closed ? part.session : nil
      openedBy = part.kind == .opened ? part.session : nil
    }

    /// - Throws: `LogError` where it cannot be said, or somebody else said something since.
    mutating func say(_ kind: StreamPart.Kind, by session: UInt64) throws(LogError) {
      let part = StreamPart(kind, isLast: true, session: session, first: last + 1, bytes: [])
      var isOpen = false
      guard case .stored = try stream.publish(part.encoded(), to: LogSubjects.session, behind: last, isOpen: &isOpen)
      else {
        throw LogError(.busy, "Another process opened the log '\(subjects.name)' and holds it now.")
      }
      last += 1
    }

    /// Goes on behind what the same session said over another connection.
    ///
    /// - Throws: `LogError(.busy)` where somebody else said something last.
    mutating func catchUp(with session: UInt64) throws(LogError) {
      guard let message = try stream.lastMessage(of: LogSubjects.session),
        let part = try? StreamPart(decoding: message.bytes, at: message.sequence), part.session == session
      else {
        throw LogError(.busy, "Another process opened the log '\(subjects.name)' and holds it now.")
      }
      last = message.sequence
    }
  }
#endif
