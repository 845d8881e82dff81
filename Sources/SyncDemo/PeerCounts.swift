/// What a peer counts, in each of its processes from zero: a peer that was killed goes on in the next one.
protocol PeerCounts {
  var edits: Int { get set }
  var acknowledgedEdits: Int { get set }
  var wakesSeen: Int { get set }
  var wakesExpected: Int { get set }
  var conflictsSeen: Int { get set }
}

extension PeerCounts {
  /// The same, with what earlier processes of the same peer did added to its counts.
  func counting(_ past: [Standing]) -> Self {
    var total = self
    for earlier in past {
      total.edits += earlier.edits
      total.acknowledgedEdits += earlier.acknowledgedEdits
      total.wakesSeen += earlier.wakesSeen
      total.wakesExpected += earlier.wakesExpected
      total.conflictsSeen += earlier.conflictsSeen
    }
    return total
  }
}
