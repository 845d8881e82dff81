import StarlingGraph
import StarlingModel

/// What one place of the tree adds to the environment; whoever looks for a key walks outwards.
///
///     root  { every key that was read: its default }
///       ▲
///     scope { accentTheme: slot }        a reader depends on the one slot it found,
///       ▲                                and runs again when that is written,
///     scope { isEnabled: slot }          or hidden by a nearer one
///
/// A slot is written only with a value that differs, so an unrelated write concerns nobody.
package final class EnvironmentScope: @unchecked Sendable {
  // Sendable: written and walked on the main actor, where views are; a slot's value has the graph's lock.
  private let parent: EnvironmentScope?
  private var slots: [ObjectIdentifier: EnvironmentSlot] = [:]

  package init(parent: EnvironmentScope?) {
    self.parent = parent
  }

  /// The value for a key, noted as read.
  func value<Value>(for key: ObjectIdentifier, default makeDefault: () -> Value) -> Value {
    if let slot = slot(for: key), let value = slot.read() as? Value { return value }
    var root = self
    while let outer = root.parent { root = outer }
    let value = makeDefault()
    let slot = EnvironmentSlot(value)
    root.slots[key] = slot
    _ = slot.read()
    return value
  }

  /// The value that somebody set for a key, noted as read; nil where nobody did.
  func set(for key: ObjectIdentifier) -> Any? {
    let value: Any = value(for: key) { Absent() as Any }
    if value is Absent { return nil }
    return value
  }

  private func slot(for key: ObjectIdentifier) -> EnvironmentSlot? {
    var scope: EnvironmentScope? = self
    while let present = scope {
      if let slot = present.slots[key] { return slot }
      scope = present.parent
    }
    return nil
  }

  /// Makes `values` what is set here.
  @MainActor func update(_ values: [ObjectIdentifier: Any]) {
    for (key, slot) in slots where values[key] == nil {
      slots[key] = nil
      slot.touch()
    }
    for (key, value) in values {
      if let slot = slots[key] {
        if !areSameContents(slot.peek(), value) { slot.write(value) }
      } else {
        let outer = parent?.slot(for: key)
        slots[key] = EnvironmentSlot(value)
        // Those in here that read the outer one find this one now.
        outer?.touch()
      }
    }
  }

  /// Sets values here, beside those that are.
  @MainActor func set(_ values: [ObjectIdentifier: Any]) {
    for (key, value) in values {
      if let slot = slots[key] {
        if !areSameContents(slot.peek(), value) { slot.write(value) }
      } else {
        slots[key] = EnvironmentSlot(value)
      }
    }
  }

  /// Stands for what nobody set.
  private struct Absent {}
}

/// The value for one key in one scope, and its readers.
private final class EnvironmentSlot {
  private let home = Home()
  private let cell: Cell<Any>

  init(_ value: Any) {
    cell = Cell(value)
  }

  func read() -> Any { cell.read(in: home) }
  func peek() -> Any { cell.peek(in: home) }
  func write(_ value: Any) { cell.write(value, in: home) }
  func touch() { write(peek()) }
}
