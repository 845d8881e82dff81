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
  ///   - compute: Is given the model, and must not capture it: it is kept with it.
  nonisolated public func derived<Value: Equatable>(
    property: StaticString = #function, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ compute: @escaping (Self) -> Value
  ) -> Value {
    let place = DerivedPlace(file: fileID, line: line, column: column, type: Value.self)
    return _$model.derived(at: place, of: self, property, isEqual: ==, compute)
  }

  /// The same for a value that cannot be compared: its readers wake whenever it is computed anew.
  @_disfavoredOverload
  nonisolated public func derived<Value>(
    property: StaticString = #function, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
    _ compute: @escaping (Self) -> Value
  ) -> Value {
    let place = DerivedPlace(file: fileID, line: line, column: column, type: Value.self)
    return _$model.derived(at: place, of: self, property, isEqual: nil, compute)
  }
}

/// Where in the source a derived property is written, which tells those of one model apart.
struct DerivedPlace: Equatable {
  private let file: UnsafePointer<UInt8>
  private let line: UInt
  private let column: UInt
  private let type: ObjectIdentifier

  init(file: StaticString, line: UInt, column: UInt, type: Any.Type) {
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
  private var all: [(place: DerivedPlace, property: AnyObject)] = []

  func property<Value>(at place: DerivedPlace, _ make: () -> DerivedProperty<Value>) -> DerivedProperty<Value> {
    if let found = lock.withLock({ find(place) }) { return unsafeDowncast(found, to: DerivedProperty<Value>.self) }
    // Of two made at once the first stays; the other goes with the lock open.
    let made = make()
    let standing = lock.withLock {
      if let found = find(place) { return found }
      all.append((place, made))
      return made
    }
    withExtendedLifetime(made) {}
    return unsafeDowncast(standing, to: DerivedProperty<Value>.self)
  }

  private func find(_ place: DerivedPlace) -> AnyObject? {
    all.first { $0.place == place }?.property
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
