/// Where a binding leads: a root, and the steps from there.
package struct BindingLocation: Hashable {
  package enum Root: Hashable {
    /// A model. The binding keeps it, so that its address stays its own.
    case object(ObjectIdentifier)
    case named(AnyHashable)
    case constant(AnyHashable)
  }

  package let root: Root
  private var steps: [AnyHashable] = []

  package init(root: Root) {
    self.root = root
  }

  package func appending(_ step: some Hashable) -> BindingLocation {
    var copy = self
    copy.steps.append(AnyHashable(step))
    return copy
  }
}

enum BindingStep: Hashable {
  case unwrapped
  case optional
  case hashable
  /// An element by its identity.
  case element(AnyHashable)
  /// An element without an identity, by its place.
  case place(Int)
}
