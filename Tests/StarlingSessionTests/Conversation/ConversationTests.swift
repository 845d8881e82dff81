import Foundation
import Testing

@testable import StarlingSession

/// All that may happen in small groups, tried out: `STARLING_CONVERSATIONS=large` takes larger ones, and minutes.
@Suite struct `Every conversation of a small group` {
  private static let isLarge = ProcessInfo.processInfo.environment["STARLING_CONVERSATIONS"] == "large"

  @Test(arguments: isLarge ? ConversationWorld.large : ConversationWorld.small)
  func `keeps what was promised and comes to rest`(_ world: ConversationWorld) {
    var exploration = Exploration(world)
    let start = ContinuousClock().now
    if let (violation, trace) = exploration.run() {
      let moves = exploration.reduced(trace).map { "\($0)" }.joined(separator: ", ")
      Issue.record("\(world.name): \(violation)\nThe shortest way there: \(moves)")
    }
    let counts = exploration.counts
    print(
      "\(world.name): \(counts.states) states, \(counts.transitions) transitions, depth \(counts.depth), "
        + "\(counts.rests) left alone, idle after \(counts.longestRest) at most; \(ContinuousClock().now - start)")
    #expect(counts.rests > 0)
    #expect(exploration.reflected.unseen.isEmpty, "Two states may count as one that differ in these")
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
