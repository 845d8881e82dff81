import StarlingCore

extension ListStorage {
  /// Lets the list hold what an array holds, by the difference to what is here.
  func become(_ new: [Element], _ elements: any KeyedElements<Element>) {
    write {
      let old = present
      guard let difference = elements.difference(from: old.map(\.element), to: new) else { return [] }
      let start = difference.seen.lowerBound
      return steps(
        difference.steps, old[difference.seen].map(\.name), Array(new[difference.wanted]), from: start)
    }
  }

  /// Lets the elements stand in another order.
  ///
  /// - Parameter order: is handed all names as they stand, and returns them as they are to stand.
  func reorder(_ order: ([Name]) -> [Name]) {
    write {
      let old = withState { $0.order.names }
      return steps(ListDifference(from: old, to: order(old), mayRewrite: false).steps, old, [], from: 0)
    }
  }

  private func steps(
    _ difference: [ListDifference.Step], _ seen: [Name], _ wanted: [Element], from start: Int
  ) -> [ListStep<Element>] {
    // As the list stands after the steps so far, from `start` on.
    var standing = ElementOrder<Void>()
    let names = seen.indices.map { standing.insert((), at: $0) }
    var steps: [ListStep<Element>] = []
    let staying = Set(difference.compactMap(\.seen))
    for place in seen.indices.reversed() where !staying.contains(place) {
      steps.append(.remove(start + place..<start + place + 1))
      _ = standing.remove(at: place)
    }
    var index = 0
    for (place, step) in difference.enumerated() {
      switch step {
      case .kept(let former), .rewritten(let former):
        index = standing.index(of: names[former])! + 1
        if case .rewritten = step { steps.append(.set(seen[former], wanted[place])) }
      case .moved(let former):
        let from = standing.index(of: names[former])!
        _ = standing.remove(at: from)
        if from < index { index -= 1 }
        standing.insert((), at: index, as: names[former])
        steps.append(.move(seen[former], to: start + index))
        index += 1
      case .new:
        standing.insert((), at: index)
        steps.append(.insert([wanted[place]], at: start + index))
        index += 1
      }
    }
    return steps
  }
}

extension ListDifference.Step {
  /// The element that it keeps.
  fileprivate var seen: Int? {
    switch self {
    case .kept(let place), .moved(let place), .rewritten(let place): place
    case .new: nil
    }
  }
}
