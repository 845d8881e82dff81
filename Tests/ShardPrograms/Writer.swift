import Starling
import StarlingEngine

/// Writes to the documents in turn, each write a change of its own.
struct Writer: Sendable {
  let tallies: Tallies
  let number: Int

  /// So many writes of one program may be on their way before others have acknowledged those before them.
  private static let windowCount = 100_000

  /// Returns once another member has acknowledged all.
  func write(_ count: Int) async throws {
    let own = tallies.of(writer: number)
    var former: Task<Void, any Error>?
    var written = 0
    while written < count {
      let part = min(Self.windowCount, count - written)
      for place in written..<written + part { own[place % own.count].count += 1 }
      written += part
      try await former?.value
      former = Task { try await waitUntilAcknowledged() }
    }
    try await former?.value
  }

  private func waitUntilAcknowledged() async throws {
    for document in tallies.documents {
      try await tallies.replica.engine.flush(document, until: .received(1), timeout: .seconds(120))
    }
  }
}
