import Foundation
import StarlingCore
package import StarlingEngine
package import StarlingGuard
package import StarlingModel
import Synchronization

/// Two replicas of one document, connected by hand.
package final class Pair: Sendable {
  /// Held by whoever carries changes, where several threads would.
  package let link = Guarded<Void>(())
  package let here = Replica(1)
  package let there = Replica(2)
  private let other = OtherProcess()

  package init() {}

  /// One replica: its document and the models over it.
  package final class Replica: Sendable {
    package let handle: DocumentHandle
    package let space: ModelSpace

    package init(_ number: UInt64, transactionTimeout: Duration = EngineConfiguration().transactionTimeout) {
      let clock = Atomic<UInt64>(1_700_000_000_000)
      handle = DocumentHandle(
        id: DocumentID("library")!, replica: ReplicaID(rawValue: number), transactionTimeout: transactionTimeout
      ) {
        clock.wrappingAdd(1, ordering: .relaxed).newValue
      }
      space = ModelSpace(handle)
    }
  }

  /// Carries what was written on either side to the other.
  package func exchange() {
    let (fromHere, fromThere) = (here.handle.takeOutbox(), there.handle.takeOutbox())
    other.hear(of: fromHere + fromThere)
    there.handle.merge(fromHere)
    here.handle.merge(fromThere)
  }

  /// The same model on both sides, opened on no isolation.
  package func models<Model: ReplicatedModel & Sendable>(
    _ type: Model.Type, named name: String = "front-desk"
  ) throws -> (Model, Model) {
    (
      try here.space.model(type, named: name, isolation: nil),
      try there.space.model(type, named: name, isolation: nil)
    )
  }

  /// Has `writer` write the model that the first of `models` shows. Returns when the write is visible here.
  package func write<Model: ReplicatedModel & Sendable>(
    _ models: (Model, Model), _ writer: Writer, named name: String = "front-desk", _ change: @escaping (Model) -> Void
  ) async throws {
    switch writer {
    case .here: change(models.0)
    case .anotherThread:
      // The thread is waited for: nothing else touches what the closure holds until then.
      nonisolated(unsafe) let change = change
      try await onThread { change(models.0) }
    case .anotherReplica:
      exchange()
      change(models.1)
      exchange()
    case .anotherProcess:
      exchange()
      let changes = try await other.write { change(try $0.space.model(Model.self, named: name, isolation: nil)) }
      there.handle.merge(changes)
      here.handle.merge(changes)
    }
  }
}

/// The side that writes: what holds of a write here holds of the others as well.
package enum Writer: Sendable, CustomStringConvertible {
  /// The replica that is looked at.
  case here
  /// The same, on a thread of its own.
  case anotherThread
  /// Another one, whose change is then carried over.
  case anotherReplica
  /// Another one in a process of its own.
  case anotherProcess

  package var description: String {
    switch self {
    case .here: "here"
    case .anotherThread: "on another thread"
    case .anotherReplica: "at another replica"
    case .anotherProcess: "in another process"
    }
  }

  /// All there are; in a process that was begun in order to write, that one.
  package static let all: [Writer] =
    OtherProcess.isHere ? [.anotherProcess] : [.here, .anotherThread, .anotherReplica] + OtherProcess.offered
}
