/// On which side of an item another one is anchored.
public enum Side: UInt8, Hashable, Sendable {
  case left = 0
  case right = 1
}
