import StarlingModel

/// Sets values of the environment for what stands inside.
struct EnvironmentView<Content: View>: PrimitiveView {
  let content: Content
  /// Changes the values that are seen around it.
  let change: (inout EnvironmentValues) -> Void

  func compose(in node: Node) -> Composition {
    let scope = node.memory { EnvironmentScope(parent: node.environment) }
    var values = EnvironmentValues(in: node.environment)
    change(&values)
    scope.update(values.writes)
    return Composition([Part(content, environment: scope)])
  }
}

/// Puts an object into the environment under its type.
struct EnvironmentObjectView<Content: View>: PrimitiveView {
  let content: Content
  let key: ObjectIdentifier
  let object: AnyObject?

  func compose(in node: Node) -> Composition {
    let scope = node.memory { EnvironmentScope(parent: node.environment) }
    scope.update([key: object as Any])
    return Composition([Part(content, environment: scope)])
  }
}

extension View {
  /// Sets a value of the environment for this view and all inside it.
  public func environment<Value>(_ path: WritableKeyPath<EnvironmentValues, Value>, _ value: Value) -> some View {
    EnvironmentView(content: self) { $0[keyPath: path] = value }
  }

  /// Changes a value of the environment for this view and all inside it.
  public func transformEnvironment<Value>(
    _ path: WritableKeyPath<EnvironmentValues, Value>, transform: @escaping (inout Value) -> Void
  ) -> some View {
    EnvironmentView(content: self) { transform(&$0[keyPath: path]) }
  }

  /// Puts an observable object into the environment, to be read by its type; nil hides one from further out.
  public func environment<Object: AnyObject & Observable>(_ object: Object?) -> some View {
    EnvironmentObjectView(content: self, key: ObjectIdentifier(Object.self), object: object)
  }

  /// Puts an `ObservableObject` into the environment, to be read by its type with `@EnvironmentObject`.
  public func environmentObject<Object: ObservableObject>(_ object: Object) -> some View {
    EnvironmentObjectView(content: self, key: ObjectIdentifier(Object.self), object: object)
  }
}
