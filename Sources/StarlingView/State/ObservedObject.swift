public import StarlingBinding
import StarlingGraph

/// An `ObservableObject` that somebody else owns. Any change of it evaluates the view again.
@MainActor @propertyWrapper public struct ObservedObject<ObjectType: ObservableObject>: DynamicProperty {
  /// The object that is observed.
  public var wrappedValue: ObjectType

  /// Observes an object, which somebody else owns.
  public init(wrappedValue: ObjectType) {
    self.wrappedValue = wrappedValue
  }

  /// Observes an object, which somebody else owns.
  public init(initialValue: ObjectType) {
    wrappedValue = initialValue
  }

  /// Makes bindings to the object's properties.
  public var projectedValue: Wrapper { Wrapper(object: wrappedValue) }

  /// Makes bindings to the object's properties: `$model.isEnabled`.
  @MainActor @dynamicMemberLookup public struct Wrapper {
    let object: ObjectType

    /// A binding to the property at `path`.
    public subscript<Member>(dynamicMember path: ReferenceWritableKeyPath<ObjectType, Member>) -> Binding<Member> {
      let object = object
      return Binding(
        location: BindingLocation(root: .object(ObjectIdentifier(object))).appending(path), isolation: MainActor.shared,
        read: {
          object.objectWillChange.track()
          return object[keyPath: path]
        }, write: { object[keyPath: path] = $0 })
    }
  }
}

extension ObservedObject: @MainActor InstalledProperty, SamenessAware {
  mutating func install(in node: Node, slot: Int) {
    wrappedValue.objectWillChange.track()
  }

  package func isSame(as other: ObservedObject) -> Bool { wrappedValue === other.wrappedValue }

  func warn(after old: ObservedObject, named name: String, in node: Node, slot: Int) {
    guard old.wrappedValue !== wrappedValue else { return }
    // An object that nobody else held went with the view that was replaced: twice in a row, it was made by it.
    let count = node.slots[slot] as? RecreationCount ?? RecreationCount()
    node.slots[slot] = count
    let (type, former) = (node.viewType, old.wrappedValue)
    node.tree.afterward { [weak former, weak tree = node.tree] in
      count.value = former == nil ? count.value + 1 : 0
      guard count.value > 1 else { return }
      tree?.report(
        .observedObjectRecreated,
        "\(type) makes the object that it observes, a \(ObjectType.self), again each time it is made itself, and loses "
          + "what was in it. Declare it with @StateObject.")
    }
  }
}

/// How often in a row an observed object went with the view that observed it.
private final class RecreationCount {
  var value = 0
}

/// An `ObservableObject` that the view owns: made once for each place that the view has.
@MainActor @propertyWrapper public struct StateObject<ObjectType: ObservableObject>: DynamicProperty {
  private let thunk: () -> ObjectType
  private var object: ObjectType?

  /// Owns what `wrappedValue` makes; it is evaluated once for each place that the view has.
  public init(wrappedValue thunk: @autoclosure @escaping () -> ObjectType) {
    self.thunk = thunk
  }

  /// The object; outside a view a new one at each call.
  public var wrappedValue: ObjectType { object ?? thunk() }

  /// Makes bindings to the object's properties.
  public var projectedValue: ObservedObject<ObjectType>.Wrapper {
    ObservedObject<ObjectType>.Wrapper(object: wrappedValue)
  }
}

extension StateObject: @MainActor InstalledProperty, SamenessAware {
  mutating func install(in node: Node, slot: Int) {
    let object = node.slots[slot].map { unsafeDowncast($0, to: ObjectType.self) } ?? untracked(thunk)
    node.slots[slot] = object
    self.object = object
    object.objectWillChange.track()
  }

  /// What a later struct would begin with is never looked at.
  package func isSame(as other: StateObject) -> Bool { true }
}

/// An `ObservableObject` that a view around this one put in with `.environmentObject(_:)`.
@MainActor @propertyWrapper public struct EnvironmentObject<ObjectType: ObservableObject>: DynamicProperty {
  private var object: ObjectType?
  /// The view that reads, named where something was not put in.
  private var reader: Any.Type?

  /// Reads the object from the views around.
  public init() {}

  /// The object. The program stops where no view around has put one in, and says which is missing.
  public var wrappedValue: ObjectType {
    guard let object else {
      fatalError(
        "\(reader.map { "\($0)" } ?? "A view that is not shown") reads @EnvironmentObject \(ObjectType.self), but there is none. "
          + "Put one in with .environmentObject(_:) on a view around it.")
    }
    return object
  }

  /// Makes bindings to the object's properties.
  public var projectedValue: ObservedObject<ObjectType>.Wrapper {
    ObservedObject<ObjectType>.Wrapper(object: wrappedValue)
  }
}

extension EnvironmentObject: @MainActor InstalledProperty, SamenessAware {
  mutating func install(in node: Node, slot: Int) {
    object = node.environment.set(for: ObjectIdentifier(ObjectType.self)) as? ObjectType
    reader = node.viewType
    object?.objectWillChange.track()
  }

  package func isSame(as other: EnvironmentObject) -> Bool { true }
}
