import StarlingEngine
import StarlingExposition

// The engine's numbers as metrics. Names are told to others and stay; a number that changes its meaning gets another.

extension EngineCounters {
  var families: [MetricFamily] { liveFamilies + askFamilies + refusalFamilies + logFamilies }

  private var liveFamilies: [MetricFamily] {
    [
      .counter(
        "starling_frames_published_total", "Live frames that this replica published, however many peers receive them.",
        framesPublished),
      .counter("starling_changes_published_total", "Changes in those frames.", changesPublished),
      .counter("starling_published_bytes_total", "Bytes of those frames.", bytesPublished),
      .counter("starling_frames_received_total", "Live frames received from others.", framesReceived),
      .counter(
        "starling_frames_put_off_total",
        "Live frames received and dropped because the log did not keep up; the replica pulls them later.",
        framesPutOff),
      .counter("starling_received_bytes_total", "Bytes of live frames and messages received.", bytesReceived),
      .counter("starling_changes_merged_total", "Changes of others that merged.", changesMerged),
      .histogram("starling_merge_batch_changes", "Changes merged at a time.", mergeBatch),
      .counter(
        "starling_messages_sent_total", "Messages to single peers: greetings, heartbeats, answers, acknowledgements.",
        messagesSent),
      .counter("starling_messages_sent_bytes_total", "Bytes of those messages.", messageBytesSent),
      .counter("starling_messages_received_total", "Messages received from single peers.", messagesReceived),
      .counter(
        "starling_messages_undelivered_total", "Messages that a full or closed connection did not take.", undelivered),
      .counter(
        "starling_messages_lost_total",
        "Times that the number of a peer's message showed a missing one; both peers then greet each other again.",
        messagesLost),
      .counter("starling_presence_received_total", "Presence notices received.", presenceReceived),
      .counter(
        "starling_presence_refused_total", "Presence notices dropped because too many are held.", presenceRefused),
      .counter(
        "starling_presence_withheld_total",
        "Times that this replica postponed its presence because the log did not keep up.",
        presencePostponed),
      .counter("starling_peers_joined_total", "Peers that greeted this replica and were accepted.", peersJoined),
      .counter("starling_peers_left_total", "Peers that left.", peersLeft),
    ]
  }

  private var askFamilies: [MetricFamily] {
    [
      .counter("starling_gaps_total", "Lost frames noticed in a stream. A pull follows each.", gaps),
      .counter("starling_pulls_total", "Pulls for what is missing here; some at each start are usual.", pulls),
      .counter("starling_pull_timeouts_total", "Pulls that were not answered in time, and are repeated.", pullTimeouts),
      .counter("starling_answers_total", "Peers' pulls that this replica answered.", answers),
      .counter(
        "starling_answers_given_up_total", "Answers abandoned because the requester stopped reading.", answersGivenUp),
      .counter(
        "starling_states_sent_total", "Whole states sent, to peers that miss more than the log reaches back.",
        snapshotsSent),
      .counter("starling_states_merged_total", "Whole states received and merged.", snapshotsMerged),
      .counter(
        "starling_paths_adopted_total",
        "Answers whose tombstones were stored again, because late changes refer to them.",
        pathsAdopted),
    ]
  }

  private var refusalFamilies: [MetricFamily] {
    [
      .counter(
        "starling_malformed_total", "Frames and messages that no correct peer sends. Any value but 0 is worth a look.",
        malformed),
      .counter("starling_denied_total", "Messages that their sender's key does not permit.", denied),
      .counter(
        "starling_documents_refused_total",
        "Messages about documents that were not opened for a peer, because too many are open.",
        documentsRefused),
      .counter(
        "starling_documents_closed_total",
        "Times a document was closed because more were open than --max-open-documents and no peer used it.",
        documentsClosed),
      .counter(
        "starling_messages_elsewhere_total",
        "Messages about documents of another shard, which are not heeded (--shard).",
        messagesElsewhere),
      .counter(
        "starling_budget_refusals_total",
        "Refusals because a key passed a budget, by budget. The audit log names the key.", by: budgetRefusals.series),
      .counter("starling_refusals_sent_total", "Refusals sent to peers, by code.", by: refusalsSent.series),
      .counter(
        "starling_refusals_received_total", "Refusals received from peers, by code.", by: refusalsReceived.series),
      .counter(
        "starling_divergences_total",
        "Peers that held equal versions of a document and a different state: starling doctor.", divergences),
      .counter(
        "starling_equivocations_total",
        "Times that two states of one version contradicted each other and one was dropped.",
        equivocations),
      .counter(
        "starling_far_future_stamps_total", "Changes stamped further ahead than this clock follows: set the clocks.",
        farFutureStamps),
      .counter("starling_log_failures_total", "Writes that the log refused.", logFailures),
      .counter("starling_log_recoveries_total", "Times that the log worked again.", logRecoveries),
      .counter(
        "starling_log_records_dropped_total",
        "Records dropped while the log failed; the state is stored in their place once it works again.",
        recordsDropped),
      .counter(
        "starling_renames_total",
        "Times that this replica took another id, because another one had written under its own.", renames),
    ]
  }

