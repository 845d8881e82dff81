import Foundation
import Logging
import Measuring
import Observation
import Starling
import StarlingEngine

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

/// A replica that nobody is connected to, with a model in it.
struct Alone<Model: ReplicatedModel & Sendable> {
  let replica: Replica
  let model: Model

  init(_ type: Model.Type) async throws {
    var options = Replica.Options()
    options.joinsThisMachine = false
    options.logger.logLevel = .warning
    replica = try await Replica.open("benchmarks", options: options)
    model = try replica.model(type, named: "model", isolation: nil)
  }

  func close() async throws { try await replica.close() }
}

/// The same, connected to a daemon in another process, as most applications are.
struct Followed<Model: ReplicatedModel & Sendable> {
  let replica: Replica
  let model: Model
  private let daemon: Child

  /// Returns once the daemon hears what is written.
  ///
  /// - Parameter write: makes a change.
  init(_ type: Model.Type, _ write: (Model) -> Void) async throws {
    let alone = try await Alone(type)
    (replica, model) = (alone.replica, alone.model)
    daemon = try LinkPeer.startRelay(of: "benchmarks", at: Transport.ipc.endpoint)
    guard let endpoint = try daemon.line(within: .seconds(20)) else { throw Child.Silence() }
    try await replica.engine.connect(to: endpoint)
    write(model)
    try await replica.flush(until: .received(1))
  }

  func close() async throws {
    try await replica.close()
    daemon.end()
  }
}

@Replicated final class Paper: Sendable {
  var body = ReplicatedText()
}

@Replicated final class Shelf: Sendable {
  var entries: ReplicatedDictionary<String, String> = [:]
}

/// A replica in a directory of its own, that nobody else on this machine hears; opened again and again.
struct Store {
  let path = Scratch.path("store")
  /// Where it keeps its log, in place of a file there.
  var configure: @Sendable (inout Replica.Options) -> Void = { _ in }

  func open() async throws -> Replica {
    var options = Replica.Options()
    options.joinsThisMachine = false
    options.logger.logLevel = .warning
    configure(&options)
    return try await Replica.open("benchmarks", in: path, options: options)
  }

  /// What was written in `body` is on disk, and the replica closed.
  func write(_ body: (Replica) async throws -> Void) async throws {
    let replica = try await open()
    try await body(replica)
    try await replica.flush(until: .durable)
    try await replica.close()
  }

  /// Writes so many entries of a shelf, a thousand in a transaction: for each number, what `entry` says.
  func fillShelf(_ count: Int, _ entry: (Int) -> (key: String, value: String)) async throws {
    try await write { replica in
      let shelf = try replica.model(Shelf.self, named: "model", isolation: nil)
      for start in stride(from: 0, to: count, by: 1000) {
        withTransaction {
          for number in start..<min(start + 1000, count) {
            let (key, value) = entry(number)
            shelf.entries[key] = value
          }
        }
        try await replica.waitForCapacity()
      }
    }
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }
}
