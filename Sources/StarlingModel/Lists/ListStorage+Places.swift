// Places of a list that its caller saw, while others may write it.

extension ListStorage {
  /// Between two elements.
  struct Gap {
    /// The element behind it; nil at the end.
    var next: Name?
    /// Where it was.
    var index: Int
  }

  /// The place before the element at `index`, or at the end for the count.
  func gap(at index: Int) -> Gap {
    withState { state in
      let count = state.order.count
      precondition(index >= 0 && index <= count, "\(index) is not within 0...\(count).")
      return Gap(next: index == count ? nil : state.order.name(at: index), index: index)
    }
  }

  /// Where the place is now; where the element behind it went, about where it was.
  ///
  /// - Parameter removals: which come before, the last one first.
  func index(of gap: Gap, without removals: [ListStep<Element>] = []) -> Int {
    let now = withState { state in
      gap.next.map { state.order.index(of: $0) ?? min(gap.index, state.order.count) } ?? state.order.count
    }
    return removals.reduce(now) { index, step in
      guard case .remove(let range) = step else { return index }
      return index - range.clamped(to: 0..<now).count
    }
  }

  /// The elements at the indices.
  func names(in range: Range<Int>) -> [Name] {
    withState { state in
      let count = state.order.count
      precondition(range.lowerBound >= 0 && range.upperBound <= count, "\(range) is not within 0..<\(count).")
      return range.map { state.order.name(at: $0) }
    }
  }

  func presentIndex(of name: Name) -> Int? { withState { $0.order.index(of: name) } }

  /// Removes those of the elements that are still there.
  func remove(_ names: [Name]) {
    write { removals(of: names) }
  }

  /// The steps that do, the last one first.
  func removals(of names: [Name]) -> [ListStep<Element>] {
    let indices = withState { state in names.compactMap { state.order.index(of: $0) } }.sorted()
    var ranges: [Range<Int>] = []
    for index in indices {
      if let last = ranges.last, last.upperBound == index {
        ranges[ranges.count - 1] = last.lowerBound..<index + 1
      } else {
        ranges.append(index..<index + 1)
      }
    }
    return ranges.reversed().map { .remove($0) }
  }
}
