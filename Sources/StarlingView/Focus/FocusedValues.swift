import StarlingModel

/// Values that views set for whoever looks at what has the focus.
public struct FocusedValues {
  private let scope: EnvironmentScope?
  /// What was written to this copy.
  private(set) var writes: [ObjectIdentifier: Any] = [:]

  /// Values with none set.
  public init() {
    scope = nil
  }

  init(in scope: EnvironmentScope) {
    self.scope = scope
  }

  /// The value of a key; nil where no view with the focus in it says one.
  public subscript<Key: FocusedValueKey>(key: Key.Type) -> Key.Value? {
    get { value(for: ObjectIdentifier(key)) }
    set { writes[ObjectIdentifier(key)] = newValue }
  }

  /// What `@Entry` makes of a property.
  public subscript<Value>(entry: EntryKey<Value>) -> Value {
    get { value(for: ObjectIdentifier(entry)) ?? entry.defaultValue }
    set { writes.updateValue(newValue, forKey: ObjectIdentifier(entry)) }
  }

  private func value<Value>(for key: ObjectIdentifier) -> Value? {
    (writes[key] ?? scope?.set(for: key)) as? Value
  }
}

/// Names a value of what has the focus. `@Entry` in an extension of `FocusedValues` does the same.
public protocol FocusedValueKey {
  /// The type of what the key names.
  associatedtype Value
}

/// What the view that has the focus, or one around it, says under a key; nil where none says anything.
///
/// ```swift
/// extension FocusedValues {
///   @Entry var book: Book?
/// }
///
/// BookEditor(book: book).focusedValue(\.book, book)
///
/// @FocusedValue(\.book) private var book
/// ```
///
/// A view depends on the value from its first read in the body on, and runs again when another value comes into focus.
@propertyWrapper public struct FocusedValue<Value>: DynamicProperty {
  private let path: KeyPath<FocusedValues, Value?>
  private var scope: EnvironmentScope?

  /// Reads the value at `path`.
  public init(_ path: KeyPath<FocusedValues, Value?>) {
    self.path = path
  }

  /// What the view with the focus, or one around it, says; nil where none says anything.
  public var wrappedValue: Value? { (scope.map(FocusedValues.init(in:)) ?? FocusedValues())[keyPath: path] }
}

extension FocusedValue: InstalledProperty, SamenessAware {
  mutating func install(in node: Node, slot: Int) {
    scope = node.tree.focus.values.scope
  }

  package func isSame(as other: FocusedValue) -> Bool { path == other.path }
}

/// What is seen of the focus: what the views around it say, the innermost over the others.
@MainActor final class FocusedValueBoard {
  /// Read like an environment; the defaults of what nobody says stay in its parent.
  let scope = EnvironmentScope(parent: EnvironmentScope(parent: nil))
  private var speakers: [UInt64: Speaker] = [:]
  private var isDue = false
  private weak var place: Node?

  private struct Speaker {
    unowned let node: Node
    /// Whether it speaks wherever the focus is.
    let isOfScene: Bool
    let change: (inout FocusedValues) -> Void
  }

  func say(_ node: Node, isOfScene: Bool, _ change: @escaping (inout FocusedValues) -> Void) {
    speakers[node.number] = Speaker(node: node, isOfScene: isOfScene, change: change)
    isDue = true
  }

  func forget(_ node: Node) {
    if speakers.removeValue(forKey: node.number) != nil { isDue = true }
  }

  /// Shows what is said around the node that has the focus; whoever read something else runs again.
  func update(around focused: Node?) {
    guard isDue || focused !== place else { return }
    (isDue, place) = (false, focused)
    var values = FocusedValues()
    for (_, speaker) in speakers.sorted(by: { $0.key < $1.key }) where speaker.isOfScene { speaker.change(&values) }
    if let focused {
      for node in (Array(focused.ancestors()).reversed() + [focused]) { speakers[node.number]?.change(&values) }
    }
    scope.update(values.writes)
  }
}

struct FocusedValueView<Content: View>: PrimitiveView {
  let content: Content
  var isOfScene = false
  let change: (inout FocusedValues) -> Void

  func compose(in node: Node) -> Composition {
    node.tree.focus.values.say(node, isOfScene: isOfScene, change)
    return Composition(content)
  }
}

extension View {
  /// Says `value` to whoever looks at what has the focus, while the focus is in the view.
  public func focusedValue<Value>(_ path: WritableKeyPath<FocusedValues, Value?>, _ value: Value?) -> some View {
    FocusedValueView(content: self) { values in
      if let value { values[keyPath: path] = value }
    }
  }
}
