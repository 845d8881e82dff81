import StarlingGraph
import StarlingModel

/// A two-way connection to a value that is stored elsewhere.
///
/// A binding made from a model's property (`$book.title`) is a *location*: the object and the path to
/// the property. Two bindings to one location are equal, so what receives an equal binding need not
/// run again. Reading through it depends on that property alone, and writing writes that property alone.
///
/// It is used where its source is at home. A write from elsewhere is reported and made there; a read from
/// elsewhere is reported and shows what was read there last.
@propertyWrapper @dynamicMemberLookup
public struct Binding<Value> {
  /// Where it leads; nil for closures that nobody named, which equal nothing.
  package let location: BindingLocation?
  /// What each write through it carries, over what the code that writes gives.
  public var transaction = Transaction()
  let source: BindingSource<Value>

  /// - Parameter isolation: where `read` and `write` are called; nil: anywhere.
  package init(
    location: BindingLocation?, isolation: (any Actor)? = nil, read: @escaping () -> Value,
    write: @escaping (Value) -> Void
  ) {
    self.init(location: location, source: BindingSource(isolation: isolation, read: read, write: write))
  }

  init(location: BindingLocation?, source: BindingSource<Value>, transaction: Transaction = Transaction()) {
    self.location = location
    self.source = source
    self.transaction = transaction
  }

  /// - Parameters:
  ///   - get: Reads the value.
  ///   - set: Writes it.
  ///   - id: Makes the binding comparable: equal ids promise the same source.
  public init(
    @_inheritActorContext get: @escaping @isolated(any) @Sendable () -> Value,
    @_inheritActorContext set: @escaping @isolated(any) @Sendable (Value) -> Void, id: AnyHashable? = nil
  ) {
    // `isolated(any)` lets it be made on any isolation; the source sees to it that each is called on its own.
    self.init(
      location: id.map { BindingLocation(root: .named($0)) },
      source: BindingSource(
        isolation: get.isolation ?? set.isolation, writeIsolation: set.isolation ?? get.isolation,
        read: unsafeBitCast(get, to: (() -> Value).self), write: unsafeBitCast(set, to: ((Value) -> Void).self)))
  }

  /// - Parameters:
  ///   - get: Reads the value.
  ///   - set: Is also given what the write carries.
  ///   - id: Makes the binding comparable: equal ids promise the same source.
  public init(
    @_inheritActorContext get: @escaping @isolated(any) @Sendable () -> Value,
    @_inheritActorContext set: @escaping @isolated(any) @Sendable (Value, Transaction) -> Void, id: AnyHashable? = nil
  ) {
    let write = unsafeBitCast(set, to: ((Value, Transaction) -> Void).self)
    self.init(
      location: id.map { BindingLocation(root: .named($0)) },
      source: BindingSource(
        isolation: get.isolation ?? set.isolation, writeIsolation: set.isolation ?? get.isolation,
        read: unsafeBitCast(get, to: (() -> Value).self), write: { write($0, .current) }))
  }

  /// The same binding, as a view receives it from `$`.
  public init(projectedValue: Binding<Value>) {
    self = projectedValue
  }

  /// A value that stays; writes are ignored.
  public static func constant(_ value: Value) -> Binding<Value> {
    Binding(
      location: (value as? AnyHashable).map { BindingLocation(root: .constant($0)) }, read: { value }, write: { _ in })
  }

  /// The value at the binding's source. A write carries the binding's transaction where it has one.
  public var wrappedValue: Value {
    get { source.value(at: location) }
    nonmutating set {
      let (source, location, transaction) = (source, location, transaction)
      WriteGate.pass {
        if transaction.isEmpty {
          source.set(newValue, at: location)
        } else {
          withTransaction(transaction) { source.set(newValue, at: location) }
        }
      }
    }
  }

  /// The binding itself.
  public var projectedValue: Binding<Value> { self }

