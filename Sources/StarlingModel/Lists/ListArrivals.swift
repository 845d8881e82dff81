import StarlingCore

/// What of a list is not visible yet, on its way from the document to those who show it.
final class ListArrivals<Element> {
  struct Arrival: Equatable {
    var dot: Dot
    var visible: Visible
  }

  let alignment: Alignment
  private let arrivals: [Arrival]
  /// One for each arrival; nil where it cannot be read, so that it stays out of sight. And whether the element is
  /// known here with another value.
  private(set) var decoded: [(member: Member<Element>?, isAltered: Bool)] = []
  let done = ListStorage<Element>.Done()

  /// Under the document's lock.
  init(alignment: Alignment, list: ObjectID, _ document: borrowing Document) {
    self.alignment = alignment
    arrivals = Self.arrivals(alignment, in: list, document)
  }

  private static func arrivals(
    _ alignment: Alignment, in list: ObjectID, _ document: borrowing Document
  ) -> [Arrival] {
    var arrivals: [Arrival] = []
    var index = 0
    for piece in alignment.pieces {
      if piece.standing == .new {
        for dot in document.elements(index..<index + piece.count, in: list) {
          arrivals.append(Arrival(dot: dot, visible: document.visible(.element(dot), in: list)))
        }
      }
      index += piece.documentCount
    }
    return arrivals
  }

  /// With no lock held.
  func decode(_ body: (Arrival) -> (Member<Element>?, Bool)) {
    decoded = arrivals.map(body)
  }

  /// Whether the document shows what was read. Under its lock.
  func isStill(in document: borrowing Document, of list: ObjectID) -> Bool {
    arrivals.isEmpty || arrivals == Self.arrivals(alignment, in: list, document)
  }

  func dot(_ place: Int) -> Dot { arrivals[place].dot }
}

extension ListStorage.State {
  /// Shows what has arrived.
  mutating func catchUp(_ reading: ListArrivals<Element>) {
    let done = reading.done
    let formerCount = order.count
    var leaving: [Dot: (name: ListStorage<Element>.Name, content: ListStorage<Element>.Item)] = [:]
    // First what goes goes, then what comes comes in ascending order: so each stands where it belongs at once.
    var visible = 0
    for piece in reading.alignment.pieces {
      switch piece.standing {
      case .both: visible += piece.count
      case .new: break
      case .gone:
        for _ in 0..<piece.count {
          let element = order.remove(at: visible)
          if let dot = element.content.dot, names[dot] == element.name {
            leaving[dot] = element
          } else {
            done.displaced.append(element.content)
          }
        }
      }
    }
    var caughtUp = Alignment(both: 0)
    var (former, place) = (0, 0)
    visible = 0
    for piece in reading.alignment.pieces {
      switch piece.standing {
      case .both:
        if former != visible { done.indices.append(visible..<visible + piece.count) }
        former += piece.count
        visible += piece.count
        caughtUp.append(.both, piece.count)
      case .gone: former += piece.count
      case .new:
        for _ in 0..<piece.count {
          let (member, isAltered) = reading.decoded[place]
          let dot = reading.dot(place)
          place += 1
          guard let member else {
            caughtUp.append(.new, 1)
            continue
          }
          let moved = leaving.removeValue(forKey: dot)
          var item = ListStorage<Element>.Item(member: member, dot: dot)
          if let moved, !isAltered { item = moved.content } else if let moved { done.displaced.append(moved.content) }
          names[dot] = order.insert(item, at: visible, as: moved?.name)
          if let moved, isAltered { done.elements.append(moved.name) }
          done.indices.append(visible..<visible + 1)
          visible += 1
          caughtUp.append(.both, 1)
        }
      }
    }
    for (dot, element) in leaving {
      names[dot] = nil
      done.elements.append(element.name)
      done.displaced.append(element.content)
    }
    if formerCount != visible {
      done.countChanged = true
      done.indices.append(min(formerCount, visible)..<max(formerCount, visible))
    }
    done.orderChanged = done.orderChanged || done.countChanged || !done.indices.isEmpty
    alignment = caughtUp
  }

  /// Takes an element out of sight that can no longer be read; in the document it stays.
  mutating func hide(_ name: ListStorage<Element>.Name, _ dot: Dot, _ done: ListStorage<Element>.Done) {
    guard let index = order.index(of: name) else { return }
    let ranges = alignment.remove(index..<index + 1)
    if let range = ranges.first { alignment.note(.insert(at: range.lowerBound, count: 1)) }
    names[dot] = nil
    done.indices.append(index..<order.count)
    done.displaced.append(order.remove(at: index).content)
    done.elements.append(name)
    done.countChanged = true
    done.orderChanged = true
  }
}
