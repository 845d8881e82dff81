import Observation
import RegexBuilder
import StarlingCore
import StarlingEngine
import StarlingGraph
import StarlingGuard
import StarlingModel
import StarlingModelTestSupport
import Testing

/// What no other suite says by name of the rules that the Swift side stands on.
@Suite struct `A rule of the house` {
  let pair = Pair()

  @Test func `has storage cross threads only where its value may`() {
    final class Loose {}
    #expect(isSendable(_Replicated.Field<String>.self))
    #expect(!isSendable(_Replicated.Field<Loose>.self))
    #expect(isSendable(Cell<String>.self))
    #expect(!isSendable(Cell<Loose>.self))
    #expect(!isSendable(Derived<Loose>.self))
  }

  @Test func `runs the user's observers for local writes alone`() throws {
    let (here, there) = try pair.models(Observed.self)
    here.count = 1
    #expect(here.runs.count == 1)
    there.count = 5
    pair.exchange()
    #expect(here.count == there.count)
    #expect(here.runs.count == 1)
  }

  @Test func `tells the standard library after the value is stored and every lock is open`() throws {
    let (here, _) = try pair.models(Book.self)
    let seen = Guarded<[String]>([])
    withObservationTracking {
      _ = here.title
    } onChange: {
      // Before the change by its name; the value is the new one, and can be written as well as read.
      let title = here.title
      seen.withLock { $0.append(title) }
      here.pages = 3
    }
    here.title = "Dune"
    #expect(seen.withLock { $0 } == ["Dune"])
    #expect(here.pages == 3)
  }

  @Test func `calls nothing of the user's while a lock is held`() throws {
    // Equality, encoding and observers of the user's read and write the model that is being written.
    let (here, there) = try pair.models(Nosy.self)
    here.curious = Curious(number: 1) { _ = here.title }
    here.curious = Curious(number: 2) { here.title += "!" }
    here.curious = Curious(number: 3) { _ = here.title }
    pair.exchange()
    #expect(there.curious.number == 3)
    #expect(!here.title.isEmpty)
    // The model holds the closure, and the closure the model.
    here.curious = Curious(number: 4) {}
  }

  @Test func `reads what it receives for a type of the user's with every lock open`() throws {
    let (here, there) = try pair.models(Sack.self)
    Grams.act.withLock { $0.body = { there.label += "!" } }
    defer { Grams.act.withLock { $0.body = nil } }
    here.weight = Grams(number: 7)
    pair.exchange()
    #expect(there.weight.number == 7)
    #expect(there.label.hasPrefix("!"))
  }

  @Test func `tracks nothing by a handle, but what is read through it`() throws {
    let (here, _) = try pair.models(Account.self)
    let handle = Watch {
      _ = here.profile
      return 0
    }
    let name = Watch { here.profile.name }
    here.profile.name = "Ada"
    #expect(handle.runs == 1)
    #expect(name.runs == 2)
  }

  @Test func `leaves other packages the short names`() throws {
    // Ambiguous if a module of ours had the name.
    let word = Reference(Substring.self)
    let pattern = Regex { Capture(as: word) { OneOrMore(.word) } }
    #expect(try #require("Dune".firstMatch(of: pattern))[word] == "Dune")
  }
}

@Replicated final class Observed: Sendable {
  final class Runs: Sendable {
    private let count_ = Guarded(0)
    var count: Int { count_.withLock { $0 } }
    func add() { count_.withLock { $0 += 1 } }
  }

  var count = 0 {
    didSet { runs.add() }
  }
  @ReplicatedIgnored let runs = Runs()
}

@Replicated final class Sack: Sendable {
  var weight = Grams(number: 0)
  var label = ""
}

/// A value of the user's with a spelling of its own, which does something whenever it is read or compared.
struct Grams: ReplicatedValue, Sendable {
  struct Act {
    var body: (@Sendable () -> Void)?
  }

  static let act = Guarded(Act())

  var number: Int64

  static var empty: Grams { Grams(number: 0) }
  var replicated: Value { .integer(number) }

  init(number: Int64) {
    self.number = number
  }

  init?(replicated value: Value) {
    Self.act.withLock { $0.body }?()
    guard case .integer(let number) = value else { return nil }
    self.number = number
  }

  func isSame(as other: Grams) -> Bool {
    Self.act.withLock { $0.body }?()
    return number == other.number
  }
}

/// Does something of its own whenever it is compared or encoded.
struct Curious: Codable, Equatable, Sendable {
  var number = 0
  var act: @Sendable () -> Void = {}

  init(number: Int = 0, act: @escaping @Sendable () -> Void = {}) {
    self.number = number
    self.act = act
  }

  init(from decoder: any Decoder) throws {
    number = try decoder.singleValueContainer().decode(Int.self)
  }

  func encode(to encoder: any Encoder) throws {
    act()
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }

  static func == (left: Curious, right: Curious) -> Bool {
    left.act()
    return left.number == right.number
  }
}

@Replicated final class Nosy: Sendable {
  var title = ""
  var curious = Curious()
}
