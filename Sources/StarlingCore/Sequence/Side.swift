/// On which side of its parent an item of a list or text stands.
public enum Side: UInt8, Hashable, Sendable {
  /// Before the parent and all that stands right of it.
  case left
  /// After the parent and all that stands left of it.
  case right
}
