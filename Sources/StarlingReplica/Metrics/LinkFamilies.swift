import StarlingEngine
import StarlingExposition
import StarlingZeroMQ

extension ZeroMQLink.Counters {
  var families: [MetricFamily] {
    [
      .counter("starling_link_frames_published_total", "Frames handed to the publishing sockets.", framesPublished),
      .counter("starling_link_frames_sent_total", "Frames sent to single peers.", framesSent),
      .counter("starling_link_frames_received_total", "Frames received, of every kind.", framesReceived),
      .counter(
        "starling_link_frames_dropped_total",
        "Frames to single peers that were dropped: full (its queue was at the high-water mark), gone, too_large.",
        by: [
          ([MetricLabel("reason", "full")], Double(queuesFull)),
          ([MetricLabel("reason", "gone")], Double(framesUndelivered - min(queuesFull, framesUndelivered))),
          ([MetricLabel("reason", "too_large")], Double(framesTooLarge)),
        ]),
      .counter(
        "starling_link_overflows_total",
        "Times that a subscriber's queue reached the high-water mark; the subscriber misses frames and pulls them later.",
        overflows),
      .counter("starling_link_malformed_total", "Messages of a shape that no link sends.", malformed),
      .counter("starling_link_reconnects_total", "Dialled connections that were lost and made again.", reconnects),
      .counter(
        "starling_link_handshakes_failed_total",
        "Failed handshakes: accepted or dialled; unfinished, not_admitted, not_understood.",
        by: handshakesAccepted.series(side: "accepted") + handshakesDialled.series(side: "dialled")),
      .counter(
        "starling_link_connections_refused_total",
        "Connections closed, beyond a limit or because their key was revoked.", connectionsRefused),
      .counter(
        "starling_link_keys_refused_total",
        "Handshakes and connections refused because their key is not in the allowlist.", keysRefused),
      .counter(
        "starling_link_batches_total", "Turns of the link's thread in which something arrived or a timer ended.",
        batches),
    ]
  }
}

extension ZeroMQLink.FailedHandshakes {
  fileprivate func series(side: String) -> [([MetricLabel], Double)] {
    [("unfinished", unfinished), ("not_admitted", notAdmitted), ("not_understood", notUnderstood)].map {
      ([MetricLabel("side", side), MetricLabel("reason", $0)], Double($1))
    }
  }
}

extension CompositeLink.Counters {
  /// As metrics of the link to the cluster.
  var clusterFamilies: [MetricFamily] {
    [
      .counter("starling_cluster_frames_published_total", "Frames published into the cluster.", framesPublished),
      .counter("starling_cluster_frames_sent_total", "Frames sent to single peers in the cluster.", framesSent),
      .counter("starling_cluster_frames_received_total", "Frames received from the cluster.", framesReceived),
      .counter(
        "starling_cluster_frames_dropped_total",
        "Frames to and from the cluster that were dropped; what is missing is pulled later.", framesDropped),
    ]
  }
}
