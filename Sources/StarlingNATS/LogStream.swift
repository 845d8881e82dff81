#if NATS
  import CNATS
  import StarlingEngine

  /// A stream of a cluster, as a log uses it.
  ///
  /// ```
  ///   publish ──► . . . | 4 | 5 | 6 | 7 |       what is purged, from the beginning on, leaves its numbers unused
  ///    naming 7                          ▲
  ///                                      8: taken only if nobody else wrote since
  /// ```
  ///
  /// Every call blocks the thread, for as long as `Limits.patience` at most where nobody answers.
  final class LogStream {
    /// What a stream must be like.
    struct Settings {
      /// Of the stream.
      var name: String
      /// What its subjects begin with.
      var root: String
      var replicas: Int
      var isInMemory = false
      var byteCountMax: Int64?
      var countMax: Int64?
    }

    struct Message {
      var sequence: UInt64
      var bytes: [UInt8]
    }

    /// The outcome of storing a message.
    enum Publication {
      case stored
      /// Somebody else wrote since; what stands there instead.
      case displaced(by: Message)
      /// The stream does not end where it was said to, and nothing stands there instead: who answered is behind the
      /// others, as a leader is that was cut off and does not know of the next one, or the stream is another by now.
      case nowhere
    }

    let servers: JetStreamConnection
    let settings: Settings
    /// When the stream was made, in nanoseconds since 1970 by the servers' clock: what tells it from a later one of its
    /// name.
    private var created: Int64 = 0
    /// How much was read of it, for tests.
    var read = (messageCount: 0, byteCount: 0)

    var name: String { settings.name }

    /// The most that a message may hold: what the server takes, less the headers.
    var messageByteCountMax: Int { servers.payloadByteCountMax - 256 }

    /// Finds the stream, or makes it.
    ///
    /// - Throws: `LogError(.unwritable)` where it cannot be made, or is one that would lose what it is given.
    /// - Parameter isMade: whether one is made where there is none.
    init(_ settings: Settings, at servers: JetStreamConnection, isMade: Bool = true) throws(LogError) {
      self.servers = servers
      self.settings = settings
      guard messageByteCountMax > StreamPart.headByteCount else {
        throw LogError(
          .unwritable,
          "The NATS server takes messages of \(servers.payloadByteCountMax) bytes at most, and a log needs 280. Raise "
            + "max_payload in its configuration; 1048576 is its default.")
      }
      if try !check() {
        guard isMade else { throw gone }
        let refusal = make()
        guard try check() else { throw refusal ?? gone }
      }
    }

    private func subject(_ token: String) -> String { settings.root + "." + token }

    // MARK: Settings

    /// - Returns: why it cannot be made. Of two that make it at once one may be told so, and finds it made.
    private func make() -> LogError? {
      let answer = settings.name.withCString { name in
        [settings.root + ".>"].withCStrings { subjects in
          servers.ask { options, code in
            var configuration = jsStreamConfig()
            jsStreamConfig_Init(&configuration)
            configuration.Name = name
            configuration.Subjects = subjects
            configuration.SubjectsLen = 1
            configuration.Replicas = Int64(settings.replicas)
            configuration.Storage = settings.isInMemory ? js_MemoryStorage : js_FileStorage
            // A stream that is full refuses; by default it would forget what came first.
            configuration.Discard = settings.countMax == nil ? js_DiscardNew : js_DiscardOld
            configuration.MaxBytes = settings.byteCountMax ?? -1
            configuration.MaxMsgs = settings.countMax ?? -1
            configuration.AllowDirect = true
            return js_AddStream(nil, servers.context, &configuration, options, code)
          }
        }
      }
      return answer.isGood ? nil : answer.error(while: "making the stream '\(name)'", servers.places)
    }

    /// False if there is no such stream.
    private func check() throws(LogError) -> Bool {
      guard let info = try information() else { return false }
      defer { jsStreamInfo_Destroy(info) }
      created = info.pointee.Created
      let configuration = info.pointee.Config.pointee
      var faults: [String] = []
      func expect(_ isRight: Bool, _ fault: String) {
        if !isRight { faults.append(fault) }
      }
      let isWitness = settings.countMax != nil
      expect(
        configuration.SubjectsLen == 1
          && String(cString: configuration.Subjects.pointee!) == settings.root + ".>",
        "its subjects are not \(settings.root).> alone")
      expect(configuration.Retention == js_LimitsPolicy, "its retention is not by limits")
      expect(
        configuration.Storage == (settings.isInMemory ? js_MemoryStorage : js_FileStorage), "its storage is another")
      expect(configuration.MaxAge == 0, "it forgets by age (max_age)")
      expect(isWitness || configuration.Discard == js_DiscardNew, "it forgets the oldest when it is full (discard)")
      expect(isWitness || configuration.MaxMsgs <= 0, "it holds so many messages only (max_msgs)")
      expect(configuration.MaxMsgsPerSubject <= 0, "it holds so many messages of a subject only (max_msgs_per_subject)")
      expect(configuration.MaxMsgSize <= 0, "it holds small messages only (max_msg_size)")
      expect(configuration.Mirror == nil && configuration.SourcesLen == 0, "it is filled from other streams")
      expect(configuration.AllowDirect, "its messages cannot be read from any replica (allow_direct)")
      expect(!configuration.Sealed && !configuration.NoAck, "it is sealed, or does not acknowledge")
      expect(
        configuration.Replicas >= Int64(settings.replicas),
        "it has \(configuration.Replicas) of the \(settings.replicas) replicas asked for (nats stream edit --replicas)")
      guard faults.isEmpty else {
        throw LogError(
          .unwritable,
          "The stream '\(name)' at \(servers.places) is not as a log needs it: \(faults.joined(separator: "; ")). Edit it, "
            + "or choose another name for the log.")
      }
      return true
    }

    // MARK: State

    /// The caller destroys it. Nil if there is no such stream.
    private func information() throws(LogError) -> UnsafeMutablePointer<jsStreamInfo>? {
      var info: UnsafeMutablePointer<jsStreamInfo>?
      let answer = servers.ask { js_GetStreamInfo(&info, servers.context, name, $0, $1) }
      if answer.isGood { return info }
      guard answer.isNotFound else { throw answer.error(while: "asking for the stream '\(name)'", servers.places) }
      return nil
    }

    /// The sequence of the last message that ever was in it, and how many are.
    func extent() throws(LogError) -> (last: UInt64, count: UInt64) {
      let bounds = try bounds()
      return (bounds.last, bounds.count)
    }

    /// The same, and the sequence of the first message that is in it.
    func bounds() throws(LogError) -> (first: UInt64, last: UInt64, count: UInt64) {
      guard let info = try information() else { throw gone }
      defer { jsStreamInfo_Destroy(info) }
      let state = info.pointee.State
      guard state.LastSeq < 1 << 62 else {
        throw LogError(.corrupt, "The stream '\(name)' at \(servers.places) says that it ends at \(state.LastSeq).")
      }
      return (state.FirstSeq, state.LastSeq, state.Msgs)
    }

    /// Whether there is a stream of this name.
    static func exists(_ name: String, at servers: JetStreamConnection) throws(LogError) -> Bool {
      var info: UnsafeMutablePointer<jsStreamInfo>?
      let answer = servers.ask { js_GetStreamInfo(&info, servers.context, name, $0, $1) }
      jsStreamInfo_Destroy(info)
      guard answer.isGood || answer.isNotFound else {
        throw answer.error(while: "asking for the stream '\(name)'", servers.places)
      }
      return answer.isGood
    }

    /// Whether there is no stream of this name any more, or one that was made later.
    func isReplaced() throws(LogError) -> Bool {
      guard let info = try information() else { return true }
      defer { jsStreamInfo_Destroy(info) }
      return info.pointee.Created != created
    }

    /// Whether all servers that keep it are there and hold what its leader holds, for tests.
    func isWhole() throws(LogError) -> Bool {
      guard let info = try information() else { return false }
      defer { jsStreamInfo_Destroy(info) }
      guard let followers = info.pointee.Cluster?.pointee, followers.ReplicasLen == settings.replicas - 1 else {
        return false
      }
      return (0..<Int(followers.ReplicasLen)).allSatisfy { place in
        followers.Replicas[place].map { $0.pointee.Current && !$0.pointee.Offline } ?? false
      }
    }

    var gone: LogError {
      LogError(
        .corrupt,
        "The stream '\(name)' at \(servers.places) was removed while the log was open. Put back a backup (nats stream "
          + "restore), or open the log again and let the peers fill it.")
    }

    // MARK: Writing

    /// Writes a message behind the one at `last`, if that still is the last: this is what holds two writers apart, and
    /// what settles whether a message was stored whose answer was lost. Said again, it is refused, and a look at the
    /// stream tells which writer took the place.
    ///
    /// - Throws: `LogError(.unwritable)`. `isOpen` is true then where the message may be stored all the same.
    func publish(
      _ bytes: [UInt8], to token: String, behind last: UInt64, isOpen: inout Bool
    ) throws(LogError) -> Publication {
      let message = try makeMessage(bytes, subject: subject(token), behind: last)
      defer { natsMsg_Destroy(message) }
      var stored: UInt64 = 0
      var mayBeStored = false
      let answer = servers.ask { options, code in
        var acknowledgement: UnsafeMutablePointer<jsPubAck>?
        var publishing = jsPubOptions()
        jsPubOptions_Init(&publishing)
        publishing.MaxWait = options.pointee.Wait
        let status = js_PublishMsg(&acknowledgement, servers.context, message, &publishing, code)
        defer { jsPubAck_Destroy(acknowledgement) }
        if let acknowledgement { stored = acknowledgement.pointee.Sequence }
        let isRefused = code.pointee != jsErrCode(0) && code.pointee != JSStreamSequenceNotMatchErr
        if ![NATS_OK, NATS_NO_RESPONDERS].contains(status), !isRefused { mayBeStored = true }
        return status
      }
      isOpen = mayBeStored
      if answer.isGood, stored == last + 1 { return .stored }
      guard answer.isGood || answer.code == JSStreamWrongLastSequenceErr else {
        throw answer.error(while: "writing to the stream '\(name)'", servers.places)
      }
      let standing = try self.message(at: last + 1)
      isOpen = false
      guard let standing else { return .nowhere }
      return standing.bytes == bytes ? .stored : .displaced(by: standing)
    }

    private func makeMessage(_ bytes: [UInt8], subject: String, behind last: UInt64) throws(LogError) -> OpaquePointer {
      var message: OpaquePointer?
      var status = bytes.withUnsafeBytes {
        natsMsg_Create(
          &message, subject, nil, $0.bindMemory(to: CChar.self).baseAddress, Int32(clamping: $0.count))
      }
      // By hand: libnats takes the sequence 0, behind which the first message of all stands, for none.
      if status == NATS_OK { status = natsMsgHeader_Set(message, "Nats-Expected-Last-Sequence", String(last)) }
      if status == NATS_OK { status = natsMsgHeader_Set(message, "Nats-Expected-Stream", name) }
      guard status == NATS_OK, let message else {
        natsMsg_Destroy(message)
        throw LogError(.unwritable, "libnats has no memory left for a message. \(status.reason)")
      }
      return message
    }

    // MARK: Making space

    /// Removes all that stands before `sequence`. What fails is left for the next time: what counts no more does no
    /// harm where it is.
    ///
    /// Nothing is ever removed from between: nats-server 2.9 lost what stood before such a gap, when servers that had
    /// the stream were killed one after the other.
    func purge(before sequence: UInt64) {
      guard sequence > 1 else { return }
      var options = jsOptions()
      jsOptions_Init(&options)
      options.Wait = servers.limits.answering.milliseconds
      options.Stream.Purge.Sequence = sequence
      _ = js_PurgeStream(servers.context, name, &options, nil)
    }
  }
#endif
