import StarlingGuard

/// What programs ask for that hosts here have no way to show.
///
/// It is accepted, so that a program of SwiftUI compiles as it is. In debug builds each is reported once a process, by
/// its name, to `ViewDiagnostics`. `Documentation/SwiftUI.md` lists them.
enum WithoutEffect {
  #if DEBUG
    private static let reported = Guarded<Set<String>>([])
  #endif

  static func report(_ name: StaticString) {
    #if DEBUG
      guard reported.withLock({ $0.insert("\(name)").inserted }) else { return }
      ViewDiagnostics.report(.withoutEffect, "\(name) is accepted and has no effect here.")
    #endif
  }
}

extension View {
  /// The view as it is, after saying that what was asked for has no effect.
  nonisolated func accepted(_ name: StaticString) -> Self {
    WithoutEffect.report(name)
    return self
  }
}
