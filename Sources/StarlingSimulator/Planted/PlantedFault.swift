import StarlingCore
import StarlingEngine
import StarlingWire

/// A fault of the program itself, put between an engine and its ports: there to show that a
/// simulation finds such a fault.
package enum PlantedFault: String, CaseIterable, Sendable {
  // Of the link
  /// The link takes a frame whose sequence number is ahead for the next one, so that no gap is noticed.
  case hidesGaps
  /// Nobody answers who asks for what it lacks.
  case ignoresWants
  /// Nobody hears where the others stand.
  case ignoresHaves
  /// Answers in changes are lost every time.
  case losesAnswers
  /// Answers in states are lost every time.
  case losesStates

  // Of the log
  /// The log returns from an append before the disk has it.
  case returnsTooEarly
  /// One append in ten returns and has written nothing: a flush of the disk that was left out.
  case skipsAppends
  /// Of a group of records the last is not written.
  case losesEndsOfGroups
  /// What is read at the start lacks the last record.
  case recoversTooLittle
  /// The log hands out the same replica id to every process, those after a crash too.
  case reusesReplicaID
  /// What a peer lacks is read without the first record.
  case answersTooLittle
  /// A state takes the place of records that it does not cover.
  case compactsTooMuch

  func plant(in link: any PeerLink) -> any PeerLink {
    switch self {
    case .hidesGaps:
      let gaps = HiddenGaps()
      return AlteredLink(link, arriving: { gaps.hide(in: $0) })
    case .ignoresWants:
      return AlteredLink(link, arriving: { $0.isDirect { if case .want = $0 { true } else { false } } ? nil : $0 })
    case .ignoresHaves:
      return AlteredLink(link, arriving: { $0.isDirect { if case .have = $0 { true } else { false } } ? nil : $0 })
    case .losesAnswers:
      return AlteredLink(link, arriving: { $0.isDirect { if case .changes = $0 { true } else { false } } ? nil : $0 })
    case .losesStates:
      return AlteredLink(link, arriving: { $0.isDirect { if case .snapshot = $0 { true } else { false } } ? nil : $0 })
    case .returnsTooEarly, .skipsAppends, .losesEndsOfGroups, .recoversTooLittle, .reusesReplicaID, .answersTooLittle,
      .compactsTooMuch:
      return link
    }
  }

  func plant(in log: any ChangeLog) -> any ChangeLog {
    switch self {
    case .hidesGaps, .ignoresWants, .ignoresHaves, .losesAnswers, .losesStates: log
    case .returnsTooEarly, .skipsAppends, .losesEndsOfGroups, .recoversTooLittle, .reusesReplicaID, .answersTooLittle,
      .compactsTooMuch:
      FaultyLog(log, self)
    }
  }
}

extension LinkEvent {
  /// Whether it is a message to this process alone, of a certain sort.
  fileprivate func isDirect(_ isSort: (Message) -> Bool) -> Bool {
    guard case .direct(_, let bytes) = self, let message = try? Message(decoding: bytes) else { return false }
    return isSort(message)
  }
}
