/// One end of a connection, dialled or accepted: given by whoever owns the link, and never used twice.
public struct PeerHandle: Hashable, Sendable {
  public let rawValue: UInt64

  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }
}

extension PeerHandle: Comparable {
  public static func < (left: PeerHandle, right: PeerHandle) -> Bool { left.rawValue < right.rawValue }
}
