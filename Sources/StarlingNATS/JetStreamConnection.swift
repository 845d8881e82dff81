#if NATS
  import CNATS
  import StarlingEngine

  /// One connection to a cluster for a log, and its way of asking: again and again, until there is an answer
  /// or the patience ends. Used by one thread at a time, which is blocked until then.
  final class JetStreamConnection {
    /// What libnats and the server said to a request.
    struct Answer {
      var status: natsStatus
      var code = jsErrCode(0)
      /// Nobody hears the request, and waiting would not help.
      var isUnheard = false

      var isGood: Bool { status == NATS_OK }
      var isNotFound: Bool { code == JSStreamNotFoundErr || code == JSNoMessageFoundErr || status == NATS_NOT_FOUND }
    }

    let connection: OpaquePointer
    let context: OpaquePointer
    let places: String
    let limits: JetStreamLog.Limits

    /// - Throws: `LogError(.unwritable)` if no server answers, or none has JetStream for us; `.misuse` for addresses
    ///   that cannot be read.
    init(to servers: Servers, limits: JetStreamLog.Limits) throws(LogError) {
      do {
        places = servers.places
        connection = try servers.connect(named: "starling-log", within: limits.connecting) { options, set in
          set(natsOptions_SetFailRequestsOnDisconnect(options, true))
        }
      } catch {
        throw LogError(error.code == .endpoint ? .misuse : .unwritable, error.message)
      }
      self.limits = limits
      var made: OpaquePointer?
      let status = natsConnection_JetStream(&made, connection, nil)
      guard status == NATS_OK, let made else {
        natsConnection_Destroy(connection)
        throw LogError(.unwritable, "libnats has no memory left for a log. \(status.reason)")
      }
      context = made
      try checkJetStream()
    }

    deinit {
      jsCtx_Destroy(context)
      natsConnection_Destroy(connection)
    }

    /// The most that the present server takes in one message (`max_payload`).
    var payloadByteCountMax: Int { Int(clamping: natsConnection_GetMaxPayload(connection)) }

    /// Whether there is no connection to a server just now.
    var isUnreachable: Bool { natsConnection_Status(connection) != NATS_CONN_STATUS_CONNECTED }

    private func checkJetStream() throws(LogError) {
      // Nobody hears a request to JetStream where there is none, so that waiting would not help.
      let answer = ask(isMissingFinal: true) { options, code in
        var account: UnsafeMutablePointer<jsAccountInfo>?
        defer { jsAccountInfo_Destroy(account) }
        return js_GetAccountInfo(&account, context, options, code)
      }
      guard !answer.isGood else { return }
      throw answer.error(while: "asking for JetStream", places)
    }

    /// Makes the request until it is answered, or the patience ends.
    ///
    /// - Parameter isMissingFinal: that nobody hears it is an answer.
    func ask(
      isMissingFinal: Bool = false,
      _ request: (UnsafeMutablePointer<jsOptions>, UnsafeMutablePointer<jsErrCode>) -> natsStatus
    ) -> Answer {
      var options = jsOptions()
      jsOptions_Init(&options)
      options.Wait = min(limits.answering, limits.patience).milliseconds
      let deadline = ContinuousClock.now + limits.patience
      while true {
        var code = jsErrCode(0)
        let status = request(&options, &code)
        var answer = Answer(status: status, code: code)
        answer.isUnheard = isMissingFinal && status == NATS_NO_RESPONDERS
        guard answer.mayPass, !answer.isUnheard, .now < deadline else { return answer }
        rest()
      }
    }

    /// A moment before one asks again: a server that is gone is known to be at once.
    func rest() {
      nats_Sleep(50)
    }
  }

  extension JetStreamConnection.Answer {
    /// Whether it says nothing of the request, but of those who should answer it.
    var mayPass: Bool {
      switch status {
      case NATS_TIMEOUT, NATS_NO_RESPONDERS, NATS_CONNECTION_DISCONNECTED, NATS_STALE_CONNECTION, NATS_IO_ERROR,
        NATS_INSUFFICIENT_BUFFER, NATS_NOT_YET_CONNECTED:
        true
      default:
        // The last is what a leader says whose own stream is not where its followers take it to be; it starts over
        // then.
        [
          JSClusterNotAvailErr, JSClusterNotLeaderErr, JSClusterNoPeersErr, JSStreamOfflineErr,
          JSStreamSequenceNotMatchErr,
        ].contains(code)
      }
    }

    /// - Parameter task: completes "while …".
    func error(while task: String, _ places: String) -> LogError {
      LogError(.unwritable, "\(explanation(places)) This was found while \(task). \(reason)")
    }

    private var reason: String {
      code == jsErrCode(0)
        ? status.reason : "(libnats: \(String(cString: natsStatus_GetText(status))), \(code.rawValue).)"
    }

    /// What happened, and what to do.
    private func explanation(_ places: String) -> String {
      // Libnats has the same code for a request that nobody hears, as while a leader is elected.
      if isUnheard || (code == JSNotEnabledErr && status != NATS_NO_RESPONDERS) { return Self.notEnabled(places) }
      switch code {
      case JSNotEnabledForAccountErr:
        return "The account in which we are at \(places) has no JetStream. Write 'jetstream: enabled' into it."
      case JSStreamReplicasNotSupportedErr, JSClusterNoPeersErr, JSClusterRequiredErr:
        return
          "The servers at \(places) cannot keep as many replicas as were asked for: that needs as many servers in one "
          + "cluster that run and have JetStream. Start those that are missing, or ask for fewer replicas."
      case JSMaximumStreamsLimitErr:
        return "The account at \(places) may have no more streams. Raise its max_streams, or remove one."
      case JSStreamStoreFailedErr, JSInsufficientResourcesErr, JSMemoryResourcesExceededErr,
        JSStorageResourcesExceededErr, JSAccountResourcesExceededErr:
        return
          "The servers at \(places) have no space left for the stream: its max_bytes, the account's max_file_store or "
          + "the disk is full. Raise what is too small (nats stream edit, nats account info), or compact the log."
      case JSStreamMaxBytesRequiredErr:
        return "The account at \(places) takes only streams with a limit: set Limits.byteCountMax."
      case JSStreamSubjectOverlapErr:
        return "Another stream at \(places) has the subjects of this log already. Remove it, or choose another name."
      case JSStreamSealedErr:
        return "The stream at \(places) is sealed and takes nothing more. Choose another name."
      default:
        break
      }
      switch status {
      case _ where mayPass:
        return
          "The servers at \(places) did not answer in time. A stream of three replicas needs two of its servers, one of "
          + "five three of them: start those that are down (nats server report jetstream), and open the log again."
      case NATS_NOT_PERMITTED:
        return "We may not do that at \(places). Allow us to publish to $JS.API.> and to the subjects of the log."
      default:
        return "The servers at \(places) refuse."
      }
    }

    private static func notEnabled(_ places: String) -> String {
      "JetStream is not enabled at \(places). Write jetstream { store_dir: \"/var/lib/nats\" } into the servers' "
        + "configuration and start them again."
    }
  }
#endif
