import StarlingGuard

/// What is to be done at intervals of a tree's clock.
@MainActor final class TreeTimers {
  private struct Entry {
    let interval: Duration
    var due: Duration
    let action: @MainActor () -> Void
  }

  private var entries: [Int: Entry] = [:]
  private var lastNumber = 0

  var isEmpty: Bool { entries.isEmpty }

  /// When something is due next; nil: never.
  var nextDue: Duration? { entries.values.map(\.due).min() }

  func add(_ interval: Duration, from now: Duration, _ action: @escaping @MainActor () -> Void) -> Int {
    lastNumber += 1
    entries[lastNumber] = Entry(interval: interval, due: now + interval, action: action)
    return lastNumber
  }

  func remove(_ number: Int) {
    entries[number] = nil
  }

  /// Does the next thing that is due at `now`, and says whether there was one.
  func runNext(at now: Duration) -> Bool {
    let due = entries.filter { $0.value.due <= now }.min { ($0.value.due, $0.key) < ($1.value.due, $1.key) }
    guard let (number, entry) = due else { return false }
    entries[number]?.due = entry.due + max(entry.interval, .milliseconds(1))
    entry.action()
    return true
  }
}

extension ViewTree {
  /// Does something at intervals of the tree's clock, until what is returned is cancelled.
  func every(_ interval: Duration, _ action: @escaping @MainActor () -> Void) -> AnyCancellable {
    let number = timers.add(interval, from: now, action)
    inbox.wake()
    return AnyCancellable { [weak self] in
      // A view goes on the main actor, where its subscriptions end.
      MainActor.assumeIsolated { self?.timers.remove(number) }
    }
  }
}
