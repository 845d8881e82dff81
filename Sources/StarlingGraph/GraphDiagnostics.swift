public import CThread
import StarlingGuard

/// Something that the graph had to cut short, in words for its author.
public enum GraphDiagnostic: Sendable, Hashable, CustomStringConvertible {
  /// An observer kept changing what it reads, alone or with others. `writes` are the properties that it wrote in
  /// its last runs, as far as they have names.
  case cycle(observer: String, runs: Int, writes: [String])
  /// A derived value asked for itself.
  case readsItself(derived: String)

  public var description: String {
    switch self {
    case .cycle(let observer, let runs, let writes):
      "The observer at \(observer) ran \(runs) times in one flush and was cut off: "
        + "it writes what it reads, or what makes another observer write it"
        + (writes.isEmpty ? "" : " (\(writes.joined(separator: ", ")))") + ". It runs again after the next write."
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

  /// Takes the diagnostics of one task in place of the handler, for tests that run beside others.
  @TaskLocal package static var collector: Collector?

  /// Not the function itself: Swift 6.3 with optimization ends a program that binds a task-local value which is one.
  package struct Collector: Sendable {
    let collect: @Sendable (GraphDiagnostic) -> Void

    package init(_ collect: @escaping @Sendable (GraphDiagnostic) -> Void) { self.collect = collect }
  }

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

  /// Whether observers run on this thread, one of which may write what it reads.
  @inlinable public static var isFlushing: Bool { starling_this_thread().pointee.wave != 0 }

  /// Notes the name of what is about to be written, if that is in an observer that will soon be cut off.
  package static func noteWrite(_ name: () -> String) {
    let thread = thisThread()
    guard thread.pointee.wave != 0, let reader = thread.reader, !reader.isDerived else { return }
    guard reader.own.pointee.runsInWave >= runsInFlushMax - 2 else { return }
    let name = name()
    if !reader.own.pointee.writes.contains(name) { reader.own.pointee.writes.append(name) }
  }

  static func report(_ diagnostic: GraphDiagnostic) {
    if let handler = collector?.collect ?? handler { return handler(diagnostic) }
    let isNew = state.withLock { $0.printed.insert(diagnostic).inserted }
    if isNew { starling_complain("Starling: \(diagnostic)") }
  }
}
