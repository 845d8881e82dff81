import StarlingGraph
import StarlingGuard

/// A model as the rooms above make them: cells, and the home that their lock is found by.
final class Book: Sendable {
  let home = Home()
  private let _title = Cell("")
  private let _year = Cell(0)

  var title: String {
    get { _title.read(in: home) }
    set { _title.write(newValue, in: home) }
  }

  var year: Int {
    get { _year.read(in: home) }
    set { _year.write(newValue, in: home) }
  }
}

/// What observers saw, in order.
final class Record<Entry: Sendable>: Sendable {
  private let state = Guarded([Entry]())

  func add(_ entry: Entry) {
    state.withLock { $0.append(entry) }
  }

  var entries: [Entry] { state.withLock { $0 } }
  var count: Int { entries.count }
}
