import Starling
import StarlingEngine

/// How often one writer has written to one document.
@Replicated final class Tally: Sendable {
  var count = 0
}

/// The documents of a program, and what each writer has written to each of them.
struct Tallies: Sendable {
  let replica: Replica
  let documents: [DocumentID]
  /// One of each writer, by document.
  private let tallies: [[Tally]]

  init(of replica: Replica, in documents: [DocumentID], writerCount: Int) async throws {
    self.replica = replica
    self.documents = documents
    var tallies: [[Tally]] = []
    for document in documents {
      let space = ModelSpace(try await replica.engine.open(document))
      tallies.append(
        try (0..<writerCount).map { try space.model(Tally.self, named: "writer-\($0)", isolation: nil) })
    }
    self.tallies = tallies
  }

  /// Returns once every document is here as far as those have it who are reached.
  func synchronize() async {
    for document in documents { await replica.engine.synchronize(document, timeout: .seconds(20)) }
  }

  var all: [Tally] { tallies.flatMap { $0 } }

  func of(writer: Int) -> [Tally] { tallies.map { $0[writer] } }
}
