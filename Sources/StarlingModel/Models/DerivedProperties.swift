import StarlingCore
import StarlingGraph
import StarlingGuard

extension ReplicatedModel {
  /// A value computed from the model's properties, kept until one that it read has changed.
  ///
  /// ```swift
  /// var availableBooksCount: Int { derived { $0.books.filter(\.isAvailable).count } }
  /// ```
  ///
  /// It is computed when somebody asks, and its readers wake only where the result differs: an edit of a
  /// title computes nothing, one that makes a book available and another not wakes nobody.
  ///
  /// - Parameters:
  ///   - property: Leave it out: it names the place in the source, for diagnostics.
  ///   - fileID: Leave it out: it names the place in the source, for diagnostics.
  ///   - line: Leave it out: it names the place in the source, for diagnostics.
  ///   - column: Leave it out: it names the place in the source, for diagnostics.
  ///   - compute: Is given the model, and must capture neither it nor anything that may be another the next time: it is
  ///     kept with the model. In a method with arguments nothing is kept, since the value depends on them: there it is
  ///     computed with each call, or kept for each argument by `derived(by:)`.
  nonisolated public func derived<Value: Equatable>(
    property: StaticString = #function, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ compute: @escaping (Self) -> Value
  ) -> Value {
    if property.takesArguments { return compute(self) }
    let place = DerivedPlace(file: fileID, line: line, column: column, type: Value.self)
    return _$model.derived(at: place, of: self, property, isEqual: ==, compute)
  }

  /// The same in a method with arguments: a value for each `argument`, kept as long as the model.
  ///
  /// ```swift
  /// func bookCount(longerThan pages: Int) -> Int {
  ///   derived(by: pages) { library in library.books.count { $0.pages > pages } }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - argument: All that `compute` captures; of several arguments a string that names them all.
  ///   - property: Leave it out: it names the place in the source, for diagnostics.
  ///   - fileID: Leave it out: it names the place in the source, for diagnostics.
  ///   - line: Leave it out: it names the place in the source, for diagnostics.
  ///   - column: Leave it out: it names the place in the source, for diagnostics.
  ///   - compute: Is given the model, and captures nothing but `argument`.
  nonisolated public func derived<Argument: ReplicatedKey, Value: Equatable>(
    by argument: Argument, property: StaticString = #function, fileID: StaticString = #fileID, line: UInt = #line,
    column: UInt = #column, _ compute: @escaping (Self) -> Value
  ) -> Value {
    let place = DerivedPlace(
      file: fileID, line: line, column: column, type: Value.self, argument: argument.replicatedKey)
    return _$model.derived(at: place, of: self, property, isEqual: ==, compute)
  }

  /// The same for a value that cannot be compared: its readers wake whenever it is computed again.
  @_disfavoredOverload
  nonisolated public func derived<Value>(
    property: StaticString = #function, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ compute: @escaping (Self) -> Value
  ) -> Value {
    if property.takesArguments { return compute(self) }
    let place = DerivedPlace(file: fileID, line: line, column: column, type: Value.self)
    return _$model.derived(at: place, of: self, property, isEqual: nil, compute)
  }
}

extension StaticString {
  /// Whether it is the name of a method or subscript with arguments: `count(above:)`.
  fileprivate var takesArguments: Bool {
    withUTF8Buffer { $0.contains(UInt8(ascii: ":")) }
  }
}

/// Where in the source a derived property is written, which tells those of one model apart.
struct DerivedPlace: Hashable {
  private let file: UnsafePointer<UInt8>
  private let line: UInt
  private let column: UInt
  private let type: ObjectIdentifier
  private let argument: Key?

  init(file: StaticString, line: UInt, column: UInt, type: Any.Type, argument: Key? = nil) {
    self.argument = argument
    self.file = file.utf8Start
    self.line = line
    self.column = column
    self.type = ObjectIdentifier(type)
  }
}

/// The derived properties of one model that somebody has read.
final class DerivedProperties: @unchecked Sendable {
  // Sendable: `all` is guarded by `lock`; what stands in it is handed to those who read the model's property, where
  // they may.
  private let lock = Guard()
  private var all: [DerivedPlace: AnyObject] = [:]

  func property<Value>(at place: DerivedPlace, _ make: () -> DerivedProperty<Value>) -> DerivedProperty<Value> {
    if let found = lock.withLock({ all[place] }) { return unsafeDowncast(found, to: DerivedProperty<Value>.self) }
    // Of two made at once the first stays; the other goes with the lock open.
    let made = make()
    let standing = lock.withLock {
      if let found = all[place] { return found }
      all[place] = made
      return made
    }
    withExtendedLifetime(made) {}
    return unsafeDowncast(standing, to: DerivedProperty<Value>.self)
  }
}

/// A derived property: the graph's value, and the way to those who follow it through the standard library.
final class DerivedProperty<Value> {
  private let name: String
  private let isolation: (any Actor)?
  private let value: Derived<Value>
  private let observation = CoarseObservation()
  /// Tells the standard library, for which there is nothing to track in a value that was not computed.
  private let teller = Once<Observer>()

  init(named name: String, isolation: (any Actor)?, isEqual: ((Value, Value) -> Bool)?) {
    self.name = name
    self.isolation = isolation
    value = Derived(named: name, isEqual: isEqual)
  }

  func read<Owner: AnyObject>(for owner: Owner, _ compute: @escaping (Owner) -> Value) -> Value {
    let listeners = Listeners.here
    guard listeners.contains(.foreign) else { return value.read(for: owner, compute) }
    observation.note()
    let teller = teller.value { [observation] in
      Observer(named: name, isolation: isolation) { observation.tell() }
    }
    let told = teller.track { value.read(for: owner, compute) }
    return listeners.contains(.graph) ? value.read(for: owner, compute) : told
  }
}

extension ModelState {
  func derived<Model: ReplicatedModel, Value>(
    at place: DerivedPlace, of model: Model, _ property: StaticString, isEqual: ((Value, Value) -> Bool)?,
    _ compute: @escaping (Model) -> Value
  ) -> Value {
    derivedProperties.value { DerivedProperties() }
      .property(at: place) {
        DerivedProperty(
          named: "\(Model.self).\(property)", isolation: isolation ?? Model._$schema.isolation, isEqual: isEqual)
      }
      .read(for: model, compute)
  }
}