  private var logFamilies: [MetricFamily] {
    [
      .counter("starling_commits_total", "Groups of records that the log accepted.", commits),
      .histogram(
        "starling_commit_seconds", "Time that the log took for a group.", commitMicroseconds, unit: 1e-6),
      .counter("starling_records_logged_total", "Records that the log accepted.", recordsLogged),
      .counter("starling_logged_bytes_total", "Bytes that the log accepted.", bytesLogged),
      .counter("starling_folds_total", "Compactions: records of the log replaced by a snapshot.", compactions),
      .counter("starling_waits_timed_out_total", "Waits for a flush or for capacity that timed out.", waitsTimedOut),
    ]
  }
}

extension BudgetRefusalCounts {
  fileprivate var series: [([MetricLabel], Double)] {
    byBudget.map { ([MetricLabel("budget", $0.budget)], Double($0.count)) }
  }
}

extension RefusalCounts {
  fileprivate var series: [([MetricLabel], Double)] {
    byCode.map { ([MetricLabel("code", $0.code)], Double($0.count)) }
  }
}

extension EngineMeasurements {
  var families: [MetricFamily] {
    var peers = MetricFamily(
      "starling_peers", .gauge, "Connections by standing: member, relay; silent (has not greeted), refused, diverged.")
    for standing in Standing.allCases {
      peers.add(.number(Double(self.peers[standing] ?? 0)), [MetricLabel("standing", standing.rawValue)])
    }
    return [
      peers, .gauge("starling_endpoints_dialled", "Endpoints that this replica dials.", endpointsDialled),
      .gauge("starling_endpoints_unreachable", "Dialled endpoints at which no peer answers.", endpointsUnreachable),
      .gauge("starling_log_failed", "1 while the log fails: nothing is stored or acknowledged.", hasLogFailed ? 1 : 0),
      .gauge(
        "starling_documents_quarantined", "Documents that are damaged in the log and not served.", documentsQuarantined),
      .gauge("starling_waiters", "Waits for a flush or for capacity now.", waiters),
      .gauge("starling_answers_waiting", "Answers that wait until the requester takes more.", answersWaiting),
      .gauge("starling_documents_open", "Documents that are open.", documents.count),
      .gauge(
        "starling_documents_closed", "Documents that are stored and not open: no peer uses them.", documentsClosed),
    ] + documentFamilies
  }

  /// Over all documents: of these there may be as many as peers like.
  private var documentFamilies: [MetricFamily] {
    func sum(_ part: (DocumentMeasurements) -> Int) -> Int { documents.reduce(0) { $0 &+ part($1) } }
    func wideSum(_ part: (DocumentMeasurements) -> UInt64) -> UInt64 { documents.reduce(0) { $0 &+ part($1) } }
    return [
      .gauge(
        "starling_version_writers_max",
        "Replica ids in the longest version; every greeting about that document carries it.",
        documents.map(\.writers).max() ?? 0),
      .gauge("starling_operations", "Operations merged here, over all documents.", wideSum(\.operations)),
      .gauge("starling_members", "Other stores that take part, over all documents.", sum(\.members)),
      .gauge(
        "starling_conflicts", "Properties with several concurrent values, among those read since the start.",
        sum(\.conflicts)),
      .gauge("starling_changes_held", "Changes that wait for earlier ones.", sum(\.changesHeld)),
      .gauge("starling_backlog_bytes", "Bytes of changes that wait for the log.", sum(\.backlogBytes)),
      .gauge("starling_records_waiting", "Records that wait for the log.", sum(\.recordsWaiting)),
      .gauge("starling_asks_withheld", "Pulls postponed until the log keeps up.", sum(\.pullsPostponed)),
      .gauge(
        "starling_operations_unlogged", "Operations that the log has not accepted.", wideSum(\.operationsUnlogged)),
      .gauge(
        "starling_operations_unacknowledged", "This replica's operations that no other store has acknowledged.",
        wideSum(\.operationsUnacknowledged)),
      .gauge(
        "starling_operations_unstable", "Operations that not every member is known to have: their tombstones are kept.",
        wideSum(\.operationsUnstable)),
      .gauge(
        "starling_log_snapshot_bytes", "Bytes of the log's snapshots, as far as this process knows.",
        sum(\.snapshotBytes)),
      .gauge("starling_log_record_bytes", "Bytes of the log's records since those snapshots.", sum(\.recordBytes)),
    ]
  }
}
