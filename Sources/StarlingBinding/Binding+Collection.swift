import StarlingGraph
import StarlingModel

/// `ForEach($items) { $item in … }`: bindings to the elements of a collection. An element that has an
/// identity is addressed by it, so its binding survives insertions and removals before it; once it is
/// gone the binding reads as its last value, and its writes are dropped and reported.
extension Binding: Sequence where Value: MutableCollection {
  public typealias Element = Binding<Value.Element>
  public typealias Iterator = IndexingIterator<Binding<Value>>
  public typealias SubSequence = Slice<Binding<Value>>
}

extension Binding: Collection where Value: MutableCollection {
  public typealias Index = Value.Index
  public typealias Indices = Value.Indices

  public var startIndex: Value.Index { wrappedValue.startIndex }
  public var endIndex: Value.Index { wrappedValue.endIndex }
  public var indices: Value.Indices { wrappedValue.indices }
  public func index(after index: Value.Index) -> Value.Index { wrappedValue.index(after: index) }

  /// A binding to the element that stands at `position` now.
  public subscript(position: Value.Index) -> Binding<Value.Element> {
    let whole = untracked { wrappedValue }
    if let elements = whole as? any BindingElements, let index = position as? Int,
      let binding = elements.binding(at: index, of: self) as? Binding<Value.Element>
    {
      return binding
    }
    let element = whole[position]
    let identity = Self.identity(of: element)
    let memory = LastValue(element)
    let place = whole.distance(from: whole.startIndex, to: position)
    let source = source
    return derived(
      step: identity.map { BindingStep.element($0) } ?? .place(place),
      read: {
        let values = source.read()
        return memory.remember(Self.place(of: identity, near: position, in: values).map { values[$0] })
      },
      write: { element in
        var values = untracked { source.read() }
        guard let place = Self.place(of: identity, near: position, in: values) else {
          return ModelIncident.report(.bindingToNothing)
        }
        values[place] = element
        source.write(values)
        _ = memory.remember(element)
      })
  }

  private static func identity(of element: Value.Element) -> AnyHashable? {
    if let element = element as? any Identifiable { return element.anyID }
    return (element as? any ReplicatedModel).map { AnyHashable(ObjectIdentifier($0)) }
  }

  private static func place(
    of identity: AnyHashable?, near position: Value.Index, in values: Value
  ) -> Value.Index? {
    let isThere = position >= values.startIndex && position < values.endIndex
    guard let identity else { return isThere ? position : nil }
    if isThere, Self.identity(of: values[position]) == identity { return position }
    return values.indices.first { Self.identity(of: values[$0]) == identity }
  }
}

extension Binding: BidirectionalCollection where Value: BidirectionalCollection & MutableCollection {
  public func index(before index: Value.Index) -> Value.Index { wrappedValue.index(before: index) }
}

extension Binding: RandomAccessCollection where Value: RandomAccessCollection & MutableCollection {}

extension Identifiable {
  fileprivate var anyID: AnyHashable { AnyHashable(id) }
}
