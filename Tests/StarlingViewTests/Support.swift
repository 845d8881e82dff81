import StarlingCore
import StarlingEngine
import StarlingGuard
import StarlingModel
import StarlingView
import Synchronization

/// Two replicas of one document, connected by hand.
final class Pair: Sendable {
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

/// Who writes: what holds of a write on the main actor holds of the others as well.
enum Writer: CaseIterable, Sendable, CustomStringConvertible {
  case mainActor
  case anotherThread
  case anotherReplica

  var description: String {
    switch self {
    case .mainActor: "on the main actor"
    case .anotherThread: "on another thread"
    case .anotherReplica: "at another replica"
    }
  }
}

/// A model here, and every way to write it.
@MainActor struct Desk<Model: ReplicatedModel & Sendable> {
  let pair = Pair()
  let model: Model
  private let twin: Model

  init(_ type: Model.Type) throws {
    (model, twin) = try pair.models(type)
  }

  /// Returns when the write is visible here.
  func write(by writer: Writer, _ change: @escaping @Sendable (Model) -> Void) async {
    let (model, twin) = (model, twin)
    switch writer {
    case .mainActor: change(model)
    case .anotherThread: await Task.detached { change(model) }.value
    case .anotherReplica:
      pair.exchange()
      change(twin)
      pair.exchange()
    }
  }
}

/// Counts, across whatever makes and evaluates views.
final class Count: Sendable {
  private let number = Atomic(0)

  var value: Int { number.load(ordering: .relaxed) }

  @discardableResult func up() -> Int { number.add(1, ordering: .relaxed).newValue }
}

/// Notes what happened, in order.
@MainActor final class Diary {
  private(set) var entries: [String] = []

  func note(_ entry: String) {
    entries.append(entry)
  }
}

/// Collects the diagnostics that no host is there for, while it lives.
///
/// They are the process's: a test looks for what it caused itself.
final class Reports: Sendable {
  private let kept = Kept()

  init() {
    let kept = kept
    ViewDiagnostics.handler = { kept.add($0) }
  }

  var kinds: [ViewDiagnostic.Kind] { kept.all.map(\.kind) }

  private final class Kept: Sendable {
    private let diagnostics = Guarded<[ViewDiagnostic]>([])
    var all: [ViewDiagnostic] { diagnostics.withLock { $0 } }
    func add(_ diagnostic: ViewDiagnostic) { diagnostics.withLock { $0.append(diagnostic) } }
  }
}
