/// A value computed from others: computed when somebody asks, kept while nothing that it read has changed.
///
/// A write marks it and passes the doubt on to its readers; whoever asks next brings it up to date, and only if
/// the result differs do its readers run. Declared with `let` in a class, with the computation given by the
/// first read, or made with one.
///
/// The computation runs where the value is asked for, also by an observer that read it and must know whether it
/// changed: in that observer's isolation. Neither it nor `isEqual` runs under a lock.
public final class Derived<Value> {
  @usableFromInline let state: DerivedState<Value>
  @usableFromInline let node: DerivedNode

  /// - Parameters:
  ///   - fileID: Leave it out: it names the place in the source, for diagnostics.
  ///   - line: Leave it out: it names the place in the source, for diagnostics.
  ///   - isEqual: Whether a result is the same as before; nil: never.
  ///   - compute: Reads cells and other derived values. It holds whoever it captures.
  @inlinable public init(
    fileID: StaticString = #fileID, line: UInt = #line, isEqual: ((Value, Value) -> Bool)?,
    _ compute: @escaping () -> Value
  ) {
    let state = DerivedState(computation: compute, isEqual: isEqual)
    self.state = state
    node = DerivedNode(name: "\(fileID):\(line)", isComputable: true) { state.perform($0) }
  }

  /// To be read with `read(for:_:)`.
  ///
  /// - Parameters:
  ///   - name: Names it in diagnostics.
  ///   - isEqual: Whether two results are the same, so that readers need not run.
  @inlinable public init(named name: String, isEqual: ((Value, Value) -> Bool)?) {
    let state = DerivedState(computation: nil, isEqual: isEqual)
    self.state = state
    node = DerivedNode(name: name, isComputable: false) { state.perform($0) }
  }

  deinit {
    node.orphan()
  }

  /// The value, noted as read by the current observer. Computed first if something that it read has changed.
  @inlinable public func read() -> Value {
    guard let value = find() else {
      preconditionFailure("A derived value without a computation is read for its owner.")
    }
    return value
  }

  /// The same, for a value that `owner` keeps: the first read gives the computation, which holds `owner` weakly.
  @inlinable public func read<Owner: AnyObject>(for owner: Owner, _ compute: @escaping (Owner) -> Value) -> Value {
    if let value = find() { return value }
    let computation = { [weak owner] in owner.map(compute) }
    node.makeComputable { state.computation.address.pointee = computation }
    return read()
  }

  /// - Returns: Nil where there is no computation yet.
  @inlinable func find() -> Value? {
    switch node.find() {
    case .value:
      defer { node.unlock() }
      guard let value = state.value.address.pointee else {
        preconditionFailure("A derived value has no value to read in its own first computation.")
      }
      return value
    case .busy: return state.computation.address.pointee?()
    case .notComputable: return nil
    }
  }
}

extension Derived where Value: Equatable {
  /// A value that counts as changed where `==` says that it differs.
  ///
  /// - Parameters:
  ///   - compute: Computes the value. It runs where the value is asked for, never under a lock.
  ///   - fileID: The file that reports name, where a computation reads its own value.
  ///   - line: The line that they name.
  @inlinable public convenience init(
    fileID: StaticString = #fileID, line: UInt = #line, _ compute: @escaping () -> Value
  ) {
    self.init(fileID: fileID, line: line, isEqual: ==, compute)
  }

  /// A value whose computation the first read gives; it counts as changed where `==` says that it differs.
  ///
  /// - Parameter name: The value's name in diagnostics.
  @inlinable public convenience init(named name: String) {
    self.init(named: name, isEqual: ==)
  }
}

// What changes in a node is guarded, and only values are handed out. The computation runs on whoever asks, who was
// allowed to.
extension Derived: @unchecked Sendable where Value: Sendable {}

/// The part of a derived value that knows its type.
@usableFromInline final class DerivedState<Value> {
  /// Returns nil once the owner is gone. Set once, locked, before the first run.
  @usableFromInline let computation: Inline<(() -> Value?)?>
  @usableFromInline let isEqual: ((Value, Value) -> Bool)?
  /// Changed locked, by whoever runs the node: others read it locked.
  @usableFromInline let value = Inline<Value?>(nil)
  /// A result that has yet to be compared, or the value before. The runner's.
  @usableFromInline let aside = Inline<Value?>(nil)

  @inlinable init(computation: (() -> Value?)?, isEqual: ((Value, Value) -> Bool)?) {
    self.computation = Inline(computation)
    self.isEqual = isEqual
  }

  @inlinable func perform(_ step: DerivedNode.Step) -> Bool {
    switch step {
    case .compute:
      aside.address.pointee = computation.address.pointee?()
      return aside.address.pointee != nil
    case .compare:
      guard let isEqual, let old = value.address.pointee, let new = aside.address.pointee else { return true }
      return !isEqual(old, new)
    case .exchange: swap(&value.address.pointee, &aside.address.pointee)
    case .discard: aside.address.pointee = nil
    }
    return true
  }
}
