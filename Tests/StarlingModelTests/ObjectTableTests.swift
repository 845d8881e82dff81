import StarlingModel
import StarlingModelTestSupport
import Testing

@Suite struct `The table of a document's open objects` {
  private let pair = Pair()

  @Test func `forgets a model's plain collections with the model`() throws {
    let (here, _) = try pair.models(Binders.self)
    let before = pair.here.space.openObjectCount
    for round in 0..<100 {
      let binder = here.all.model(for: "\(round)")
      binder.tags = ["a"]
      binder.pages = ["first"]
      if round.isMultiple(of: 2) { here.all["\(round)"] = nil }
    }
    for name in here.all.keys { _ = here.all[name]?.tags }
    #expect(pair.here.space.openObjectCount == before)
  }

  @Test func `keeps the collections of the instance that took another one's place`() throws {
    let (here, there) = try pair.models(Binders.self)
    for round in 0..<10 {
      here.all.model(for: "a").tags.insert("\(round)")
      let kept = there.all.model(for: "a")
      pair.exchange()
      #expect(kept.tags.count == round + 1)
    }
  }
}

@Replicated final class Binder: Sendable {
  var tags: Set<String> = []
  var counts: [String: Int] = [:]
  var pages: [String] = []
}

@Replicated final class Binders: Sendable {
  var all: ReplicatedDictionary<String, Binder> = [:]
}
