/// Why a peer that answers does not let us in.
public enum HandshakeFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// Our key is not, or no more, in its allowlist.
  case notAdmitted
  /// It could not prove the key that the endpoint names.
  case unproved
  /// It wants keys, and the endpoint names none.
  case wantsKeys

  public var description: String {
    switch self {
    case .notAdmitted:
      "this key is not in its allowlist, or its time there has passed; have it authorised there (starling keys authorize)"
    case .unproved:
      "the server's key is not the one that the endpoint names, or it takes no keys; "
        + "compare with what it prints when it starts"
    case .wantsKeys:
      "it takes only peers with keys; dial it as tcp://KEY@HOST:PORT, with the key that it prints when it starts"
    }
  }
}
