import StarlingEngine
import StarlingExposition

// The engine's numbers as metrics. Names are told to others and stay; a number that changes its meaning gets another.

extension EngineCounters {
  var families: [MetricFamily] { liveFamilies + askFamilies + refusalFamilies + logFamilies }

  private var liveFamilies: [MetricFamily] {
    [
      .counter(
        "starling_frames_published_total", "Live frames of this replica's, however many peers receive them.",
        framesPublished),
      .counter("starling_changes_published_total", "Changes in live frames of this replica's.", changesPublished),
      .counter("starling_published_bytes_total", "Bytes of live frames of this replica's.", bytesPublished),
      .counter("starling_frames_received_total", "Live frames of others.", framesReceived),
      .counter(
        "starling_frames_put_off_total",
        "Live frames that were dropped because the log did not keep up; asked for later.",
        framesPutOff),
      .counter("starling_received_bytes_total", "Bytes of live frames and messages of others.", bytesReceived),
      .counter("starling_changes_merged_total", "Changes of others that merged.", changesMerged),
      .histogram("starling_merge_batch_changes", "Changes that merged at a time.", mergeBatch),
      .counter("starling_messages_sent_total", "Messages to single peers.", messagesSent),
      .counter("starling_messages_sent_bytes_total", "Bytes of messages to single peers.", messageBytesSent),
      .counter("starling_messages_received_total", "Messages of single peers.", messagesReceived),
      .counter(
        "starling_messages_undelivered_total", "Messages that a full or vanished connection did not take.", undelivered),
      .counter(
        "starling_messages_lost_total", "Times messages of a peer had not arrived, and all was told again.",
        messagesLost),
      .counter("starling_presence_received_total", "Notices of presence that came.", presenceReceived),
      .counter("starling_presence_refused_total", "Notices of presence that found no room.", presenceRefused),
      .counter(
        "starling_presence_withheld_total", "Times presence was kept back because the log did not keep up.",
        presenceWithheld),
      .counter("starling_peers_joined_total", "Peers that said who they are and were welcome.", peersJoined),
      .counter("starling_peers_left_total", "Peers that left.", peersLeft),
    ]
  }

  private var askFamilies: [MetricFamily] {
    [
      .counter("starling_gaps_total", "Streams that lost a frame.", gaps),
      .counter("starling_pulls_total", "Times a peer was asked for what is lacking here.", pulls),
      .counter("starling_pull_timeouts_total", "Asks that were not answered in time, and are repeated.", pullTimeouts),
      .counter("starling_answers_total", "Asks of peers that were answered.", answers),
      .counter(
        "starling_answers_given_up_total", "Answers of which their askers took nothing for long.", answersGivenUp),
      .counter("starling_states_sent_total", "Whole states sent.", snapshotsSent),
      .counter("starling_states_merged_total", "Whole states that came and merged.", snapshotsMerged),
      .counter(
        "starling_paths_adopted_total", "Answers with tombstones that were stored again for changes that came late.",
        pathsAdopted),
    ]
  }

  private var refusalFamilies: [MetricFamily] {
    [
      .counter("starling_malformed_total", "Frames and messages that no peer can have meant.", malformed),
      .counter("starling_denied_total", "Messages, changes and states that a key does not permit.", denied),
      .counter(
        "starling_documents_refused_total", "Times a peer spoke of a document that was not opened: too many were.",
        documentsRefused),
      .counter("starling_budget_refusals_total", "Times a key passed a budget, by which.", by: budgetRefusals.series),
      .counter("starling_refusals_sent_total", "Refusals said to peers, by their code.", by: refusalsSent.series),
      .counter(
        "starling_refusals_received_total", "Refusals heard from peers, by their code.", by: refusalsReceived.series),
      .counter(
        "starling_divergences_total", "Peers who held equal versions of a document and another state.", divergences),
      .counter(
        "starling_equivocations_total",
        "Times two states of one version contradicted each other, and one gave way.",
        equivocations),
      .counter(
        "starling_far_future_stamps_total", "Changes stamped further ahead than this replica's clock follows.",
        farFutureStamps),
      .counter("starling_log_failures_total", "Attempts to write that the log refused.", logFailures),
      .counter("starling_log_recoveries_total", "Times the log worked again.", logRecoveries),
      .counter(
        "starling_log_records_dropped_total", "Records in place of which a state is stored once the log works again.",
        recordsDropped),
      .counter("starling_renames_total", "Times this replica went on under another id.", renames),
    ]
  }

