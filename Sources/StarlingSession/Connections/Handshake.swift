public import StarlingWire

/// Decides whether two programs can talk at all (Protocol/conversation.md, "Hello").
public enum Handshake {
  /// The protocol versions that this program speaks.
  public static let versions: ClosedRange<UInt16> = 1...1

  public enum Verdict: Hashable, Sendable {
    /// They talk in the highest version that both know.
    case welcome(version: UInt16)
    /// We are talking to ourselves.
    case ourselves
    case refuse(Message.Refusal)
  }

  /// - Parameters:
  ///   - theirs: the greeting that came.
  ///   - ours: the one that this program sends.
  public static func judge(_ theirs: Message.Hello, ours: Message.Hello) -> Verdict {
    if theirs.store == ours.store && theirs.epoch == ours.epoch { return .ourselves }
    let highest = min(theirs.highestVersion, ours.highestVersion)
    let lowest = max(theirs.lowestVersion, ours.lowestVersion)
    guard theirs.lowestVersion <= theirs.highestVersion, lowest <= highest else {
      return .refuse(
        Message.Refusal(
          code: .incompatibleVersion,
          explanation: """
            \(ours.agent) speaks protocol versions \(ours.lowestVersion) to \(ours.highestVersion), \
            \(theirs.agent) \(theirs.lowestVersion) to \(theirs.highestVersion). Upgrade the older of the two.
            """))
    }
    return .welcome(version: highest)
  }
}
