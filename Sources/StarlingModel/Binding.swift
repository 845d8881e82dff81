import StarlingGraph

/// A two-way connection to a value that is stored elsewhere.
///
/// A binding made from a model's property (`$book.title`) is a *location*: the object and the path to
/// the property. Two bindings to one location are equal, so what receives an equal binding need not
/// run again. Reading through it depends on that property alone, and writing writes that property alone.
@propertyWrapper @dynamicMemberLookup
public struct Binding<Value> {
  /// Where it leads; nil for closures that nobody named, which equal nothing.
  package let location: BindingLocation?
  private let read: () -> Value
  private let write_: (Value) -> Void

  package init(location: BindingLocation?, read: @escaping () -> Value, write: @escaping (Value) -> Void) {
    self.location = location
    self.read = read
    write_ = write
  }

  /// - Parameter id: Makes the binding comparable: equal ids promise the same source.
  public init(
    @_inheritActorContext get: @escaping @isolated(any) @Sendable () -> Value,
    @_inheritActorContext set: @escaping @isolated(any) @Sendable (Value) -> Void, id: AnyHashable? = nil
  ) {
    // A binding is used where it was made; `isolated(any)` lets it be made on any isolation.
    self.init(
      location: id.map { BindingLocation(root: .named($0)) },
      read: unsafeBitCast(get, to: (() -> Value).self), write: unsafeBitCast(set, to: ((Value) -> Void).self))
  }

  public init(projectedValue: Binding<Value>) {
    self = projectedValue
  }

  /// A value that stays; writes are ignored.
  public static func constant(_ value: Value) -> Binding<Value> {
    Binding(
      location: (value as? AnyHashable).map { BindingLocation(root: .constant($0)) }, read: { value }, write: { _ in })
  }

  public var wrappedValue: Value {
    get { read() }
    nonmutating set { write_(newValue) }
  }

  public var projectedValue: Binding<Value> { self }

  /// A binding to a part of the value: it reads and writes that part alone where the path goes
  /// through an object.
  public subscript<Member>(dynamicMember path: WritableKeyPath<Value, Member>) -> Binding<Member> {
    let (read, write) = (read, write_)
    return Binding<Member>(
      location: location?.appending(path), read: { read()[keyPath: path] },
      write: { member in
        if let path = path as? ReferenceWritableKeyPath<Value, Member> {
          read()[keyPath: path] = member
        } else {
          var value = read()
          value[keyPath: path] = member
          write(value)
        }
      })
  }
}

extension Binding: @unchecked Sendable where Value: Sendable {
  // The closures are `Sendable`, or lead by immutable key paths to an object whose class answers for
  // where it may be used.
}

extension Binding: Equatable {
  /// Whether both lead to one location.
  public static func == (left: Binding, right: Binding) -> Bool {
    guard let location = left.location else { return false }
    return location == right.location
  }
}

extension Binding: Identifiable where Value: Identifiable {
  public var id: Value.ID { wrappedValue.id }
}

// MARK: Optionals

extension Binding {
  /// A binding to the value inside an optional; nil where there is none now.
  ///
  /// Once the source has become nil it reads as the last value there was, and its writes are dropped
  /// and reported.
  public init?(_ base: Binding<Value?>) {
    let last = untracked { base.wrappedValue }
    guard let last else { return nil }
    let memory = LastValue(last)
    self.init(
      location: base.location?.appending(BindingStep.unwrapped),
      read: { memory.remember(base.wrappedValue) },
      write: { value in
        guard untracked({ base.wrappedValue }) != nil else { return ModelIncident.report(.bindingToNothing) }
        base.wrappedValue = value
        _ = memory.remember(value)
      })
  }

  /// The value as an optional; writing nil is ignored.
  public init<Wrapped>(_ base: Binding<Wrapped>) where Value == Wrapped? {
    self.init(
      location: base.location?.appending(BindingStep.optional), read: { base.wrappedValue },
      write: { value in if let value { base.wrappedValue = value } })
  }

  /// The value as something hashable; writing another type is ignored.
  public init<Wrapped: Hashable>(_ base: Binding<Wrapped>) where Value == AnyHashable {
    self.init(
      location: base.location?.appending(BindingStep.hashable), read: { AnyHashable(base.wrappedValue) },
      write: { value in if let value = value.base as? Wrapped { base.wrappedValue = value } })
  }
}

/// The last value that was there, for readers who come after it has gone. Used where the binding is.
final class LastValue<Value> {
  private var value: Value

  init(_ value: Value) {
    self.value = value
  }

  func remember(_ value: Value?) -> Value {
    if let value { self.value = value }
    return self.value
  }
}
