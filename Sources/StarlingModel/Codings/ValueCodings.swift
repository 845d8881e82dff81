public import StarlingCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension _Replicated {
  /// A coding whose whole value is one entry of one slot; also used for the values of dictionaries.
  public protocol SlotCoding<Content>: PlainCoding {
    /// What stands in the slot for `content`, wherever the slot is.
    func encode(_ content: Content) -> Value
    /// The content that `value` spells, wherever the slot is; nil where it spells none.
    func decode(_ value: Value) -> Content?
    /// Whether what is written depends on the place where it is to stand, as of a reference, which leads to a model of
    /// the same document only. If not, which is the default, writers call `encode(_:)` and make no `Place`.
    var asksForPlace: Bool { get }
    /// Whether decoding, comparing and releasing a content runs no code of an application's. Then it is read under the
    /// document's lock. False by default.
    var isStandard: Bool { get }
    /// Nil for what cannot stand there, which is reported.
    func encode(_ content: Content, at place: Place) -> Value?
    /// The content that `value` spells at `place`; nil where it spells none.
    func decode(_ value: Value, at place: Place) -> Content?
  }
}

extension SlotCoding {
  /// No: what is written is the same everywhere.
  @inlinable public var asksForPlace: Bool { false }
  /// No: the application's code may run.
  @inlinable public var isStandard: Bool { false }
  /// The same as without a place.
  @inlinable public func encode(_ content: Content, at place: _Replicated.Place) -> Value? { encode(content) }
  /// The same as without a place.
  @inlinable public func decode(_ value: Value, at place: _Replicated.Place) -> Content? { decode(value) }

  @inlinable public var shape: _Replicated.FieldShape { .slot }

  @inlinable
  public func write(from old: Content, to new: Content, default: Content, at place: _Replicated.Place)
    -> _Replicated.FieldWrite
  {
    encode(new, at: place).map { .set($0) } ?? .nothing
  }

  @inlinable
  public func read(
    _ reading: _Replicated.FieldReading, default: Content, present: Content, at place: _Replicated.Place
  ) -> Content? {
    switch reading.visible {
    case .absent: `default`
    case .value(let value, by: _): decode(value, at: place)
    case .count, .container: nil
    }
  }
}

extension _Replicated {
  /// A value with a spelling of its own in the protocol.
  public struct ValueCoding<V: ReplicatedValue>: SlotCoding {
    /// The coding holds no state.
    @inlinable public init() {}
    @inlinable public func encode(_ content: V) -> Value { content.replicated }
    @inlinable public func decode(_ value: Value) -> V? { V(replicated: value) }
    @inlinable public func isSame(_ old: V, _ new: V) -> Bool { old.isSame(as: new) }
    /// As the type says.
    @inlinable public var isStandard: Bool { V._isStandard }
  }

  /// A value that is written as its raw value.
  public struct RawValueCoding<V: RawRepresentable>: SlotCoding where V.RawValue: ReplicatedValue {
    /// The coding holds no state.
    @inlinable public init() {}
    @inlinable public func encode(_ content: V) -> Value { content.rawValue.replicated }
    @inlinable public func decode(_ value: Value) -> V? { V.RawValue(replicated: value).flatMap(V.init(rawValue:)) }
    @inlinable public func isSame(_ old: V, _ new: V) -> Bool { old.rawValue.isSame(as: new.rawValue) }
  }

  /// An optional value that is written as its raw value, nil as null.
  public struct OptionalRawValueCoding<V: RawRepresentable>: SlotCoding where V.RawValue: ReplicatedValue {
    /// The coding holds no state.
    @inlinable public init() {}
    @inlinable public func encode(_ content: V?) -> Value { content?.rawValue.replicated ?? .null }

    @inlinable public func decode(_ value: Value) -> V?? {
      if case .null = value { return .some(nil) }
      return RawValueCoding<V>().decode(value).map { .some($0) }
    }

    @inlinable public func isSame(_ old: V?, _ new: V?) -> Bool { encode(old) == encode(new) }
  }

  /// Any other `Codable` value, whole, as JSON text with sorted keys: equal values are equal text.
  public struct JSONCoding<V: Codable>: SlotCoding {
    /// The coding holds no state.
    @inlinable public init() {}

    public func encode(_ content: V) -> Value {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      do {
        return .json(String(decoding: try encoder.encode(content), as: UTF8.self))
      } catch {
        ModelIncident.report(.unencodable(type: "\(V.self)", reason: "\(error)"))
        return .null
      }
    }

    public func decode(_ value: Value) -> V? {
      guard case .json(let text) = value else { return nil }
      return try? JSONDecoder().decode(V.self, from: Data(text.utf8))
    }

    /// By `==` where there is one, else by the text that would be sent.
    public func isSame(_ old: V, _ new: V) -> Bool {
      areEqual(old, new) ?? (encode(old) == encode(new))
    }
  }

  /// A counter's slot: the default and the sum of everybody's increments.
  public struct CounterCoding: PlainCoding {
    /// The coding holds no state.
    @inlinable public init() {}
    @inlinable public var shape: FieldShape { .slot }
    @inlinable public func isSame(_ old: ReplicatedCounter, _ new: ReplicatedCounter) -> Bool { old == new }

    @inlinable
    public func write(
      from old: ReplicatedCounter, to new: ReplicatedCounter, default: ReplicatedCounter, at place: Place
    ) -> FieldWrite { .increment(new.value &- old.value) }

    @inlinable
    public func read(
      _ reading: FieldReading, default: ReplicatedCounter, present: ReplicatedCounter, at place: Place
    ) -> ReplicatedCounter? {
      switch reading.visible {
      case .absent: `default`
      case .count(let count): ReplicatedCounter(`default`.value &+ count)
      case .value, .container: nil
      }
    }

    /// Both increments count, whoever came first.
    @inlinable
    public func merge(
      _ present: ReplicatedCounter, from old: ReplicatedCounter, to new: ReplicatedCounter
    ) -> ReplicatedCounter { ReplicatedCounter(present.value &+ (new.value &- old.value)) }
  }

  /// What `@Local` properties have in place of a coding: they are compared and never written.
  public struct LocalCoding<V> {
    /// Whether a write of the second value over the first changes nothing.
    public let isSame: (V, V) -> Bool
    /// Compares values by a function.
    @inlinable public init(isSame: @escaping (V, V) -> Bool) { self.isSame = isSame }
  }
}
