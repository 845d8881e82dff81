/// Why stored runs make no sequence, and which of them is the first that does not fit.
struct Contradiction: Error, Hashable {
  enum Reason: Hashable {
    /// A counter, a count or a replica that no item can have.
    case impossible
    /// Live text of another number of scalars, or text where there is none.
    case text
    /// An item that another run has too.
    case duplicate
    /// A parent that no run has, that stands below its own child, or inside another run.
    case parent
    /// Another order than that of the tree.
    case order
    /// A run that goes on with the one before.
    case divided
  }

  var reason: Reason
  var run: Int
}
