import Observation
import Starling

@Replicated final class Book: Sendable {
  var title = ""
  var copies = 0
}

/// The same with the standard library's macro. Benchmarks use it from one thread only.
@Observable
final class PlainBook: @unchecked Sendable {
  var title = ""
  var copies = 0
}

@Replicated final class Measurements: Sendable {
  var values: [Int] = []
}

/// A replica that nobody else hears, with a model in it.
struct Alone<Model: ReplicatedModel & Sendable> {
  let replica: Replica
  let model: Model

  init(_ type: Model.Type) async throws {
    var options = Replica.Options()
    options.joinsThisMachine = false
    replica = try await Replica.open("benchmarks", options: options)
    model = try replica.model(type, named: "model", isolation: nil)
  }

  func close() async throws { try await replica.close() }
}
