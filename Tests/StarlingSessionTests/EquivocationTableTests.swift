import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

@Suite struct `The table of operations with two contents` {
  private func report(_ counter: UInt64, replica: UInt64 = 7, in name: String = "library") -> EquivocationReport {
    EquivocationReport(Dot(ReplicaID(rawValue: replica), counter), in: DocumentID(name)!)
  }

  @Test func `acts on each once, also after a restart`() {
    var table = EquivocationTable([report(1)])
    #expect(table.hear(report(1)) == false)
    #expect(table.hear(report(2)) == true)
    #expect(table.hear(report(2)) == false)
    #expect(table.hear(report(2, in: "other")) == true)
  }

  @Test func `tells each relay everything once, in ascending order and in messages of a bounded length`() {
    var table = EquivocationTable()
    for counter in (1...3000 as ClosedRange<UInt64>).reversed() { _ = table.hear(report(counter)) }
    var place = 0
    var told: [EquivocationReport] = []
    while let news = table.news(after: place) {
      #expect(news.reports.count <= EquivocationReport.countMax && news.reports == news.reports.sorted())
      told += news.reports
      place = news.end
    }
    #expect(Set(told).count == 3000 && told.count == 3000)
  }

  @Test func `keeps those of unknown writers until they are known`() {
    var table = EquivocationTable()
    _ = table.hear(report(1))
    table.wait(report(1))
    let others = table.endWait(for: ReplicaID(rawValue: 8))
    #expect(others.isEmpty)
    let waited = table.endWait(for: ReplicaID(rawValue: 7))
    #expect(waited == [report(1)])
    let again = table.endWait(for: ReplicaID(rawValue: 7))
    #expect(again.isEmpty)
  }
}
