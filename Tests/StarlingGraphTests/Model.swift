import StarlingGraph
import StarlingGuard

/// A model as the modules above make them: cells, and the home that their lock is found by.
final class Book: Sendable {
  let home = Home()
  let _title = Cell("")
  let _year = Cell(0)

  init(title: String = "", year: Int = 0) {
    self.title = title
    self.year = year
  }

  var title: String {
    get { _title.read(in: home) }
    set { _title.write(newValue, in: home) }
  }

  var year: Int {
    get { _year.read(in: home) }
    set { _year.write(newValue, in: home) }
  }

  /// The title, noted for nobody.
  var peekedTitle: String { _title.peek(in: home) }

  /// - Returns: Whether it differs from the present one.
  func change(year: Int) -> Bool {
    _year.write(year, in: home, unless: ==)
  }

  func increment(under held: borrowing Held) {
    var next = held.peek(_year) + 1
    held.swap(&next, in: _year)
  }

  /// - Returns: Whether it is under the document's lock now.
  func attach(to domain: Domain) -> Bool {
    home.attach(to: domain)
  }

  /// - Returns: The title before.
  func exchange(title: String) -> String {
    _title.exchange(title, in: home)
  }
}

/// What observers saw, in order.
final class Log<Entry: Sendable>: Sendable {
  private let state = Guarded([Entry]())

  func add(_ entry: Entry) {
    state.withLock { $0.append(entry) }
  }

  var entries: [Entry] { state.withLock { $0 } }
  var count: Int { entries.count }
}

/// Something whose death can be seen, and acted on.
final class Mortal: Sendable {
  private let onDeath: @Sendable () -> Void

  init(onDeath: @escaping @Sendable () -> Void = {}) {
    self.onDeath = onDeath
  }

  deinit {
    onDeath()
  }
}

/// A reference that a closure can hand out of itself.
final class Slot<Value: Sendable>: Sendable {
  private let state: Guarded<Value>

  init(_ value: Value) {
    state = Guarded(value)
  }

  var value: Value {
    get { state.withLock { $0 } }
    set {
      // What is replaced may run code as it goes: after unlocking.
      var value = newValue
      state.withLock { swap(&$0, &value) }
    }
  }

  func edit<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
    state.withLock { state in
      var value = state
      let result = change(&value)
      state = value
      return result
    }
  }
}
