import Starling
import Synchronization

/// Somebody looks at every card, and nobody may sleep through a change, or be woken for nothing.
final class Watchers {
  private var watchers: [ObjectIdentifier: Watcher] = [:]

  /// Looks at cards that nobody looks at yet.
  func follow(_ cards: [Card]) {
    for card in cards where watchers[ObjectIdentifier(card)] == nil {
      watchers[ObjectIdentifier(card)] = Watcher(card)
    }
  }

  /// How often one of them was woken.
  var runs: Int { watchers.values.reduce(0) { $0 + $1.runs } }

  /// How often one of them was woken and saw what it had seen before.
  var idleRuns: Int { watchers.values.reduce(0) { $0 + $1.idleRuns } }

  /// How many have not seen what their card shows by now. Asked when nothing comes any more.
  var lateCount: Int { watchers.values.count(where: \.isLate) }
}

/// Looks at the title and the votes of one card.
private final class Watcher {
  private let card: Card
  private let seen = Seen()
  private let observing: ObservationToken

  private final class Seen: Sendable {
    /// The hash of what was seen last.
    let last = Atomic(0)
    let runs = Atomic(0)
    let idleRuns = Atomic(0)
  }

  init(_ card: Card) {
    self.card = card
    observing = observe(isolation: nil) { [seen] in
      let present = Self.hash(of: card)
      seen.runs.add(1, ordering: .relaxed)
      if seen.last.exchange(present, ordering: .relaxed) == present { seen.idleRuns.add(1, ordering: .relaxed) }
    }
  }

  /// The first run was not a wake-up.
  var runs: Int { seen.runs.load(ordering: .relaxed) - 1 }

  var idleRuns: Int { seen.idleRuns.load(ordering: .relaxed) }

  var isLate: Bool { seen.last.load(ordering: .relaxed) != Self.hash(of: card) }

  private static func hash(of card: Card) -> Int { "\(card.title): \(card.votes.value)".hashValue }
}
