import Synchronization

/// How much of the graph is alive, for tests that ask whether all of it went.
package enum Census {
  package struct Counter: ~Copyable, Sendable {
    private let value = Atomic<Int>(0)

    package var count: Int { value.load(ordering: .relaxed) }

    func add(_ difference: Int) {
      value.wrappingAdd(difference, ordering: .relaxed)
    }
  }

  package static let homes = Counter()
  package static let sources = Counter()
  package static let links = Counter()
  package static let readers = Counter()
}
