import Synchronization

/// Names something that belongs to a view: the same as long as the view stays in its place.
///
/// ```swift
/// @Namespace private var rows
/// ```
@propertyWrapper public struct Namespace: DynamicProperty {
  private var id: ID?

  /// A name of its own.
  public init() {}

  /// The name. Outside a view that is shown, always the same.
  public var wrappedValue: ID { id ?? ID(number: 0) }

  /// A name that no other view has.
  public struct ID: Hashable, Sendable {
    fileprivate let number: Int
  }

  fileprivate static let last = Atomic(0)
}

extension Namespace: InstalledProperty, SamenessAware {
  mutating func install(in node: Node, slot: Int) {
    let known = node.slots[slot].map { unsafeDowncast($0, to: KeptID.self) }
    let kept = known ?? KeptID(ID(number: Self.last.add(1, ordering: .relaxed).newValue))
    node.slots[slot] = kept
    id = kept.id
  }

  package func isSame(as other: Namespace) -> Bool { true }

  private final class KeptID {
    let id: ID

    init(_ id: ID) {
      self.id = id
    }
  }
}
