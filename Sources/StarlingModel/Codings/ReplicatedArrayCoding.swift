import StarlingCore

extension _Replicated {
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
      present.handle(of: present.storage.open(at: place, elements))
    }
  }
}
