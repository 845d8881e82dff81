public import StarlingEngine

/// Something that is wrong in a group, and what an operator can do about it.
public struct Finding: Sendable, Hashable {
  /// What it is about: an endpoint, a member, a document.
  public var subject: String
  /// What is wrong, as a sentence.
  public var what: String
  /// What to do.
  public var remedy: String

  /// - Parameters:
  ///   - subject: what it is about.
  ///   - what: what is wrong, as a sentence.
  ///   - remedy: what to do, as sentences.
  public init(_ subject: String, _ what: String, _ remedy: String) {
    self.subject = subject
    self.what = what
    self.remedy = remedy
  }

  /// Two members hold equal versions of a document, and different contents.
  public static func diverged(_ document: String, _ members: String) -> Finding {
    Finding(
      "the document \(document)", "\(members) have the same versions of it and different contents.",
      "Compare 'starling dump' of both, each alone. Stop the one that is wrong, move its directory away, and start it: "
        + "it fetches the document from the others. Keep the directory, and report it: it should not happen.")
  }
}

extension EngineStatus.Peer {
  /// What is wrong with the member, as far as it tells.
  public var findings: [Finding] {
    var findings: [Finding] = []
    if isRelay, !isDurable {
      findings.append(
        Finding(
          "\(agent), store \(store)", "it keeps nothing on disk now.",
          "Its log fails: read what it says, free some space on the disk or mend it. A full disk is tried again by itself; "
            + "after damage, start it again."))
    }
    if let notice {
      findings.append(
        Finding(
          "\(agent), store \(store)", "a link of it works in one direction only: \(notice).",
          "Changes go both ways over the connection that stands, for as long as it does. Open the port in the firewall "
            + "between the two, or say with --advertise where that daemon is reached."))
    }
    return findings
  }
}

extension EngineEvent {
  /// What is wrong, where the event says that something is.
  ///
  /// - Parameter observer: who was told, as a sentence names it: "this command".
  public func finding(by observer: String) -> Finding? {
    switch self {
    case .notAdmitted(let endpoint, let failure):
      Finding(
        endpoint, "it does not let \(observer) in: \(failure).",
        "Dial with --keys a directory whose public key that daemon lets in (starling keys authorize, there), and with its "
          + "own key in the endpoint.")
    case .refused(let store, let explanation):
      Finding(
        store.map { "store \($0)" } ?? "a member", "refused: \(explanation)",
        "Where it speaks of versions, update the older program; where of keys, see starling keys list.")
    case .diverged(let document, let store): .diverged("'\(document)'", "\(observer) and store \(store)")
    case .settled:
      Finding(
        "replication", "\(self).",
        "See the log of the daemons: they name the key that wrote it, and let it in no more.")
    case .farFutureStamp: Finding("a clock", "\(self).", "Set that machine's clock by NTP.")
    case .logFailed, .logDamaged, .quarantined, .historyUnreadable, .checkpointUnreadable, .storeContested, .disowned,
      .stranded, .rolledBack:
      Finding("replication", "\(self).", "See the log of that process.")
    // Nobody dials a command, and a daemon keeps an audit log of those that dialled.
    case .access, .joined, .left, .daemon, .renamed, .writtenAgain, .oneWayLink, .logRecovered, .forgotten: nil
    }
  }
}
