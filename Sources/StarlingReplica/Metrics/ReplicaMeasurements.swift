public import StarlingEngine
public import StarlingExposition
public import StarlingZeroMQ

/// What a replica has done and where it stands, all that is worth a curve: what `starlingd --metrics` shows, and what
/// `ReplicaMetrics` hands to swift-metrics.
public struct ReplicaMeasurements: Sendable {
  /// What the engine counts, and where its documents stand.
  public var engine: EngineMeasurements
  /// Nil where another link than ours carries the frames.
  public var link: ZeroMQLink.Counters?
  /// What the link to a cluster carried; nil without one.
  public var cluster: CompositeLink.Counters?
  /// What that link counted of keys; nil without one.
  public var clusterKeys: ClusterKeyCounters?
  /// What the audit log wrote and left out.
  public var audit: AuditCounts

  /// The same as metrics (Documentation/Operating.md, "Metrics"). None has a label whose values come from the network:
  /// whoever dials cannot make a collector remember more.
  public var families: [MetricFamily] {
    engine.counters.families + engine.families + (link?.families ?? []) + (cluster?.clusterFamilies ?? [])
      + (clusterKeys?.families ?? []) + audit.families
  }

  /// The same in the text format that Prometheus reads, with the content type `Exposition.contentType`.
  public var text: String { Exposition(families).text }
}

extension MetricFamily {
  static func counter(_ name: MetricName, _ help: String, _ count: some BinaryInteger) -> MetricFamily {
    .counter(name, help, by: [([], Double(count))])
  }

  static func counter(
    _ name: MetricName, _ help: String, by counts: some Sequence<([MetricLabel], Double)>
  ) -> MetricFamily {
    var family = MetricFamily(name, .counter, help)
    for (labels, count) in counts { family.add(.number(count), labels) }
    return family
  }

  static func gauge(_ name: MetricName, _ help: String, _ amount: some BinaryInteger) -> MetricFamily {
    var family = MetricFamily(name, .gauge, help)
    family.add(.number(Double(amount)))
    return family
  }

  /// - Parameter unit: what one of what was measured is in the unit of the metric.
  static func histogram(
    _ name: MetricName, _ help: String, _ distribution: Distribution, unit: Double = 1
  ) -> MetricFamily {
    var family = MetricFamily(name, .histogram, help)
    family.add(
      .histogram(
        MetricHistogram(
          bounds: distribution.bounds.map { Double($0) * unit }, counts: distribution.buckets,
          sum: Double(distribution.sum) * unit)))
    return family
  }
}
