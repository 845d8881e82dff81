import StarlingCore
import StarlingWire

/// The asks that one peer has to answer. Thousands of documents may be lacking at once. Were all of them asked for
/// together, the queues on the way would fill, answers would come when nobody waits for them any more, and everything
/// would be asked for again, without end.
///
/// ```
///   ask ──► under way, few ──► answered, or given up
///    │          ▲
///    └► in turn ┘
/// ```
struct AskWindow: Sendable {
  /// At most so many are under way.
  static let countMax = 64

  struct Ask: Sendable {
    let document: DocumentNumber
    let want: Message.Want
  }

  private(set) var underWay: [Ask] = []
  private var inTurn: [Ask] = []
  /// How many of those in turn have gone out or been dropped.
  private var passed = 0
  /// Whether anything of its answers came since the last look.
  private var isAnswering = false

  var isEmpty: Bool { underWay.isEmpty && inTurn.isEmpty }

  /// - Returns: whether it may go out now; if not, `next` returns it in its turn.
  mutating func add(_ ask: Ask) -> Bool {
    guard underWay.count < Self.countMax, inTurn.isEmpty else {
      inTurn.append(ask)
      return false
    }
    underWay.append(ask)
    return true
  }

  mutating func noteAnswer() { isAnswering = true }

  mutating func takeAnswered() -> Bool {
    defer { isAnswering = false }
    return isAnswering
  }

  /// Drops what is asked no more.
  mutating func review(_ isAsked: (Ask) -> Bool) {
    underWay.removeAll { !isAsked($0) }
  }

  /// The next that may go out; nil while enough are under way, or nothing waits.
  mutating func next(_ isAsked: (Ask) -> Bool) -> Ask? {
    guard underWay.count < Self.countMax else { return nil }
    while passed < inTurn.count {
      let ask = inTurn[passed]
      passed += 1
      guard isAsked(ask) else { continue }
      underWay.append(ask)
      return ask
    }
    (inTurn, passed) = ([], 0)
    return nil
  }
}
