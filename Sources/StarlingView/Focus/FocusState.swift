import StarlingBinding
import Synchronization

/// Which of several views has the focus, or whether one has it; writing moves it.
///
/// ```swift
/// @FocusState private var field: Field?
///
/// TextField("Username", text: $username).focused($field, equals: .username)
/// ```
@propertyWrapper public struct FocusState<Value: Hashable>: DynamicProperty {
  private let empty: Value
  private var storage: FocusStorage<Value>?

  /// Whether one view has the focus; false at first.
  public init() where Value == Bool {
    empty = false
  }

  /// Which of several views has the focus; nil at first.
  public init<Wrapped: Hashable>() where Value == Wrapped? {
    empty = nil
  }

  /// The value of the view that has the focus; nil or false where none of them has it. Writing moves the focus.
  public var wrappedValue: Value {
    get { storage?.state.value ?? empty }
    nonmutating set { storage?.request(newValue) }
  }

  /// What `.focused(_:equals:)` takes.
  public var projectedValue: Binding { Binding(storage: storage, empty: empty) }

  /// Hands the focus to a view: what `.focused(_:equals:)` takes.
  @propertyWrapper public struct Binding {
    let storage: FocusStorage<Value>?
    fileprivate let empty: Value

    /// The value of the view that has the focus. Writing moves the focus.
    public var wrappedValue: Value {
      get { storage?.state.value ?? empty }
      nonmutating set { storage?.request(newValue) }
    }

    /// The binding itself.
    public var projectedValue: Binding { self }
  }
}

extension FocusState: InstalledProperty, SamenessAware {
  mutating func install(in node: Node, slot: Int) {
    let known = node.slots[slot].map { unsafeDowncast($0, to: FocusStorage<Value>.self) }
    let storage = known ?? FocusStorage(empty: empty, inbox: node.tree.inbox)
    node.slots[slot] = storage
    self.storage = storage
  }

  package func isSame(as other: FocusState) -> Bool { true }
}

extension FocusState.Binding: SamenessAware {
  package func isSame(as other: FocusState.Binding) -> Bool { storage === other.storage }
}

extension FocusState: Sendable where Value: Sendable {}
extension FocusState.Binding: Sendable where Value: Sendable {}

/// What a focus state holds, as the keeper of the focus sees it.
@MainActor protocol AnyFocusStorage: AnyObject {
  var current: AnyHashable { get }
  var isEmpty: Bool { get }
  /// Says whether a program asked for the focus to move, once.
  func takeRequest() -> Bool
  /// Takes the value that stands for the new focus; nil: it is elsewhere.
  func accept(_ value: AnyHashable?)
}

final class FocusStorage<Value: Hashable>: Sendable {
  let state: StateStorage<Value>
  private let empty: StateStorage<Value>
  private let isRequested = Atomic(false)
  private let inbox: Inbox

  init(empty: Value, inbox: Inbox) {
    state = StateStorage(empty)
    self.empty = StateStorage(empty)
    self.inbox = inbox
  }

  /// A program's wish.
  func request(_ value: Value) {
    WriteGate.pass { [self] in
      state.store(value)
      isRequested.store(true, ordering: .releasing)
      inbox.wake()
    }
  }
}

extension FocusStorage: AnyFocusStorage {
  var current: AnyHashable { AnyHashable(state.untrackedValue) }
  var isEmpty: Bool { state.untrackedValue == empty.untrackedValue }
  func takeRequest() -> Bool { isRequested.exchange(false, ordering: .acquiringAndReleasing) }

  func accept(_ value: AnyHashable?) {
    state.store(value?.base as? Value ?? empty.untrackedValue)
  }
}

/// Says under which value of a focus state what stands inside has the focus.
struct FocusedView<Content: View>: PrimitiveView {
  let content: Content
  let storage: (any AnyFocusStorage)?
  let value: AnyHashable

  func compose(in node: Node) -> Composition {
    if let storage { node.tree.focus.claim(node, storage, value) }
    return Composition(content)
  }
}

extension View {
  /// Ties the focus of the view to `binding` having `value`, both ways.
  public func focused<Value: Hashable>(_ binding: FocusState<Value>.Binding, equals value: Value) -> some View {
    FocusedView(content: self, storage: binding.storage, value: AnyHashable(value))
  }

  /// Ties the focus of the view to `condition` being true, both ways.
  public func focused(_ condition: FocusState<Bool>.Binding) -> some View {
    FocusedView(content: self, storage: condition.storage, value: AnyHashable(true))
  }
}
