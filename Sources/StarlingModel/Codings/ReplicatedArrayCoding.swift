import StarlingCore

/// An array that is read and written element by element: its identity is derived, so nothing is written to make it.
public struct ReplicatedArrayCoding<Element>: FieldCoding {
  @usableFromInline let elements: any KeyedElements<Element>

  /// Codes arrays whose elements `elements` codes.
  @inlinable
  public init(elements: any KeyedElements<Element>) {
    self.elements = elements
  }

  public var shape: FieldShape { .object(.list) }
  public func isSame(_ old: ReplicatedArray<Element>, _ new: ReplicatedArray<Element>) -> Bool { old === new }

  public func move(_ new: ReplicatedArray<Element>, into old: ReplicatedArray<Element>) -> Bool {
    if old !== new {
      old.storage.use(elements)
      old.storage.become(new.storage.present.map(\.element), elements)
    }
    return true
  }

  public func write(
    from old: ReplicatedArray<Element>, to new: ReplicatedArray<Element>, default: ReplicatedArray<Element>,
    at place: Place
  ) -> FieldWrite {
    new.storage.planting(at: place, elements, default: `default`.storage).map { .declare(.list, $0) } ?? .nothing
  }

  public func read(
    _ reading: FieldReading, default: ReplicatedArray<Element>, present: ReplicatedArray<Element>, at place: Place
  ) -> ReplicatedArray<Element>? {
    present.storage.open(at: place, elements)
    return present
  }
}

extension ListStorage {
  /// Lets the list hold what an array holds, by the difference to what is here.
  func become(_ new: [Element], _ elements: any KeyedElements<Element>) {
    let old = present
    let prefix = zip(old, new).prefix { elements.isSame($0.element, $1) }.count
    let suffix = zip(old[prefix...].reversed(), new[prefix...].reversed())
      .prefix { elements.isSame($0.element, $1) }.count
    let seen = old[prefix..<old.count - suffix]
    let wanted = Array(new[prefix..<new.count - suffix])
    let difference = ListDifference(
      from: seen.map { elements.anyIdentity(of: $0.element) }, to: wanted.map { elements.anyIdentity(of: $0) },
      mayRewrite: !elements.holdsObjects)
    write(steps(difference, seen.map(\.name), wanted, from: prefix))
  }

  /// Lets the elements stand in another order.
  func reorder(_ names: [Name]) {
    let old = withState { $0.order.names }
    let difference = ListDifference(from: old, to: names, mayRewrite: false)
    write(steps(difference, old, [], from: 0))
  }

  private func steps(
    _ difference: ListDifference, _ seen: [Name], _ wanted: [Element], from start: Int
  ) -> [ListStep<Element>] {
    // As the list stands after the steps so far, from `start` on.
    var standing = ElementOrder<Void>()
    let names = seen.indices.map { standing.insert((), at: $0) }
    var steps: [ListStep<Element>] = []
    let staying = Set(difference.steps.compactMap(\.seen))
    for place in seen.indices.reversed() where !staying.contains(place) {
      steps.append(.remove(start + place..<start + place + 1))
      _ = standing.remove(at: place)
    }
    var index = 0
    for (place, step) in difference.steps.enumerated() {
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

extension KeyedElements {
  func anyIdentity(of element: Element) -> AnyHashable { AnyHashable(identity(of: element)) }
}
