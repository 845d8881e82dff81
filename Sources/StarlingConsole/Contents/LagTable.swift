import StarlingCore

/// How far members are behind this replica, in seconds: the age of the oldest operation here that a member has not told
/// of. Members tell where they stand once a second.
struct LagTable: Sendable {
  private struct Sample {
    var milliseconds: UInt64
    var operationCount: UInt64
  }

  /// The count of each document's operations, when it last grew, the oldest first.
  private var samples: [DocumentID: [Sample]] = [:]

  private static let sampleCountMax = 120

  /// Notes where this replica stands.
  mutating func note(_ counts: [DocumentID: UInt64], at milliseconds: UInt64) {
    samples = samples.filter { counts[$0.key] != nil }
    for (document, count) in counts {
      var kept = samples[document] ?? []
      if let last = kept.last, last.operationCount == count { continue }
      kept.append(Sample(milliseconds: milliseconds, operationCount: count))
      // The first stays: it is as far back as anything is known.
      if kept.count > Self.sampleCountMax { kept.remove(at: 1) }
      samples[document] = kept
    }
  }

  /// How many operations a member lacks of what is here.
  func lacking(_ document: DocumentID, operationCount: UInt64) -> UInt64 {
    guard let present = samples[document]?.last?.operationCount, present > operationCount else { return 0 }
    return present - operationCount
  }

  /// For how long it has lacked the oldest of them, in milliseconds.
  func lag(_ document: DocumentID, operationCount: UInt64, at milliseconds: UInt64) -> UInt64 {
    guard let first = samples[document]?.first(where: { $0.operationCount > operationCount }) else { return 0 }
    return milliseconds > first.milliseconds ? milliseconds - first.milliseconds : 0
  }
}
