public import StarlingCore

extension _Replicated {
  /// A text: its identity is derived, so nothing is written to make it.
  public struct TextCoding: FieldCoding {
    /// The coding holds no state.
    @inlinable public init() {}
    @inlinable public var shape: FieldShape { .object(.text) }
    public func isSame(_ old: ReplicatedText, _ new: ReplicatedText) -> Bool { old === new }

    public func move(_ new: ReplicatedText, into old: ReplicatedText) -> Bool {
      if old !== new { old.become(new) }
      return true
    }

    public func write(
      from old: ReplicatedText, to new: ReplicatedText, default: ReplicatedText, at place: Place
    ) -> FieldWrite {
      new.storage.planting(at: place, default: `default`.storage).map { .declare(.text, $0) } ?? .nothing
    }

    public func read(
      _ reading: FieldReading, default: ReplicatedText, present: ReplicatedText, at place: Place
    ) -> ReplicatedText? {
      present.handle(of: present.storage.open(at: place))
    }
  }
}
