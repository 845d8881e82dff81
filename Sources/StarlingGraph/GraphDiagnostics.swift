import CThread
import StarlingGuard

/// Something that the graph had to cut short, in words for who wrote it.
public enum GraphDiagnostic: Sendable, Hashable, CustomStringConvertible {
  /// An observer kept changing what it reads, alone or with others.
  case cycle(observer: String, runs: Int)
  /// A derived value asked for itself.
  case readsItself(derived: String)

  public var description: String {
    switch self {
    case .cycle(let observer, let runs):
      "The observer at \(observer) ran \(runs) times in one flush and was cut off: "
        + "it writes what it reads, or what makes another observer write it. It runs again after the next write."
    case .readsItself(let derived):
      "The derived value at \(derived) reads itself; it was given its last value."
    }
  }
}

/// Where diagnostics go.
public enum GraphDiagnostics {
  private struct State {
    var handler: (@Sendable (GraphDiagnostic) -> Void)?
    var printed: Set<GraphDiagnostic> = []
  }

  private static let state = Guarded(State())

  /// Called with each diagnostic, on the thread where it arose and with no lock held. Nil, as at first: each is
  /// printed once to standard error.
  public static var handler: (@Sendable (GraphDiagnostic) -> Void)? {
    get { state.withLock { $0.handler } }
    set {
      // What is replaced is released after unlocking.
      var handler = newValue
      state.withLock { swap(&$0.handler, &handler) }
      withExtendedLifetime(handler) {}
    }
  }

  static func report(_ diagnostic: GraphDiagnostic) {
    if let handler { return handler(diagnostic) }
    let isNew = state.withLock { $0.printed.insert(diagnostic).inserted }
    if isNew { starling_complain("Starling: \(diagnostic)") }
  }
}
