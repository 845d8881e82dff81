package import StarlingCore
package import StarlingWire

/// One cut of a document's state on its way to peers. All who ask at about the same time get the same, and one whose
/// connection broke goes on with it where it was cut off.
package struct StateCut: Sendable {
  package let bytes: [UInt8]
  package let checksum: UInt64
  package let version: VersionVector
  /// How many states it holds that were merged here.
  package let statesMerged: Int
  let madeAt: Duration

  private static let partByteCount = 1 << 18

  package init(bytes: [UInt8], version: VersionVector, statesMerged: Int, madeAt: Duration) {
    self.bytes = bytes
    checksum = bytes.checksum
    self.version = version
    self.statesMerged = statesMerged
    self.madeAt = madeAt
  }

  /// Where its parts begin, from where the asker got to with it.
  func firstOffset(answering want: Message.Want) -> Int {
    guard let begun = want.begun, begun.checksum == checksum, begun.byteCount < UInt64(bytes.count) else { return 0 }
    return Int(begun.byteCount)
  }

  func part(at offset: Int, answering want: Message.Want) -> Message.SnapshotPart {
    Message.SnapshotPart(
      document: want.document, request: want.request, checksum: checksum, offset: UInt64(offset),
      byteCount: UInt64(bytes.count), bytes: Array(bytes[offset..<min(offset + Self.partByteCount, bytes.count)]))
  }
}

/// The states of one document that peers are sent: which of them serves an asker, and for how long one is kept.
/// Performs nothing.
///
/// ```
///   want ──► kept, young or begun? ──► being written down? ──► a new one
/// ```
package struct StateCuts: Sendable {
  package enum Choice: Sendable {
    case kept(StateCut)
    /// The one that is being written down serves.
    case underWay
    /// A new one is to be cut (`begin`, `made`).
    case new
  }

  private struct Making {
    let number: Int
    let statesMerged: Int
  }

  private var kept: StateCut?
  /// When a part of that was last sent.
  private var usedAt = Duration.zero
  /// The latest that is being written down.
  private var making: Making?
  private var begunCount = 0

  /// For so long others are handed it too, and for so long it is kept for those who come back.
  private static let sharedFor = Duration.seconds(5)
  static let keptFor = Duration.seconds(30)

  package init() {}

  package var isEmpty: Bool { kept == nil }

  /// Which one an asker is sent.
  ///
  /// - Parameters:
  ///   - isNew: whether none will do that was made before.
  ///   - isLogLost: whether the log keeps nothing that would lead on from one that was made before.
  package func choice(
    for want: Message.Want, isNew: Bool, _ compaction: Compaction, isLogLost: Bool, now: Duration
  ) -> Choice {
    guard !isNew, !want.wantsState, !isLogLost else { return .new }
    if let kept, serves(kept, want, compaction, now: now) { return .kept(kept) }
    return making?.statesMerged == compaction.statesMerged ? .underWay : .new
  }

  /// Whether the log goes on from it, and the asker is one of those who get the same.
  private func serves(_ cut: StateCut, _ want: Message.Want, _ compaction: Compaction, now: Duration) -> Bool {
    cut.statesMerged == compaction.statesMerged && cut.version.covers(compaction.logStart)
      && (want.begun?.checksum == cut.checksum || now - cut.madeAt < Self.sharedFor)
  }

  /// The state was cut, and is being written down.
  ///
  /// - Returns: a number for it.
  package mutating func begin(statesMerged: Int) -> Int {
    begunCount += 1
    making = Making(number: begunCount, statesMerged: statesMerged)
    return begunCount
  }

  package mutating func made(_ cut: StateCut, as number: Int, now: Duration) {
    if making?.number == number { making = nil }
    kept = cut
    usedAt = now
  }

  /// A part of that one was sent.
  package mutating func noteUse(of checksum: UInt64?, now: Duration) {
    if checksum == kept?.checksum { usedAt = now }
  }

  /// Releases one that nobody is sent any more.
  package mutating func review(now: Duration) {
    if now - usedAt > Self.keptFor { kept = nil }
  }

  /// What it holds is given up here.
  package mutating func drop() { kept = nil }
}
