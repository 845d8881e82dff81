import StarlingGraph
import StarlingGuard
import StarlingModel
import StarlingModelTestSupport
import StarlingView
import Synchronization

/// A model here, and every way to write it.
@MainActor struct Desk<Model: ReplicatedModel & Sendable> {
  let pair = Pair()
  let model: Model
  private let twin: Model

  init(_ type: Model.Type) throws {
    (model, twin) = try pair.models(type)
  }

  /// Returns when the write is visible here.
  func write(by writer: Writer, _ change: @escaping (Model) -> Void) async throws {
    try await pair.write((model, twin), writer, change)
  }
}

/// Observes where the writes are made, also for a test on the main actor.
func observeAnywhere(_ body: @escaping @Sendable () -> Void) -> ObservationToken { observe(isolation: nil, body) }

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
  var messages: [String] { kept.all.map(\.message) }

  private final class Kept: Sendable {
    private let diagnostics = Guarded<[ViewDiagnostic]>([])
    var all: [ViewDiagnostic] { diagnostics.withLock { $0 } }
    func add(_ diagnostic: ViewDiagnostic) { diagnostics.withLock { $0.append(diagnostic) } }
  }
}
