import Foundation
import StarlingGuard

/// Where incidents of this process's models are told.
public enum ModelDiagnostics {
  private struct State {
    var handler: @Sendable (ModelIncident) -> Void
  }

  private static let state = Guarded(
    State { incident in FileHandle.standardError.write(Data("Starling: \(incident)\n".utf8)) })

  /// Called with each incident, on the thread on which it happens. At first it writes a line to standard error.
  public static var handler: @Sendable (ModelIncident) -> Void {
    get { state.withLock { $0.handler } }
    set { state.withLock { $0.handler = newValue } }
  }
}
