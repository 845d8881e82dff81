import StarlingGraph

/// Stands before writes through bindings: while a view is being evaluated, a write waits until it is over.
package enum WriteGate {
  /// The keeper that takes the writes that must wait; nil where views are not being evaluated.
  @TaskLocal package static var keeper: Keeper?

  /// Not the function itself: Swift 6.3 with optimization ends a program that binds a task-local value which is one.
  package struct Keeper: Sendable {
    package let keep: @Sendable (Waiting) -> Void

    package init(_ keep: @escaping @Sendable (Waiting) -> Void) { self.keep = keep }
  }

  /// A write on its way.
  package struct Waiting: @unchecked Sendable {
    // Sendable: it is performed by the keeper on the thread that brought it.
    package let perform: () -> Void
  }

  /// Performs `write` now, or when the evaluation that it is made in has ended.
  package static func pass(_ write: @escaping () -> Void) {
    guard isTracking, let keeper else { return write() }
    keeper.keep(Waiting(perform: write))
  }
}
