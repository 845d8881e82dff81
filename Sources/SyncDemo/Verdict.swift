import Foundation

/// What the run has shown, and whether it is what was promised.
struct Verdict: Encodable {
  struct Peer: Encodable {
    var name: String
    var digest: String
    var edits: Int
    var acknowledgedEdits: Int
    var wakesSeen: Int
    var wakesExpected: Int
    var conflictsSeen: Int
    /// Of the last process: one that is killed says nothing of its frames.
    var framesPublished: Int
    var framesReceived: Int
    var pulls: Int
  }

  var converged: Bool
  var edits: Int
  var acknowledgedEdits: Int
  var acknowledgedLost: Int
  var wakesExpected: Int
  var wakesSeen: Int
  var conflictsSeen: Int
  var seconds: Double
  var seed: UInt64
  /// What each peer was asked for.
  var editsEach: Int
  var peers: [Peer]

  /// Whether the command may say that it succeeded.
  var isGood: Bool { converged && acknowledgedLost == 0 && wakesExpected == wakesSeen }

  /// - Parameters:
  ///   - standings: for each peer its last standing, and those of its processes that were killed.
  init(
    standings: [(name: String, last: Standing, past: [Standing])], converged: Bool, seconds: Double, seed: UInt64,
    editsEach: Int
  ) {
    self.converged = converged
    self.seconds = seconds
    self.seed = seed
    self.editsEach = editsEach
    let all = standings.flatMap { [$0.last] + $0.past }
    edits = all.map(\.edits).reduce(0, +)
    acknowledgedEdits = all.map(\.acknowledgedEdits).reduce(0, +)
    wakesExpected = all.map(\.wakesExpected).reduce(0, +)
    wakesSeen = all.map(\.wakesSeen).reduce(0, +)
    conflictsSeen = all.map(\.conflictsSeen).reduce(0, +)
    acknowledgedLost = standings.map { Self.lost(of: all, at: $0.last) }.max() ?? 0
    peers = standings.map { name, last, past in
      let total = last.counting(past)
      return Peer(
        name: name, digest: last.digest, edits: total.edits, acknowledgedEdits: total.acknowledgedEdits,
        wakesSeen: total.wakesSeen, wakesExpected: total.wakesExpected, conflictsSeen: total.conflictsSeen,
        framesPublished: last.framesPublished, framesReceived: last.framesReceived, pulls: last.pulls)
    }
  }

  /// Acknowledged operations that `peer` does not cover, and receipts that it does not hold: two
  /// independent witnesses of the same promise.
  private static func lost(of writers: [Standing], at peer: Standing) -> Int {
    let held = Set(peer.receipts)
    return writers.reduce(0) { sum, writer in
      let covered = peer.version[writer.replica] ?? 0
      let uncovered = writer.acknowledgedCounter > covered ? Int(writer.acknowledgedCounter - covered) : 0
      return sum + uncovered + writer.acknowledgedReceipts.count { !held.contains($0) }
    }
  }

  /// One line of JSON.
  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}

extension Verdict {
  /// The verdict for a person.
  var story: String {
    var lines = ["", "Verdict"]
    let width = peers.map(\.name.count).max() ?? 0
    for peer in peers {
      let name = peer.name + String(repeating: " ", count: width - peer.name.count)
      lines.append(
        "  \(name)  \(peer.digest.prefix(16))  \(peer.acknowledgedEdits) edits acknowledged, "
          + "observers ran \(peer.wakesSeen) of \(peer.wakesExpected)")
    }
    lines.append("  " + (converged ? "All peers are equal." : "THE PEERS DIFFER."))
    lines.append(
      "  "
        + (acknowledgedLost == 0 ? "No acknowledged edit is lost." : "\(acknowledgedLost) ACKNOWLEDGED EDITS ARE LOST.")
    )
    lines.append(
      "  "
        + (wakesExpected == wakesSeen
          ? "Every observer ran exactly as often as what it reads changed."
          : "OBSERVERS RAN \(wakesSeen) TIMES, \(wakesExpected) WERE EXPECTED."))
    let rate = Int(Double(edits) / max(seconds, 0.001))
    let time = String(format: "%.1f", seconds)
    lines.append("  \(edits) edits in \(time) s (\(rate) a second), \(conflictsSeen) conflicts seen, seed \(seed).")
    lines.append("  Again with: make demo ARGS=\"--peers \(peers.count) --edits \(editsEach) --seed \(seed)\"")
    return lines.joined(separator: "\n")
  }
}