  /// A binding to a part of the value: it reads and writes that part alone where the path goes
  /// through an object.
  ///
  /// Where the part can be compared, reading it in an observer depends on the part: a write beside it wakes nobody.
  public subscript<Member>(dynamicMember path: WritableKeyPath<Value, Member>) -> Binding<Member> {
    let source = source
    let part = PartRead(source.read, path)
    let property = path as? ReferenceWritableKeyPath<Value, Member>
    return derived(
      step: path, at: property == nil ? source.isolation : source.isolation ?? BindingLocation.home(of: Value.self),
      read: { part.value },
      write: { member in
        if let property {
          source.read()[keyPath: property] = member
        } else {
          var value = untracked { source.read() }
          value[keyPath: path] = member
          source.write(value)
        }
      })
  }

  /// A binding to what one step leads to from here, at home where this one is.
  ///
  /// - Parameters:
  ///   - read: Called there, as is `write`.
  func derived<Part>(
    step: some Hashable, read: @escaping () -> Part, write: @escaping (Part) -> Void
  ) -> Binding<Part> {
    derived(step: step, at: source.isolation, read: read, write: write)
  }

  private func derived<Part>(
    step: some Hashable, at isolation: (any Actor)?, read: @escaping () -> Part, write: @escaping (Part) -> Void
  ) -> Binding<Part> {
    Binding<Part>(
      location: location?.appending(step),
      source: BindingSource(isolation: isolation, read: read, write: write), transaction: transaction)
  }
}

extension Binding: @unchecked Sendable where Value: Sendable {
  // The source calls its closures where they are at home, and a value that crosses is `Sendable`.
}

extension Binding: Equatable {
  /// Whether both lead to one location, and write there in the same way.
  public static func == (left: Binding, right: Binding) -> Bool {
    guard let location = left.location else { return false }
    return location == right.location && left.transaction == right.transaction
  }
}

extension Binding: Identifiable where Value: Identifiable {
  /// The value's identity.
  public var id: Value.ID { wrappedValue.id }
}

// MARK: What writes carry

extension Binding {
  /// The same binding, whose writes carry `transaction`; the last one given to a binding wins.
  public func transaction(_ transaction: Transaction) -> Binding<Value> {
    var copy = self
    copy.transaction = copy.transaction.overridden(by: transaction)
    return copy
  }

  /// The same binding, whose writes are shown with `animation`; nil: at once.
  public func animation(_ animation: Animation? = .default) -> Binding<Value> {
    transaction(Transaction(animation: animation))
  }
}

// MARK: Optionals

extension Binding {
  /// A binding to the value inside an optional; nil where there is none now.
  ///
  /// Once the source has become nil it reads as the last value there was, and its writes are dropped
  /// and reported.
  public init?(_ base: Binding<Value?>) {
    base.source.notePresence()
    guard let last = untracked({ base.wrappedValue }) else { return nil }
    let memory = LastValue(last)
    let source = base.source
    self = base.derived(
      step: BindingStep.unwrapped, read: { memory.remember(source.read()) },
      write: { value in
        guard untracked({ source.read() }) != nil else { return ModelIncident.report(.bindingToNothing) }
        source.write(value)
        _ = memory.remember(value)
      })
  }

  /// The value as an optional; writing nil is ignored.
  public init<Wrapped>(_ base: Binding<Wrapped>) where Value == Wrapped? {
    let source = base.source
    self = base.derived(
      step: BindingStep.optional, read: { source.read() }, write: { value in if let value { source.write(value) } })
  }

  /// The value as something hashable; writing another type is ignored.
  public init<Wrapped: Hashable>(_ base: Binding<Wrapped>) where Value == AnyHashable {
    let source = base.source
    self = base.derived(
      step: BindingStep.hashable, read: { AnyHashable(source.read()) },
      write: { value in if let value = value.base as? Wrapped { source.write(value) } })
  }
}
