import StarlingBinding
import StarlingGraph
import StarlingModel

/// The one copy of a state's value. Read and written from any thread; what read it in a body is evaluated again on
/// the main actor.
final class StateStorage<Value>: @unchecked Sendable {
  // Sendable: the cell's lock guards the value; the rest is immutable. A state whose value is not Sendable is not
  // Sendable either, so its storage stays where its view is.
  private let home = Home()
  private let cell: Cell<Value>
  private let isSame: ((Value, Value) -> Bool)?

  init(_ value: Value) {
    cell = Cell(value)
    isSame = Equality<Value>.check
  }

  var value: Value { cell.read(in: home) }
  var untrackedValue: Value { cell.peek(in: home) }

  /// Stores a value and wakes its readers; an equal one changes nothing.
  func store(_ value: Value) {
    if let isSame { cell.write(value, in: home, unless: isSame) } else { cell.write(value, in: home) }
  }

  /// The same, once no view is being evaluated.
  func write(_ value: Value) {
    WriteGate.pass { self.store(value) }
  }

  var binding: Binding<Value> {
    Binding(
      location: BindingLocation(root: .object(ObjectIdentifier(self))), read: { self.value },
      write: { self.store($0) })
  }

  /// Whether another value is the same as the one here; nil where nobody can tell.
  func holds(_ other: Value) -> Bool? { isSame.map { $0(untrackedValue, other) } }
}
