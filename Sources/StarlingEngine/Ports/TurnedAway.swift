import StarlingSession

/// A peer that dialled one of our endpoints and was refused, or is refused from now on.
public struct TurnedAway: Sendable, Hashable {
  /// Why it was not let in.
  public enum Reason: Sendable, Hashable {
    /// Its key is not in the allowlist.
    case notAdmitted
    /// Its key is in the allowlist no more.
    case revoked
    /// It proved no key.
    case unproved
    /// It broke off, or said nothing, before it had introduced itself.
    case unfinished
    /// It passed a limit of the link's.
    case excess
    /// It proves no key, where this link takes only those who do.
    case unsealed
    /// It takes only those who prove a key, and this link has none.
    case sealed
  }

  /// Why it was not let in, or is let in no more.
  public var reason: Reason
  /// The key that it showed.
  public var user: String?
  /// Where it came from, without the port.
  public var address: String?

  /// Describes who was not let in.
  public init(_ reason: Reason, user: String? = nil, address: String? = nil) {
    self.reason = reason
    self.user = user
    self.address = address
  }
}

extension AccessEvent {
  init(_ stranger: TurnedAway) {
    let (kind, explanation): (Kind, String) =
      switch stranger.reason {
      case .notAdmitted: (.notAdmitted, "its key is not let in.")
      case .revoked: (.revoked, "its key is let in no more, and it was cut off.")
      case .unproved: (.unproved, "it did not prove a key.")
      case .unfinished: (.unfinished, "it broke off before it had introduced itself.")
      case .excess: (.excess, "it passed a limit of connections or subscriptions, and was cut off.")
      case .unsealed: (.unproved, "it proves no key, and this replica takes only members that do (starlingd --keys).")
      case .sealed: (.unproved, "it takes only members that prove a key, and this replica has none (starlingd --keys).")
      }
    self.init(kind, user: stranger.user, address: stranger.address, explanation: explanation)
  }
}
