/// A peer as the session knows it: the number of one connection, given by whoever owns the links
/// and never used twice.
public struct PeerNumber: Hashable, Sendable {
  public let rawValue: UInt64

  public init(_ rawValue: UInt64) {
    self.rawValue = rawValue
  }
}

extension PeerNumber: CustomStringConvertible {
  public var description: String { "peer \(rawValue)" }
}
