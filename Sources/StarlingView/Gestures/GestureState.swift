import StarlingBinding

/// What a view knows of a gesture while it goes on; as at first when it is over.
///
/// ```swift
/// @GestureState private var offset = CGSize.zero
///
/// card.offset(offset).gesture(DragGesture().updating($offset) { value, offset, _ in offset = value.translation })
/// ```
@propertyWrapper public struct GestureState<Value>: DynamicProperty {
  private let initial: Value
  private let onReset: ((Value, inout Transaction) -> Void)?
  private var storage: StateStorage<Value>?

  /// What is known while there is no gesture.
  public init(wrappedValue: Value) {
    initial = wrappedValue
    onReset = nil
  }

  /// What is known while there is no gesture.
  public init(initialValue: Value) {
    self.init(wrappedValue: initialValue)
  }

  /// What is known while there is no gesture; `reset` says how going back to it is shown.
  public init(wrappedValue: Value, reset: @escaping (Value, inout Transaction) -> Void) {
    initial = wrappedValue
    onReset = reset
  }

  /// What is known while there is no gesture, and how going back to it is shown.
  public init(wrappedValue: Value, resetTransaction: Transaction) {
    initial = wrappedValue
    onReset = { $1 = resetTransaction }
  }

  /// What is known of the gesture.
  public var wrappedValue: Value { storage?.value ?? initial }

  /// What `updating(_:body:)` takes.
  public var projectedValue: GestureState { self }

  func store(_ value: Value) {
    storage?.store(value)
  }

  func reset() {
    var transaction = Transaction()
    onReset?(wrappedValue, &transaction)
    withTransaction(transaction) { store(initial) }
  }
}

extension GestureState where Value: ExpressibleByNilLiteral {
  /// Nil while there is no gesture.
  public init() {
    self.init(wrappedValue: nil)
  }
}

extension GestureState: InstalledProperty, SamenessAware {
  mutating func install(in node: Node, slot: Int) {
    let known = node.slots[slot].map { unsafeDowncast($0, to: StateStorage<Value>.self) }
    let storage = known ?? StateStorage(initial)
    node.slots[slot] = storage
    self.storage = storage
  }

  package func isSame(as other: GestureState) -> Bool { true }
}
