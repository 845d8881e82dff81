import Foundation
import Observation
import StarlingEngine
import StarlingGuard
import StarlingModel
import StarlingModelTestSupport
import Testing

@Suite struct `A declaration` {
  let pair = Pair()

  @Test func `within a condition replicates, and is observed`() throws {
    let (here, there) = try pair.models(Conditional.self)
    let platforms = Watch { there.platform }
    here.platform = "plan 9"
    here.detail = "none"
    here.last = 3
    pair.exchange()
    #expect(there.detail == "none")
    #expect(there.last == 3)
    #expect(platforms.seen == ["unix", "plan 9"])
    #expect(here.conflicts(of: \.platform).isEmpty)
    there.platform = "unix"
    here.platform = "os"
    pair.exchange()
    #expect(here.conflicts(of: \.platform).count == 2)
  }

  @MainActor @Test func `of a conditional property wakes the standard library's observers of it alone`() async throws {
    let model = Conditional()
    var seen: [String] = []
    for await detail in Observations({ model.detail }) {
      seen.append(detail)
      if seen.count == 2 { break }
      model.last += 1
      model.detail = "changed"
    }
    #expect(seen.last == "changed")
  }

  @Test func `whose default chooses holds what was chosen`() {
    let model = Choosing()
    #expect(model.width == 10)
    #expect(model.height == 20)
    #expect(model.name == "large")
  }

  @Test func `with conformances of its own keeps them`() throws {
    let edition = Edition()
    edition.id = 4
    let copy = try JSONDecoder().decode(Edition.self, from: JSONEncoder().encode(edition))
    #expect(copy == edition)
    #expect(copy !== edition)
    #expect(copy.hashValue == edition.hashValue)
    #expect([edition].map(\.id) == [4])
  }

  @Archive @Test func `isolated by an actor of one's own takes what is safe there`() {
    let record = Record()
    record.title = "a"
    record.former = record
    #expect(record.shelfMark == "a-1")
    #expect(record.former === record)
  }

  @available(*, deprecated) @Test func `that is deprecated replicates`() throws {
    let (here, there) = try pair.models(Deprecating.self)
    here.isbn = "1"
    here.format = Format(width: 3)
    pair.exchange()
    #expect(there.isbn == "1")
    #expect(there.format.width == 3)
    #expect(here.changes == 1)
  }

  @MainActor @Test func `with a wrapper in lower case leaves the wrapper alone`() {
    let model = Wrapping()
    let heard = Guarded(0)
    withObservationTracking {
      _ = (model.wrapped, model.plain)
    } onChange: {
      heard.withLock { $0 += 1 }
    }
    model.wrapped = "a"
    #expect(heard.withLock { $0 } == 0)
    model.plain = "b"
    #expect(heard.withLock { $0 } == 1)
  }
}
