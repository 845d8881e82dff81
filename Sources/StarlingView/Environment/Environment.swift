import StarlingModel

/// Reads a value of the environment, by key path, or an observable object, by its type.
///
/// ```swift
/// @Environment(\.colorScheme) private var colorScheme
/// @Environment(Library.self) private var library
/// ```
///
/// A view depends on the value from its first read in the body on; what it only declares costs nothing.
@propertyWrapper public struct Environment<Value>: DynamicProperty {
  private let source: Source
  private let read: (EnvironmentScope?, Any.Type?) -> Value
  private var scope: EnvironmentScope?
  /// The view that reads, named where something was not put in.
  private var reader: Any.Type?

  private enum Source: Equatable {
    case path(AnyKeyPath)
    case object(ObjectIdentifier)
  }

  /// Reads the value at `path`.
  public init(_ path: KeyPath<EnvironmentValues, Value>) {
    source = .path(path)
    read = { scope, _ in (scope.map(EnvironmentValues.init(in:)) ?? EnvironmentValues())[keyPath: path] }
  }

  /// The object of this type that `.environment(_:)` put in.
  ///
  /// - Precondition: There is one. Where there may be none, the property is declared optional.
  public init(_ type: Value.Type) where Value: AnyObject & Observable {
    source = .object(ObjectIdentifier(type))
    read = { scope, reader in
      guard let object = scope?.set(for: ObjectIdentifier(type)) as? Value else {
        fatalError(
          "\(reader.map { "\($0)" } ?? "A view that is not shown") reads @Environment(\(type).self), but there is none. "
            + "Put one in with .environment(_:) on a view around it, or declare the property as \(type)?.")
      }
      return object
    }
  }

  /// The object of this type that `.environment(_:)` put in, or nil.
  public init<Object: AnyObject & Observable>(_ type: Object.Type) where Value == Object? {
    source = .object(ObjectIdentifier(type))
    read = { scope, _ in scope?.set(for: ObjectIdentifier(type)) as? Object }
  }

  /// The value as it is around the view; outside a view its default.
  public var wrappedValue: Value { read(scope, reader) }
}

extension Environment: InstalledProperty, SamenessAware {
  mutating func install(in node: Node, slot: Int) {
    scope = node.environment
    reader = node.viewType
  }

  package func isSame(as other: Environment) -> Bool { source == other.source }
}

extension Environment: @unchecked Sendable where Value: Sendable {
  // Sendable: the closure captures a key path or a type, which are immutable.
}
