public import StarlingGraph
public import Synchronization

extension _Replicated {
  /// The storage of one property: a cell of the graph, declared `let` beside the property that reads it.
  ///
  /// ```
  ///   Book ── _$model ──► ModelState ── home ──► the lock that guards all its cells
  ///     ├──── _title  ──► Field ─┐
  ///     └──── _tags   ──► Field ─┴─ value and readers, guarded by that lock
  /// ```
  ///
  /// Why it is race-free: the storage is a `let` of a type that is `Sendable` exactly when its content
  /// is, so the compiler checks a nonisolated class as it checks any other; the content changes only
  /// inside the cell, under the home's lock, also where an initializer assigns.
  public struct Field<Content>: ~Copyable {
    @usableFromInline let cell: Cell<Content>

    /// Init accessors may reach a noncopyable `let` only by address; an atomic has one.
    @usableFromInline let address = Atomic<UInt8>(0)

    /// Stores a property's first value.
    @inlinable
    public init(_ content: Content) {
      cell = Cell(content)
    }

    /// An assignment in the model's own initializer, before any other code can see the object.
    @inlinable
    public borrowing func initialize(_ content: Content, _ model: ModelState) {
      cell.write(content, in: model.home)
    }
  }
}

extension Field: Sendable where Content: Sendable {}
