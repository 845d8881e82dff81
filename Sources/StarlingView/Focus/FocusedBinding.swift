public import StarlingBinding
import StarlingModel

/// The value of a binding that the view with the focus, or one around it, says under a key; nil where none says any.
/// Writing goes through the binding.
///
/// ```swift
/// @FocusedBinding(\.selectedRecipe) private var recipe
/// ```
@propertyWrapper public struct FocusedBinding<Value>: DynamicProperty {
  @FocusedValue private var binding: Binding<Value>?

  /// Reads the binding at `path`.
  public init(_ path: KeyPath<FocusedValues, Binding<Value>?>) {
    _binding = FocusedValue(path)
  }

  /// The binding's value. Writing nil, or where there is no binding, changes nothing.
  public var wrappedValue: Value? {
    get { binding?.wrappedValue }
    nonmutating set { if let newValue { binding?.wrappedValue = newValue } }
  }

  /// A binding to the value, which may be missing.
  public var projectedValue: Binding<Value?> {
    let binding = binding
    return Binding(
      location: binding?.location?.appending("focused"), read: { binding?.wrappedValue },
      write: { if let value = $0 { binding?.wrappedValue = value } })
  }
}

/// The `ObservableObject` that the view with the focus, or one around it, says; nil where none says one. The view runs
/// again when it changes.
@propertyWrapper public struct FocusedObject<Object: ObservableObject>: DynamicProperty {
  @FocusedValue private var object: Object?

  /// Reads the object of this type.
  public init() {
    _object = FocusedValue(\.[object: ObjectIdentifierKey<Object>()])
  }

  /// The object; nil where none is said.
  public var wrappedValue: Object? {
    object?.objectWillChange.track()
    return object
  }
}

/// Names an object of a type among what the focus says.
struct ObjectIdentifierKey<Object: AnyObject>: Hashable {}

extension FocusedValues {
  subscript<Object: AnyObject>(object key: ObjectIdentifierKey<Object>) -> Object? {
    get { self[FocusedObjectKey<Object>.self] }
    set { self[FocusedObjectKey<Object>.self] = newValue }
  }
}

private enum FocusedObjectKey<Object: AnyObject>: FocusedValueKey {
  typealias Value = Object
}

extension View {
  /// Says an object to whoever looks at what has the focus, while the focus is in the view.
  public func focusedObject<Object: ObservableObject>(_ object: Object?) -> some View {
    focusedValue(\.[object: ObjectIdentifierKey<Object>()], object)
  }

  /// Says an object to whoever looks at what has the focus, wherever in the scene that is.
  public func focusedSceneObject<Object: ObservableObject>(_ object: Object?) -> some View {
    focusedSceneValue(\.[object: ObjectIdentifierKey<Object>()], object)
  }

  /// Says `value` to whoever looks at what has the focus, wherever in the scene that is. What is said closer to the focus
  /// counts before it.
  public func focusedSceneValue<Value>(_ path: WritableKeyPath<FocusedValues, Value?>, _ value: Value?) -> some View {
    FocusedValueView(content: self, isOfScene: true) { values in
      if let value { values[keyPath: path] = value }
    }
  }
}
