import StarlingExposition

/// What a link to a cluster counted of keys and sealed messages. All stay zero in a replica without keys.
public struct ClusterKeyCounters: Sendable, Hashable {
  /// Sessions in which both members proved their keys.
  public var handshakes: UInt64 = 0
  /// Handshakes that proved nothing: of another key, group or member, or changed on the way.
  public var handshakesFailed: UInt64 = 0
  /// Handshakes beyond the number that a link computes a second; the member calls again.
  public var handshakesPutOff: UInt64 = 0
  /// Keys that were shown and are not in the allowlist, and sessions whose key is in it no more.
  public var keysRefused: UInt64 = 0
  /// Messages that did not open: said again, out of turn, changed, or not sealed.
  public var messagesUnopened: UInt64 = 0
  /// Keys drawn for what is published to all relays.
  public var broadcastKeys: UInt64 = 0

  /// Nothing counted.
  public init() {}

  var families: [MetricFamily] {
    [
      .counter(
        "starling_cluster_handshakes_total",
        "Handshakes with members of the cluster: proved, failed, put_off (beyond the number that is computed a second).",
        by: [
          ([MetricLabel("outcome", "proved")], Double(handshakes)),
          ([MetricLabel("outcome", "failed")], Double(handshakesFailed)),
          ([MetricLabel("outcome", "put_off")], Double(handshakesPutOff)),
        ]),
      .counter(
        "starling_cluster_keys_refused_total",
        "Members and sessions in the cluster refused because their key is not in the allowlist.", keysRefused),
      .counter(
        "starling_cluster_messages_unopened_total",
        "Messages of the cluster that did not open: said again, out of turn, changed, or not sealed.",
        messagesUnopened),
      .counter(
        "starling_cluster_broadcast_keys_total",
        "Keys drawn for what is published to all daemons in the cluster.", broadcastKeys),
    ]
  }
}
