/// A value computed from others: computed when somebody asks, kept while nothing that it read has changed.
///
/// A write marks it and passes the doubt on to its readers; whoever asks next brings it up to date, and only if
/// the result differs do its readers run. Declared with `let` in a class, with the computation given by the
/// first read, or made with one.
///
/// The computation runs where the value is asked for, also by an observer that read it and must know whether it
/// changed: in that observer's isolation. Nothing of it, nor `isEqual`, runs under a lock.
public final class Derived<Value> {
  private let node: DerivedValue<Value>

  /// - Parameters:
  ///   - isEqual: Whether a result is the same as before; nil: never.
  ///   - compute: Reads cells and other derived values. It holds whoever it captures.
  public init(
    fileID: StaticString = #fileID, line: UInt = #line, isEqual: ((Value, Value) -> Bool)?,
    _ compute: @escaping () -> Value
  ) {
    node = DerivedValue(name: "\(fileID):\(line)", isEqual: isEqual, compute: compute)
  }

  /// To be read with `read(for:_:)`.
  ///
  /// - Parameter name: Names it in diagnostics.
  public init(named name: String, isEqual: ((Value, Value) -> Bool)?) {
    node = DerivedValue(name: name, isEqual: isEqual, compute: nil)
  }

  deinit {
    node.orphan()
  }

  /// The value, noted as read by the current observer. Computed first if something that it read has changed.
  public func read() -> Value {
    node.read(on: thisThread())
  }

  /// The same, for a value that `owner` keeps: the first read gives the computation, which holds `owner` weakly.
  public func read<Owner: AnyObject>(for owner: Owner, _ compute: @escaping (Owner) -> Value) -> Value {
    let thread = thisThread()
    if let value = node.freshValue(on: thread) { return value }
    node.provide { [weak owner] in owner.map(compute) }
    return node.read(on: thread)
  }
}

extension Derived where Value: Equatable {
  public convenience init(
    fileID: StaticString = #fileID, line: UInt = #line, _ compute: @escaping () -> Value
  ) {
    self.init(fileID: fileID, line: line, isEqual: ==, compute)
  }

  public convenience init(named name: String) {
    self.init(named: name, isEqual: ==)
  }
}

// A node's state is guarded by the junction's lock, and only values are handed out. The computation runs on
// whoever asks, who was allowed to.
extension Derived: @unchecked Sendable where Value: Sendable {}
