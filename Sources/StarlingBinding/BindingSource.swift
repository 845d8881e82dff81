import StarlingGraph
import StarlingGuard
import StarlingModel

/// What stands behind a binding: how its value is read and written, and where.
///
///     binding, used at home      read ───────────────▶ value, remembered      write ──────▶ value
///     binding, used elsewhere    report ─▶ last value read at home            report ─▶ a job at home writes
///
/// Parts of a binding's value call `read` and `write` of the whole's source, having come home already.
struct BindingSource<Value> {
  /// Nil: it may be used from anywhere.
  let isolation: (any Actor)?
  /// Called at home.
  let read: () -> Value
  /// Called at home; where writing is another actor's, it goes there.
  let write: (Value) -> Void
  /// Where `writeThere` is called.
  private let writeIsolation: (any Actor)?
  private let writeThere: (Value) -> Void
  /// What was read at home last, for those who read from elsewhere.
  private let memory: LastValue<Value>?

  init(isolation: (any Actor)? = nil, read: @escaping () -> Value, write: @escaping (Value) -> Void) {
    self.init(isolation: isolation, writeIsolation: isolation, read: read, write: write)
  }

  /// - Parameter writeIsolation: Where `write` is called.
  init(
    isolation: (any Actor)?, writeIsolation: (any Actor)?, read: @escaping () -> Value,
    write: @escaping (Value) -> Void
  ) {
    self.isolation = isolation
    self.read = read
    self.writeIsolation = writeIsolation
    writeThere = write
    self.write = isolation === writeIsolation ? write : { Self.send($0, to: writeIsolation, write) }
    memory = isolation == nil ? nil : LastValue()
  }

  /// Writes here where that may be, and else in a job.
  private static func send(_ value: Value, to isolation: (any Actor)?, _ write: @escaping (Value) -> Void) {
    guard let isolation, !isolation.isCurrent else { return write(value) }
    let deferredWrite = DeferredWrite(value: value, transaction: Transaction.current, write: write)
    Task { await deferredWrite.run(on: isolation) }
  }

  /// Notes for the reader at hand whether there is a value, and not which.
  func notePresence<Wrapped>() where Value == Wrapped? {
    if let isolation, !isolation.isCurrent { return }
    guard isTracking else {
      _ = read()
      return
    }
    let isThere = Derived { [read] in read() != nil }
    keepForReader(isThere)
    _ = isThere.read()
  }

  /// - Parameter location: names the source where it is used elsewhere.
  func value(at location: BindingLocation?) -> Value {
    guard let isolation, let memory else { return read() }
    if isolation.isCurrent { return memory.remember(read()) }
    let property = location?.property
    ModelIncident.report(.bindingElsewhere(property: property, type: "\(Value.self)", isWrite: false))
    if let value = memory.value { return value }
    preconditionFailure(
      "A Binding<\(Value.self)>\(property.map { " to \($0)" } ?? "") is read off its actor, and was never read on it: "
        + "there is no value that could be shown without a race")
  }

  func set(_ value: Value, at location: BindingLocation?) {
    if let writeIsolation, !writeIsolation.isCurrent, isolation.map({ !$0.isCurrent }) ?? true {
      ModelIncident.report(
        .bindingElsewhere(property: location?.property, type: "\(Value.self)", isWrite: true))
    }
    Self.send(value, to: writeIsolation, writeThere)
  }

  /// A write on its way home.
  private struct DeferredWrite: @unchecked Sendable {
    // Sendable: a binding is only where it is not at home if its value is `Sendable`, and `write` is called at home.
    let value: Value
    /// Of the caller.
    let transaction: Transaction
    let write: (Value) -> Void

    func run(on isolation: isolated any Actor) {
      withTransaction(transaction) { write(value) }
    }
  }
}

/// The last value that was there, for readers who come after it has gone.
final class LastValue<Value>: @unchecked Sendable {
  // Sendable: `last` is guarded by `lock`; bindings cross isolations only if their values may.
  private let lock = Guard()
  private var last: Value?

  init(_ value: Value? = nil) {
    last = value
  }

  var value: Value? { lock.withLock { last } }

  /// What is displaced goes after unlocking.
  func remember(_ value: Value) -> Value {
    var displaced: Value? = value
    lock.withLock { swap(&last, &displaced) }
    withExtendedLifetime(displaced) {}
    return value
  }

  /// The value given or, if that is nil, the last one.
  func remember(_ value: Value?) -> Value {
    if let value { return remember(value) }
    guard let value = self.value else { preconditionFailure("A binding to what may be gone begins with a value.") }
    return value
  }
}
