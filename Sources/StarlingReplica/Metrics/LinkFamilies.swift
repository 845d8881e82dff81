import StarlingExposition
import StarlingZeroMQ

extension ZeroMQLink.Counters {
  var families: [MetricFamily] {
    [
      .counter("starling_link_frames_published_total", "Frames handed to the publishing sockets.", framesPublished),
      .counter("starling_link_frames_sent_total", "Frames sent to single peers.", framesSent),
      .counter("starling_link_frames_received_total", "Frames that came, of whatever kind.", framesReceived),
      .counter(
        "starling_link_frames_dropped_total", "Frames to single peers that were dropped, by why.",
        by: [
          ([MetricLabel("reason", "full")], Double(queuesFull)),
          ([MetricLabel("reason", "gone")], Double(framesUndelivered - min(queuesFull, framesUndelivered))),
          ([MetricLabel("reason", "too_large")], Double(framesTooLarge)),
        ]),
      .counter(
        "starling_link_overflows_total", "Times a subscriber's queue was full, so that it missed frames.", overflows),
      .counter("starling_link_malformed_total", "Messages of a shape that no link sends.", malformed),
      .counter("starling_link_reconnects_total", "Dialled connections that came about again.", reconnects),
      .counter(
        "starling_link_handshakes_failed_total", "Handshakes that failed, by who dialled and what was wrong.",
        by: handshakesAccepted.series(side: "accepted") + handshakesDialled.series(side: "dialled")),
      .counter("starling_link_connections_refused_total", "Accepted connections that were cut.", connectionsRefused),
      .counter("starling_link_keys_refused_total", "Handshakes and connections whose key is not let in.", keysRefused),
      .counter("starling_link_batches_total", "Turns in which the link brought something or the time was up.", batches),
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
