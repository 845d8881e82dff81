import StarlingGuard
import StarlingModel

@Replicated final class Person: Sendable {
  var name = ""
  var email = ""
}

@Replicated final class Roster: Sendable {
  var users: [Person] = []
  var currentIndex = 0
  var currentName: String {
    derived { $0.users.indices.contains($0.currentIndex) ? $0.users[$0.currentIndex].name : "" }
  }

  func add(_ names: String...) {
    for name in names {
      let user = Person()
      user.name = name
      users.append(user)
    }
  }
}

@Replicated final class Volume: Sendable {
  var title = ""
  var isAvailable = true
}

@Replicated final class Catalogue: Sendable {
  /// How often the count was computed.
  final class Computations: Sendable {
    private let count_ = Guarded(0)
    var count: Int { count_.withLock { $0 } }
    func add() { count_.withLock { $0 += 1 } }
  }

  var books: [Volume] = []
  @ReplicatedIgnored let computations = Computations()
  var availableBooksCount: Int {
    derived { catalogue in
      catalogue.computations.add()
      return catalogue.books.filter(\.isAvailable).count
    }
  }
}

/// As users do it where computed properties wake too often.
@Replicated final class Cached: Sendable {
  var users: [String] = [] { didSet { refresh() } }
  var currentIndex = 0 { didSet { refresh() } }
  @Local var currentUser = ""

  private func refresh() {
    currentUser = users.indices.contains(currentIndex) ? users[currentIndex] : ""
  }
}

/// Equal to every other one.
final class Badge: Equatable, Sendable {
  let number = 1
  static func == (left: Badge, right: Badge) -> Bool { true }
}

@Replicated final class Holder: Sendable {
  @Local var badge = Badge()
}

@Replicated final class Endless: Sendable {
  var laps = 0
}

@MainActor @Replicated final class Settings {
  var theme = "light"
  @Clamped(8...32) var fontSize = 12
  @Stored("last") var last = ""
}

@propertyWrapper struct Clamped {
  private let range: ClosedRange<Int>
  private var value: Int

  init(wrappedValue: Int, _ range: ClosedRange<Int>) {
    self.range = range
    value = wrappedValue
  }

  var wrappedValue: Int {
    get { value }
    set { value = min(max(newValue, range.lowerBound), range.upperBound) }
  }
}

/// Keeps its value elsewhere under a key, as settings are kept.
@MainActor @propertyWrapper struct Stored<Value> {
  private let key: String
  private let standard: Value

  init(wrappedValue: Value, _ key: String) {
    self.key = key
    standard = wrappedValue
  }

  static var values: [String: Any] {
    get { Store.values }
    set { Store.values = newValue }
  }

  var wrappedValue: Value {
    get { Self.values[key] as? Value ?? standard }
    nonmutating set { Self.values[key] = newValue }
  }
}

@MainActor private enum Store {
  static var values: [String: Any] = [:]
}
