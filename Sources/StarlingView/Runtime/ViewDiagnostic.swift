import Foundation
import StarlingGuard

/// Something that is likely a mistake in how views are put together. Views go on without it.
public struct ViewDiagnostic: Sendable, Hashable, CustomStringConvertible {
  /// What is likely a mistake.
  public enum Kind: Sendable, Hashable {
    /// A state was handed another value than the one it holds, which it keeps.
    case stateKeepsFirstValue
    /// A state was used outside a view that a host shows.
    case stateNotInstalled
    /// A binding or a state was written while a view was being evaluated.
    case writeDuringUpdate
    /// An observed object was made again by the view that observes it.
    case observedObjectRecreated
    /// Several elements of a `ForEach` have one id.
    case duplicateID
    /// Several views wait for the focus under one value.
    case ambiguousFocus
    /// Views kept writing what they read.
    case cycle
    /// A value is larger than what the store of a scene is for.
    case largeSceneValue
    /// A value could not be read from or written to a store.
    case unreadableValue
    /// A link leads to a value for which no view is declared.
    case missingDestination
    /// Something is accepted and has no effect in the hosts here. Reported in debug builds.
    case withoutEffect
  }

  /// What is likely a mistake, for a program to switch on.
  public var kind: Kind
  /// What was found and what to do, for people.
  public var message: String

  public var description: String { message }
}

/// What a tree had to say, each once. From any thread.
final class DiagnosticLog: Sendable {
  private let diagnostics = Guarded<[ViewDiagnostic]>([])
  private let onNew: (@Sendable (ViewDiagnostic) -> Void)?

  init(_ onNew: (@Sendable (ViewDiagnostic) -> Void)?) {
    self.onNew = onNew
  }

  var all: [ViewDiagnostic] { diagnostics.withLock { $0 } }

  func add(_ diagnostic: ViewDiagnostic) {
    let isNew = diagnostics.withLock { diagnostics in
      if diagnostics.contains(diagnostic) { return false }
      diagnostics.append(diagnostic)
      return true
    }
    if isNew { onNew?(diagnostic) }
  }
}

/// Where diagnostics go that no host is there for.
public enum ViewDiagnostics {
  private struct State {
    var handler: (@Sendable (ViewDiagnostic) -> Void)?
    var printed: Set<ViewDiagnostic> = []
    /// What is printed when the terminal is free again; nil: it is.
    var held: [ViewDiagnostic]?
  }

  private static let state = Guarded(State())

  /// Called with each diagnostic, on the thread where it arose. Nil, as at first: each is printed once to standard
  /// error.
  public static var handler: (@Sendable (ViewDiagnostic) -> Void)? {
    get { state.withLock { $0.handler } }
    set {
      // What is replaced is released after unlocking.
      var handler = newValue
      state.withLock { swap(&$0.handler, &handler) }
      withExtendedLifetime(handler) {}
    }
  }

  package static func report(_ kind: ViewDiagnostic.Kind, _ message: String) {
    let diagnostic = ViewDiagnostic(kind: kind, message: message)
    if let handler { return handler(diagnostic) }
    let isDue = state.withLock { state in
      guard state.printed.insert(diagnostic).inserted else { return false }
      state.held?.append(diagnostic)
      return state.held == nil
    }
    if isDue { print(diagnostic) }
  }

  /// Keeps what is to be printed until `release`: views are drawn where it would stand.
  static func hold() {
    state.withLock { $0.held = $0.held ?? [] }
  }

  /// Prints what was kept.
  static func release() {
    let held = state.withLock { state in
      defer { state.held = nil }
      return state.held ?? []
    }
    for diagnostic in held { print(diagnostic) }
  }

  private static func print(_ diagnostic: ViewDiagnostic) {
    FileHandle.standardError.write(Data("Starling: \(diagnostic)\n".utf8))
  }
}
