public import StarlingBinding
import StarlingGraph
import StarlingModel

/// A value that a view owns: the single source of truth for those it hands it to.
///
/// ```swift
/// struct PlayButton: View {
///   @State private var isPlaying = false
///
///   var body: some View {
///     Button(isPlaying ? "Pause" : "Play") { isPlaying.toggle() }
///   }
/// }
/// ```
///
/// The value lives as long as the view stays in its place, however often the view's struct is made again; the initial
/// value is then looked at no more, and an object's initializer not even called. Writing evaluates the bodies that read
/// the value, once a transaction, and those only. A write from another thread is stored at once and shown by the main
/// actor; an equal value is no write.
///
/// A state is private to its view: what a parent hands to `init` stays the first value for ever, and a diagnostic
/// says so. To follow what the parent hands in, write `State(following:)`; to keep the value beyond the view's life,
/// `@State(id: "draft")`.
@propertyWrapper public struct State<Value>: DynamicProperty {
  private var origin: Origin
  private var keptID: AnyHashable?
  private var storage: StateStorage<Value>?

  private enum Origin {
    case value(Value)
    /// Runs once for each place that the view has.
    case thunk(() -> Value)
    /// Starts again whenever another value is handed in.
    case following(Value, isSame: (Value, Value) -> Bool)

    var value: Value {
      switch self {
      case .value(let value), .following(let value, _): value
      case .thunk(let make): make()
      }
    }
  }

  /// A first value.
  public init(wrappedValue: Value) {
    origin = .value(wrappedValue)
  }

  /// A first value.
  public init(initialValue: Value) {
    origin = .value(initialValue)
  }

  /// The value is kept under `id` when the view goes, and found by whoever comes with the same id in this host.
  public init(wrappedValue: Value, id: some Hashable) {
    origin = .value(wrappedValue)
    keptID = AnyHashable(id)
  }

  /// Holds what was handed in, can be written, and starts again when something else is handed in.
  public init(following value: Value) where Value: Equatable {
    origin = .following(value) { $0 == $1 }
  }

  /// The value. Reading it in a body depends on it. Outside a view that is shown it is the first value, and a write is
  /// dropped and reported.
  public var wrappedValue: Value {
    get {
      guard let storage else {
        reportNotInstalled()
        return origin.value
      }
      return storage.value
    }
    nonmutating set {
      guard let storage else { return reportNotInstalled() }
      storage.write(newValue)
    }
  }

  /// A binding to the value.
  public var projectedValue: Binding<Value> {
    guard let storage else {
      reportNotInstalled()
      return .constant(origin.value)
    }
    return storage.binding
  }

  private func reportNotInstalled() {
    ViewDiagnostics.report(
      .stateNotInstalled,
      "A State<\(Value.self)> was used outside a view that is shown: it has its initial value, and writes are dropped.")
  }
}

extension State where Value: AnyObject {
  /// An object is made once for each place that the view has, not with each struct.
  public init(wrappedValue thunk: @autoclosure @escaping () -> Value) {
    origin = .thunk(thunk)
  }
}

extension State where Value: ExpressibleByNilLiteral {
  /// Nil at first.
  public init() {
    origin = .value(nil)
  }
}

extension State: InstalledProperty, SamenessAware {
  mutating func install(in node: Node, slot: Int) {
    let storage = node.slots[slot].map { unsafeDowncast($0, to: StateStorage<Value>.self) } ?? makeStorage(for: node)
    node.slots[slot] = storage
    self.storage = storage
    guard case .following(let value, let isSame) = origin else { return }
    let leader = node.leader(at: slot) { Leader(value) }
    guard !isSame(leader.value, value) else { return }
    leader.value = value
    storage.store(value)
  }

  @MainActor private func makeStorage(for node: Node) -> StateStorage<Value> {
    guard let keptID else { return untracked { StateStorage(origin.value) } }
    return node.tree.kept(KeptKey(id: keptID, type: ObjectIdentifier(Value.self))) {
      untracked { StateStorage(origin.value) }
    }
  }

  package func isSame(as other: State) -> Bool {
    guard case .following(let value, let isSame) = origin, case .following(let other, _) = other.origin else {
      return true
    }
    return isSame(value, other)
  }

  func warn(after old: State, named name: String, in node: Node, slot: Int) {
    guard case .value(let value) = origin, case .value(let former) = old.origin, keptID == nil,
      let storage = node.slots[slot] as? StateStorage<Value>, let isSame = Equality<Value>.check,
      !isSame(former, value), !isSame(storage.untrackedValue, value)
    else { return }
    node.tree.report(
      .stateKeepsFirstValue,
      "\(node.viewType).\(name.hasPrefix("_") ? String(name.dropFirst()) : name) was handed another value than it "
        + "began with, and keeps its own: a state belongs to its view. Declare it as let, as @Binding, "
        + "or initialise it with State(following:).")
  }
}

extension State: @unchecked Sendable where Value: Sendable {
  // Sendable: the storage is guarded by its cell's lock; the closures are called where the view is installed.
}

/// What a following state was handed last.
final class Leader<Value> {
  var value: Value

  init(_ value: Value) {
    self.value = value
  }
}

extension Node {
  /// Beside what the property itself keeps: no field lies at a negative offset.
  fileprivate func leader<Value>(at slot: Int, _ make: () -> Leader<Value>) -> Leader<Value> {
    if let known = slots[-1 - slot] as? Leader<Value> { return known }
    let made = make()
    slots[-1 - slot] = made
    return made
  }
}

/// Names a state that outlives its view.
struct KeptKey: Hashable {
  let id: AnyHashable
  let type: ObjectIdentifier
}

extension Binding: DynamicProperty {}
extension Bindable: DynamicProperty {}
