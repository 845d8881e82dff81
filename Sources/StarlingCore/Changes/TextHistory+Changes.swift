extension TextHistory {
  /// The history that begins with the first of the changes at the places and takes in as many as it can.
  ///
  /// - Returns: nil where the first is no change of a text alone.
  /// - Complexity: O(*n*) in the changes that it takes in.
  package init?(prefixOf changes: UnsafeBufferPointer<Borrowed<Change>>, in places: Range<Int>) {
    guard let first = places.first, let object = changes[first].editedObject else { return nil }
    self.init(
      replica: changes[first].value.replica, firstCounter: changes[first].value.firstCounter, object: object,
      objects: changes[first].value.objects, operationCounts: [], strokes: [],
      text: Scalars(unchecked: [], count: 0), stamps: [])
    var writing = Writing(counter: firstCounter)
    for place in places {
      guard changes[place].editedObject == object, changes[place].continues(self, at: writing.counter) else { break }
      append(changes[place], &writing)
    }
    text = Scalars(unchecked: writing.utf8, count: writing.scalarCount)
  }

  private struct Writing {
    var counter: UInt64
    var utf8: [UInt8] = []
    var scalarCount = 0
    /// The first item of the latest removal.
    var removed = Dot.origin
  }

  private mutating func append(_ borrowed: borrowing Borrowed<Change>, _ writing: inout Writing) {
    stamps.append(borrowed.value.stamp)
    let operationCount = borrowed.value.operations.count
    if operationCounts.last?.operations == operationCount {
      operationCounts[operationCounts.count - 1].changes += 1
    } else {
      operationCounts.append(OperationCounts(changes: 1, operations: operationCount))
    }
    borrowed.value.operations.forEachBorrowed { borrowed in
      guard case .element(let item) = borrowed.value.key else { return }
      switch borrowed.value.action {
      case .insert(.text(let scalars), let side):
        appendInsertion(at: Edge(side, of: item), count: UInt64(scalars.count), writing)
        scalars.withUTF8 { writing.utf8.append(contentsOf: $0) }
        writing.scalarCount += scalars.count
        writing.counter += UInt64(scalars.count)
      case .removeRun(let count):
        appendRemoval(from: item, count: count, after: writing.removed)
        writing.removed = item
        writing.counter += 1
      default: break
      }
    }
  }

  private mutating func appendInsertion(at edge: Edge, count: UInt64, _ writing: Writing) {
    if let last = strokes.last, case .insert = last.action, last.size == count,
      edge == Edge(.right, of: Dot(replica, writing.counter - 1))
    {
      strokes[strokes.count - 1].operationCount += 1
    } else {
      strokes.append(Stroke(.insert(at: edge), operationCount: 1, size: count))
    }
  }

  private mutating func appendRemoval(from item: Dot, count: UInt64, after before: Dot) {
    if let last = strokes.last, last.size == count, last.operationCount < Self.removalsPerStrokeMax,
      item.replica == before.replica
    {
      let place = strokes.count - 1
      switch last.action {
      case .removeForwards where item.counter == before.counter &+ count:
        strokes[place].operationCount += 1
        return
      case .removeForwards where last.operationCount == 1 && before.counter == item.counter &+ count:
        strokes[place] = Stroke(.removeBackwards(from: before), operationCount: 2, size: count)
        return
      case .removeBackwards where before.counter == item.counter &+ count:
        strokes[place].operationCount += 1
        return
      default: break
      }
    }
    strokes.append(Stroke(.removeForwards(from: item), operationCount: 1, size: count))
  }

  // MARK: Back to changes

  /// The changes, as they were.
  ///
  /// - Complexity: O(operations + bytes of text)
  public var changes: [Change] {
    var changes: [Change] = []
    changes.reserveCapacity(stamps.count)
    var operations = Operations(of: self)
    var counter = firstCounter
    var stamps = stamps.makeIterator()
    for run in operationCounts {
      for _ in 0..<run.changes {
        let change = Change(
          replica: replica, firstCounter: counter, stamp: stamps.next()!, frontier: [], objects: objects,
          operations: (0..<run.operations).map { _ in operations.next() })
        changes.append(change)
        counter = operations.counter
      }
    }
    return changes
  }

  /// Deals the operations of the strokes out, one by one.
  private struct Operations {
    private let history: TextHistory
    private(set) var counter: UInt64
    private var stroke = 0
    /// How many operations of the stroke are out.
    private var done = 0
    private var slices: TextSlices

    init(of history: TextHistory) {
      self.history = history
      counter = history.firstCounter
      slices = TextSlices(of: history.text)
    }

    mutating func next() -> Operation {
      if done == history.strokes[stroke].operationCount {
        stroke += 1
        done = 0
      }
      let current = history.strokes[stroke]
      defer { done += 1 }
      switch current.action {
      case .insert(let edge):
        let anchor = done == 0 ? edge : Edge(.right, of: Dot(history.replica, counter - 1))
        counter += current.size
        let range = slices.next(Int(current.size))
        let scalars = history.text.withUTF8 {
          Scalars(unchecked: UnsafeBufferPointer(rebasing: $0[range]), count: Int(current.size))
        }
        return operation(on: anchor.item, .insert(.text(scalars), side: anchor.side))
      case .removeForwards(let first):
        counter += 1
        let item = Dot(first.replica, first.counter + UInt64(done) * current.size)
        return operation(on: item, .removeRun(count: current.size))
      case .removeBackwards(let first):
        counter += 1
        let item = Dot(first.replica, first.counter - UInt64(done) * current.size)
        return operation(on: item, .removeRun(count: current.size))
      }
    }

    private func operation(on item: Dot, _ action: Action) -> Operation {
      Operation(object: history.object, key: .element(item), action: action)
    }
  }
}

extension Borrowed<Change> {
  /// The text in which it inserts and removes; nil where it does anything else.
  fileprivate var editedObject: ObjectID? {
    guard value.frontier.isEmpty, value.message == nil else { return nil }
    var object: ObjectID?
    var isEditing = true
    value.operations.forEachBorrowed { borrowed in
      if object == nil { object = borrowed.value.object }
      isEditing = isEditing && borrowed.value.object == object && borrowed.isEditing
    }
    return isEditing ? object : nil
  }

  fileprivate func continues(_ history: TextHistory, at counter: UInt64) -> Bool {
    value.replica == history.replica && value.firstCounter == counter && value.objects == history.objects
  }
}

extension Borrowed<Operation> {
  /// Whether it inserts or removes scalars of a text.
  fileprivate var isEditing: Bool {
    guard case .element = value.key else { return false }
    return switch value.action {
    case .insert(.text(let scalars), _): scalars.count > 0
    case .removeRun(let count): count > 0
    default: false
    }
  }
}
