public import CoreMetrics
public import ServiceLifecycle
import StarlingExposition

/// Hands what a replica measures to swift-metrics, and so to whatever backend the program has bootstrapped.
///
/// ```swift
/// MetricsSystem.bootstrap(…)
/// let replica = try await Replica.open("library")
/// try await ServiceGroup(services: [replica, ReplicaMetrics(of: replica)], logger: logger).run()
/// ```
///
/// Nothing of it is on the way of a write: the engine counts in plain integers, which are read every `interval`. Names
/// and labels are those of Documentation/Operating.md, "Metrics". Of a histogram, whose amounts are not kept one by
/// one, the number of amounts and their sum are handed over, as counters that end in `_count` and `_sum`.
public struct ReplicaMetrics: Service {
  private let replica: BareReplica
  private let interval: Duration
  private let factory: any MetricsFactory

  /// - Parameters:
  ///   - replica: The replica that is measured.
  ///   - interval: how often.
  ///   - factory: the backend; the bootstrapped one by default.
  public init(
    of replica: BareReplica, every interval: Duration = .seconds(10),
    factory: any MetricsFactory = MetricsSystem.factory
  ) {
    self.replica = replica
    self.interval = interval
    self.factory = factory
  }

  /// Until the service group shuts down, or the task is cancelled; once more at the end.
  public func run() async throws {
    await cancelWhenGracefulShutdown {
      var handlers = MetricHandlers(factory)
      var isOver = false
      while !isOver {
        handlers.record(await replica.measure().families)
        isOver = (try? await Task.sleep(for: interval)) == nil
      }
      handlers.record(await replica.measure().families)
    }
  }
}

/// Where the numbers go, one handler for each series, which are made when they first appear.
struct MetricHandlers {
  private struct Name: Hashable {
    let text: String
    let labels: [MetricLabel]

    var dimensions: [(String, String)] { labels.map { ($0.name.text, $0.value) } }
  }

  /// A counter is told differences: what was counted is what was told last.
  private struct Told {
    let handler: CoreMetrics.FloatingPointCounter
    var amount = 0.0
  }

  private let factory: any MetricsFactory
  private var counters: [Name: Told] = [:]
  private var gauges: [Name: CoreMetrics.Gauge] = [:]

  init(_ factory: any MetricsFactory) {
    self.factory = factory
  }

  mutating func record(_ families: [MetricFamily]) {
    for family in families {
      for series in family.series {
        switch series.reading {
        case .histogram(let histogram):
          count(Double(histogram.count), Name(text: family.name.text + "_count", labels: series.labels))
          count(histogram.sum, Name(text: family.name.text + "_sum", labels: series.labels))
        case .number(let value) where family.kind == .counter:
          count(value, Name(text: family.name.text, labels: series.labels))
        case .number(let value): show(value, Name(text: family.name.text, labels: series.labels))
        }
      }
    }
  }

  private mutating func count(_ amount: Double, _ name: Name) {
    var told =
      counters[name]
      ?? Told(
        handler: FloatingPointCounter(label: name.text, dimensions: name.dimensions, factory: factory))
    if amount > told.amount { told.handler.increment(by: amount - told.amount) }
    told.amount = max(amount, told.amount)
    counters[name] = told
  }

  private mutating func show(_ value: Double, _ name: Name) {
    let gauge = gauges[name] ?? Gauge(label: name.text, dimensions: name.dimensions, factory: factory)
    gauges[name] = gauge
    gauge.record(value)
  }
}
