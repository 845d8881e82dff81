import Foundation
import Testing

@testable import StarlingSession

/// All that may happen in small groups, tried out: `STARLING_CONVERSATIONS=all` takes larger ones too, and minutes; any
/// other words, those whose names have them.
@Suite struct `Every conversation of a small group` {
  private static let worlds = {
    let wanted = ProcessInfo.processInfo.environment["STARLING_CONVERSATIONS"]
    let all = ConversationWorld.small + ConversationWorld.large
    return wanted.map { wanted in wanted == "all" ? all : all.filter { $0.name.contains(wanted) } }
      ?? ConversationWorld.small
  }()

  @Test(arguments: worlds)
  func `keeps what was promised and comes to rest`(_ world: ConversationWorld) {
    var exploration = Exploration(world)
    let start = ContinuousClock().now
    if let finding = exploration.run() {
      let way = "The shortest way there:\n\(exploration.words(for: finding))"
      Issue.record("\(world.name), after \(exploration.counts.states) states: \(finding.violation)\n\(way)")
    }
    let counts = exploration.counts
    print(
      "\(world.name): \(counts.states) states, \(counts.transitions) transitions, depth \(counts.depth), "
        + "\(counts.rests) left alone, idle after \(counts.longestRest) at most; "
        + "\(exploration.handings.decisionCount) decisions; \(ContinuousClock().now - start)")
    #expect(counts.rests > 0)
    #expect(exploration.handings.reflected.unseen.isEmpty, "Two states may count as one that differ in these")
  }

  @Test func `has as many states each time`() {
    let counts = (0..<2).map { _ in
      var exploration = Exploration(ConversationWorld.small.last!)
      _ = exploration.run()
      return [exploration.counts.states, exploration.counts.transitions, exploration.counts.rests]
    }
    #expect(counts[0] == counts[1] && counts[0][0] > 50)
  }
}
