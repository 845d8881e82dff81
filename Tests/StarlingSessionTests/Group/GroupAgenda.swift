/// What happens when; of one moment the first that was added goes first.
struct GroupAgenda {
  private var heap: [(moment: Int, order: Int, event: ValueGroup.Event)] = []
  private var count = 0

  private func precedes(_ left: Int, _ right: Int) -> Bool {
    heap[left].moment != heap[right].moment
      ? heap[left].moment < heap[right].moment : heap[left].order < heap[right].order
  }

  mutating func add(_ event: ValueGroup.Event, at moment: Int) {
    heap.append((moment, count, event))
    count += 1
    var child = heap.count - 1
    while child > 0, precedes(child, (child - 1) / 2) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func takeFirst(until end: Int) -> (Int, ValueGroup.Event)? {
    guard let first = heap.first, first.moment <= end else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && precedes(child, least) { least = child }
      guard least != parent else { return (first.moment, first.event) }
      heap.swapAt(least, parent)
      parent = least
    }
  }
}