  private var logFamilies: [MetricFamily] {
    [
      .counter("starling_commits_total", "Groups of records that the log accepted.", commits),
      .histogram(
        "starling_commit_seconds", "How long the log took for a group of records.", commitMicroseconds, unit: 1e-6),
      .counter("starling_records_logged_total", "Records that the log accepted.", recordsLogged),
      .counter("starling_logged_bytes_total", "Bytes of records that the log accepted.", bytesLogged),
      .counter("starling_folds_total", "Times the log was folded into a snapshot.", folds),
      .counter("starling_waits_timed_out_total", "Waits for a flush or for room whose time was over.", waitsTimedOut),
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
    var peers = MetricFamily("starling_peers", .gauge, "Connections, by how they stand.")
    for standing in Standing.allCases {
      peers.add(.number(Double(self.peers[standing] ?? 0)), [MetricLabel("standing", standing.rawValue)])
    }
    return [
      peers, .gauge("starling_endpoints_dialled", "Endpoints that are dialled.", endpointsDialled),
      .gauge("starling_endpoints_unreachable", "Endpoints at which nobody answers.", endpointsUnreachable),
      .gauge("starling_log_failed", "1 while the log fails: nothing is acknowledged.", hasLogFailed ? 1 : 0),
      .gauge(
        "starling_documents_quarantined", "Documents that are damaged in the log and not served.", documentsQuarantined),
      .gauge("starling_waiters", "Those who wait for a flush or for room.", waiters),
      .gauge("starling_answers_waiting", "Answers that wait until their askers take more.", answersWaiting),
      .gauge("starling_documents_open", "Documents that are open.", documents.count),
    ] + documentFamilies
  }

  /// Over all documents: of these there may be as many as peers like.
  private var documentFamilies: [MetricFamily] {
    func sum(_ part: (DocumentMeasurements) -> Int) -> Int { documents.reduce(0) { $0 &+ part($1) } }
    func wideSum(_ part: (DocumentMeasurements) -> UInt64) -> UInt64 { documents.reduce(0) { $0 &+ part($1) } }
    return [
      .gauge(
        "starling_version_writers_max", "The length of the longest version: replica ids that ever wrote a document.",
        documents.map(\.writers).max() ?? 0),
      .gauge("starling_members", "Other stores that take part, over all documents.", sum(\.members)),
      .gauge("starling_conflicts", "Properties with several values beside each other.", sum(\.conflicts)),
      .gauge("starling_changes_held", "Changes that wait for what they stand on.", sum(\.changesHeld)),
      .gauge("starling_backlog_bytes", "Bytes of changes that wait for the log.", sum(\.backlogBytes)),
      .gauge("starling_records_waiting", "Records that wait for the log.", sum(\.recordsWaiting)),
      .gauge("starling_asks_withheld", "Asks that are held back until the log keeps up.", sum(\.asksWithheld)),
      .gauge(
        "starling_operations_unlogged", "Operations that the log has not accepted.", wideSum(\.operationsUnlogged)),
      .gauge(
        "starling_operations_unacknowledged", "Operations of this replica's that no other store has acknowledged.",
        wideSum(\.operationsUnacknowledged)),
      .gauge(
        "starling_operations_unstable", "Operations that not every member is known to have.",
        wideSum(\.operationsUnstable)),
      .gauge(
        "starling_log_snapshot_bytes", "Bytes of the log's snapshots, as far as this run knows.", sum(\.snapshotBytes)),
      .gauge("starling_log_record_bytes", "Bytes of the log's records since its snapshots.", sum(\.recordBytes)),
    ]
  }
}
