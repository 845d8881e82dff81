/// A derived value's place in the graph: a reader of what it is computed from, a source to those who read it.
///
/// It outlives its handle while somebody asks it whether it changed.
class DerivedNode {
  let name: String
  fileprivate let reader: ReaderPointer
  /// Its handle is gone: nobody reads it any more. Guarded by the junction's lock.
  fileprivate var isOrphan = false

  init(name: String) {
    self.name = name
    reader = .make(nil, state: .stale)
  }

  deinit {
    reader.dispose()
  }

  /// Leaves the readers behind. Called once, when the handle goes.
  func orphan() {
    junction.lockSelf()
    isOrphan = true
    guard let source = reader.pointee.source else { return junction.unlock() }
    reader.pointee.source = nil
    source.end(under: junction)
  }

  /// Computes the value again if that is due.
  ///
  /// - Returns: False where it stays in doubt: another thread computes it, or a write came in between.
  func isBroughtUpToDate(on thread: ThisThread) -> Bool {
    preconditionFailure("A derived value knows its type.")
  }

  /// Notes that `outer` read the value that stands now. Under the junction's lock.
  fileprivate final func note(_ outer: ReaderPointer, on thread: ThisThread) {
    if isOrphan { return }
    let source = reader.pointee.source ?? .make(in: junction, owner: .derived(.passUnretained(self)))
    reader.pointee.source = source
    source.note(outer)
    // A write that came while it was computed told the readers of that moment, not this one.
    guard !reader.derivedState.isDisjoint(with: [.stale, .doubtful]) else { return }
    if outer.isDerived {
      outer.markDerived(.doubtful, through: nil, on: thread)
    } else {
      outer.move { $0.isDisjoint(with: [.cancelled, .stale, .doubtful]) ? $0.union(.doubtful) : nil }
    }
  }
}

/// The part of a derived value that knows its type. Everything that changes in it is guarded by the junction's
/// lock; the computation and `isEqual` run with no lock held.
final class DerivedValue<Value>: DerivedNode {
  private let isEqual: ((Value, Value) -> Bool)?
  /// Nil until the first read gives it; returns nil once the owner is gone.
  private var compute: (() -> Value?)?
  private var value: Value?
  private var computingThread: ThisThread?

  init(name: String, isEqual: ((Value, Value) -> Bool)?, compute: (() -> Value?)?) {
    self.isEqual = isEqual
    self.compute = compute
    super.init(name: name)
  }

  /// Gives the computation, unless there is one.
  func provide(_ computation: @escaping () -> Value?) {
    junction.lockSelf()
    if compute == nil { compute = computation }
    junction.unlock()
  }

  /// The value, if it stands, noted for the current reader.
  func freshValue(on thread: ThisThread) -> Value? {
    junction.lockSelf()
    defer { junction.unlock() }
    guard isFresh, let value else { return nil }
    if let outer = thread.reader { note(outer, on: thread) }
    return value
  }

  /// The value, brought up to date and noted for the current reader.
  func read(on thread: ThisThread) -> Value {
    if let value = freshValue(on: thread) { return value }
    junction.lockSelf()
    if reader.derivedState.contains(.running) { return readWhileComputing(on: thread) }
    guard let value = update(on: thread, for: thread.reader) else {
      preconditionFailure("The owner of a derived value lives while the value is read.")
    }
    return value
  }

  override func isBroughtUpToDate(on thread: ThisThread) -> Bool {
    junction.lockSelf()
    if isFresh || reader.derivedState.contains(.running) {
      defer { junction.unlock() }
      return isFresh
    }
    _ = update(on: thread, for: nil)
    junction.lockSelf()
    defer { junction.unlock() }
    return isFresh
  }

  private var isFresh: Bool { reader.derivedState.isDisjoint(with: [.stale, .doubtful, .running]) }

  /// Computes the value if it is due, and hands it out. Locked before, unlocked after.
  ///
  /// - Returns: Nil if its owner is gone.
  private func update(on thread: ThisThread, for outer: ReaderPointer?) -> Value? {
    let reason = reader.derivedState
    reader.derivedState = .running
    computingThread = thread
    let old = value
    let compute = compute
    junction.unlock()

    var result = old
    var isChanged = false
    if old == nil || reason.contains(.stale) || thread.reading(for: nil, { reader.isOutOfDate(on: thread) }),
      let new = compute.flatMap({ compute in reader.run(on: thread) { compute() } })
    {
      isChanged = old.map { old in thread.reading(for: nil) { !(isEqual?(old, new) ?? false) } } ?? true
      if isChanged { result = new }
    }

    // What is stored is swapped, so that the old value is released after unlocking.
    var stored = result
    junction.lockSelf()
    if isChanged {
      swap(&value, &stored)
      reader.pointee.source?.pointee.version += 1
    }
    reader.derivedState = reader.derivedState.subtracting(.running)
    computingThread = nil
    if let outer { note(outer, on: thread) }
    junction.unlock()
    return result
  }

  /// The value while it is being computed. Locked before, unlocked after.
  private func readWhileComputing(on thread: ThisThread) -> Value {
    let last = value
    let compute = compute
    let isOwn = computingThread == thread
    junction.unlock()
    guard isOwn else {
      // Another thread computes it: waiting could deadlock, so this one computes for itself, and the current
      // reader reads what the value is computed from.
      guard let result = compute?() else {
        preconditionFailure("The owner of a derived value lives while the value is read.")
      }
      return result
    }
    GraphDiagnostics.report(.readsItself(derived: name))
    guard let last else { preconditionFailure("The derived value at \(name) reads itself before it has a value.") }
    return last
  }
}
