import Starling
import Synchronization

/// Somebody looks at every card, and nobody may be woken for nothing, or sleep through a change.
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
  private struct Seen {
    var text = ""
    var runs = 0
    var idleRuns = 0
  }

  private let card: Card
  private let seen = Shared()
  private let observing: Observing

  private final class Shared: Sendable {
    let seen = Mutex(Seen())
  }

  init(_ card: Card) {
    self.card = card
    observing = observe(isolation: nil) { [seen] in
      let text = Self.text(of: card)
      seen.seen.withLock { seen in
        seen.runs += 1
        if seen.text == text { seen.idleRuns += 1 }
        seen.text = text
      }
    }
  }

  /// The first run was not a wake-up.
  var runs: Int { seen.seen.withLock { $0.runs - 1 } }

  var idleRuns: Int { seen.seen.withLock { $0.idleRuns } }

  var isLate: Bool {
    let present = Self.text(of: card)
    return seen.seen.withLock { $0.text != present }
  }

  private static func text(of card: Card) -> String { "\(card.title): \(card.votes.value)" }
}
