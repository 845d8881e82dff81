import StarlingBinding

/// What views read from around them: values by key path, set by `.environment(_:_:)` for all inside a view.
///
/// Reading a value in a body depends on that value alone, from the first read on.
public struct EnvironmentValues {
  private let scope: EnvironmentScope?
  /// What was written to this copy.
  private(set) var writes: [ObjectIdentifier: Any] = [:]

  /// The defaults.
  public init() {
    scope = nil
  }

  /// What is seen from a place of the tree.
  package init(in scope: EnvironmentScope) {
    self.scope = scope
  }

  /// The value of a key; its default where no view around sets it.
  public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
    get { value(for: ObjectIdentifier(key)) { Key.defaultValue } }
    set { writes.updateValue(newValue, forKey: ObjectIdentifier(key)) }
  }

  /// What `@Entry` makes of a property.
  public subscript<Value>(entry: EntryKey<Value>) -> Value {
    get { value(for: ObjectIdentifier(entry)) { entry.defaultValue } }
    set { writes.updateValue(newValue, forKey: ObjectIdentifier(entry)) }
  }

  private func value<Value>(for key: ObjectIdentifier, default makeDefault: () -> Value) -> Value {
    // In two steps: that there is nothing would pass for a nil of an optional type.
    if let written = writes[key], let value = written as? Value { return value }
    return scope?.value(for: key, default: makeDefault) ?? makeDefault()
  }
}

/// Names a value of the environment.
public protocol EnvironmentKey {
  /// The type of what the key names.
  associatedtype Value
  /// The value where no view around sets one.
  static var defaultValue: Value { get }
}

/// Names a value that `@Entry` declares, and holds its default, which is made once.
public final class EntryKey<Value>: @unchecked Sendable {
  // Sendable: immutable.
  /// The value where none is set.
  public let defaultValue: Value

  /// Holds a default, which is evaluated once.
  public init(_ defaultValue: Value) {
    self.defaultValue = defaultValue
  }
}

/// Declares a value of the environment, of transactions, containers or the focus, with its default.
///
/// ```swift
/// extension EnvironmentValues {
///   @Entry var accentTheme: Theme = .default
/// }
/// ```
///
/// The default is made once, at the first read, and is the same for everybody.
@attached(accessor, names: named(get), named(set))
@attached(peer, names: prefixed(_entry_))
public macro Entry() = #externalMacro(module: "StarlingMacros", type: "EntryMacro")

extension Transaction {
  /// What `@Entry` makes of a property.
  public subscript<Value: Sendable>(entry: EntryKey<Value>) -> Value {
    get { self[identity: ObjectIdentifier(entry)].flatMap { $0 as? Value } ?? entry.defaultValue }
    set { self[identity: ObjectIdentifier(entry)] = newValue }
  }
}

/// Values that views set for the containers around them.
public struct ContainerValues {
  private var values: [ObjectIdentifier: Any] = [:]

  /// What `@Entry` makes of a property.
  public subscript<Value>(entry: EntryKey<Value>) -> Value {
    get { values[ObjectIdentifier(entry)].flatMap { $0 as? Value } ?? entry.defaultValue }
    set { values.updateValue(newValue, forKey: ObjectIdentifier(entry)) }
  }

  /// Values with none set.
  public init() {}
}
