import CoreMetrics
import Foundation
import InMemoryTracing
import MetricsTestKit
import StarlingEngine
import StarlingExposition
import Testing
import Tracing

@testable import Starling
@testable import StarlingReplica

@Suite struct `Metrics of a replica` {
  /// All that a replica in a cluster has, which this one is not in.
  private func families(of replica: Replica) async -> [MetricFamily] {
    var measurements = await replica.measure()
    measurements.cluster = CompositeLink.Counters()
    measurements.clusterKeys = ClusterKeyCounters()
    return measurements.families
  }

  @Test func `have names of one house, each once, and say what they mean`() async throws {
    let group = try Group()
    let replica = try await group.open()
    let families = await families(of: replica)
    for family in families {
      #expect(family.name.text.hasPrefix("starling_"))
      #expect(family.help.hasSuffix("."), "\(family.name.text)")
      #expect(!family.series.isEmpty && family.omittedCount == 0, "\(family.name.text)")
    }
    #expect(Set(families.map(\.name)).count == families.count)
    try await replica.close()
  }

  @Test func `stand in the documentation, and no others do`() async throws {
    let group = try Group()
    let replica = try await group.open()
    let names = await families(of: replica).map(\.name.text)
    try await replica.close()
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    let page = try String(contentsOf: root.appending(path: "Documentation/Operating.md"), encoding: .utf8)
    let documented = page.split(separator: "\n").filter { $0.hasPrefix("| `starling_") }
      .compactMap { $0.split(separator: "`").dropFirst().first.map { String($0.prefix { $0 != "{" }) } }
    #expect(Set(names).subtracting(documented).sorted() == [])
    #expect(Set(documented).subtracting(names).sorted() == [])
  }

  @Test func `have as many series after many peers as before`() async throws {
    let group = try Group()
    let replica = try await group.open()
    let before = await replica.measure().families.map(\.series.count)
    var others: [Replica] = []
    for _ in 0..<5 { others.append(try await group.open()) }
    for other in others { await other.synchronize() }
    #expect(await replica.measure().families.map(\.series.count) == before)
    for other in others + [replica] { try await other.close() }
  }

  @Test func `are handed to the backend as what came since the last time`() async throws {
    let metrics = TestMetrics()
    var handlers = MetricHandlers(metrics)
    func families(_ count: Double, _ level: Double, _ amounts: [Int], _ sum: Double) -> [MetricFamily] {
      var counter = MetricFamily("starling_pulls_total", .counter, "Pulls.")
      counter.add(.number(count), [MetricLabel("code", "malformed")])
      var gauge = MetricFamily("starling_peers", .gauge, "Peers.")
      gauge.add(.number(level))
      var histogram = MetricFamily("starling_commit_seconds", .histogram, "Commits.")
      histogram.add(.histogram(MetricHistogram(bounds: [1], counts: amounts, sum: sum)))
      return [counter, gauge, histogram]
    }
    handlers.record(families(3, 2, [1, 0], 0.5))
    handlers.record(families(3, 1, [1, 0], 0.5))
    handlers.record(families(10, 4, [2, 1], 3))
    let labels = [("code", "malformed")]
    #expect(try metrics.expectCounter("starling_pulls_total", labels).values == [3, 7])
    #expect(try metrics.expectGauge("starling_peers").values == [2, 1, 4])
    #expect(try metrics.expectCounter("starling_commit_seconds_count").values == [1, 2])
  }

  @Test func `reach the backend of a program that uses a replica`() async throws {
    let group = try Group()
    let (metrics, replica) = (TestMetrics(), try await group.open("here"))
    try replica.model(Book.self, named: "front-desk").title = "Dune"
    try await replica.flush()
    let service = Task { try await ReplicaMetrics(of: replica, every: .seconds(3600), factory: metrics).run() }
    service.cancel()
    try await service.value
    #expect(try metrics.expectCounter("starling_records_logged_total").totalValue == 1)
    #expect(try metrics.expectGauge("starling_documents_open").lastValue == 1)
    try await replica.close()
  }
}

@Suite struct `A trace` {
  @Test func `follows a write to its publication, and names what merges elsewhere`() async throws {
    let tracer = InMemoryTracer()
    try await withTracer(tracer) {
      let group = try Group()
      let (here, there) = (try await group.open(), try await group.open())
      await here.synchronize()
      await there.synchronize()
      let written = try here.model(Book.self, named: "front-desk", isolation: nil)
      let read = try there.model(Book.self, named: "front-desk", isolation: nil)
      let request = tracer.startSpan("request", context: .topLevel)
      ServiceContext.withValue(request.context) { written.title = "Dune" }
      request.end()
      for await title in Observations({ read.title }) where title == "Dune" { break }
      let writer = here.writer
      try await there.close()
      try await here.close()
      let spans = tracer.finishedSpans
      let published = try #require(spans.first { $0.operationName == "starling publish" })
      let merged = try #require(spans.first { $0.operationName == "starling merge" })
      #expect(published.traceID == request.traceID && published.parentSpanID == request.spanID)
      #expect(published.kind == .producer && merged.kind == .consumer)
      for span in [published, merged] {
        #expect(span.attributes.get("starling.document") == .string("test"))
        #expect(span.attributes.get("starling.changes") == .int64(1))
        #expect(span.attributes.get("starling.first") == span.attributes.get("starling.last"))
      }
      #expect(published.attributes.get("starling.last") == merged.attributes.get("starling.last"))
      #expect("\(published.attributes.get("starling.last") as Any)".contains("\(writer):"))
    }
  }

  @Test func `is not asked for where the program has no tracer`() {
    #expect(ReplicaTracer.bootstrapped == nil)
  }
}
