import Foundation
import StarlingCore
import StarlingEngine
import StarlingGraph
import StarlingGuard
import StarlingModel
import Synchronization
import Testing

/// Two replicas of one document, connected by hand.
final class Pair: Sendable {
  /// Held by whoever carries changes, where several threads would.
  let link = Guarded<Void>(())
  let here = Replica(1)
  let there = Replica(2)

  /// One replica: its document and the models over it.
  final class Replica: Sendable {
    let handle: DocumentHandle
    let space: ModelSpace

    init(_ number: UInt64) {
      let clock = Atomic<UInt64>(1_700_000_000_000)
      handle = DocumentHandle(id: DocumentID("library")!, replica: ReplicaID(rawValue: number)) {
        clock.wrappingAdd(1, ordering: .relaxed).newValue
      }
      space = ModelSpace(handle)
    }
  }

  /// Carries what was written on either side to the other.
  func exchange() {
    let (fromHere, fromThere) = (here.handle.takeOutbox(), there.handle.takeOutbox())
    there.handle.merge(fromHere)
    here.handle.merge(fromThere)
  }

  /// The same model on both sides, opened on no isolation.
  func models<Model: ReplicatedModel & Sendable>(_ type: Model.Type) throws -> (Model, Model) {
    (
      try here.space.model(type, named: "front-desk", isolation: nil),
      try there.space.model(type, named: "front-desk", isolation: nil)
    )
  }
}

/// Who makes a write that a test then looks at.
enum Writer: CaseIterable {
  /// The replica that is looked at.
  case here
  /// The same, on a thread of its own.
  case anotherThread
  /// Another one, whose change is then carried over.
  case elsewhere
}

extension Pair {
  /// Has `writer` write the model that the first of `models` shows.
  func write<Model>(_ models: (Model, Model), _ writer: Writer, _ body: @escaping (Model) -> Void) {
    switch writer {
    case .here: body(models.0)
    case .anotherThread:
      let done = DispatchSemaphore(value: 0)
      // The thread is waited for: nothing else touches what the closure and the model hold meanwhile.
      nonisolated(unsafe) let (model, body) = (models.0, body)
      Thread.detachNewThread {
        body(model)
        done.signal()
      }
      done.wait()
    case .elsewhere:
      exchange()
      body(models.1)
      exchange()
    }
  }
}

/// Lets other jobs of the actor run.
enum Turns {
  /// Until it is as the test expects, or so many have passed that it never will be.
  static func pass(isolation: isolated (any Actor)? = #isolation, until isDone: () -> Bool) async {
    for _ in 0..<100_000 where !isDone() { await Task.yield() }
  }
}

/// Counts the runs of an observer and keeps what it saw.
final class Watch<Content: Sendable>: Sendable {
  private let seen_ = Guarded<[Content]>([])
  private let observing = Guarded<Observing?>(nil)

  init(_ read: @escaping @Sendable () -> Content) {
    let observing = observe(isolation: nil) { [weak self] in
      let content = read()
      self?.seen_.withLock { $0.append(content) }
    }
    self.observing.withLock { $0 = observing }
  }

  var seen: [Content] { seen_.withLock { $0 } }
  var runs: Int { seen.count }
}

/// Whether values of the type may cross isolations: the compiler says which of the two is meant.
func isSendable<Value: ~Copyable>(_ type: Value.Type) -> Bool { false }
func isSendable<Value: ~Copyable & Sendable>(_ type: Value.Type) -> Bool { true }
