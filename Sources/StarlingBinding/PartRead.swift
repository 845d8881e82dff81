import StarlingGraph
import StarlingModel

/// Reads a part of what a binding leads to. Used where the binding is.
final class PartRead<Whole, Member> {
  private let read: () -> Whole
  private let path: KeyPath<Whole, Member>
  /// Nil where parts cannot be compared, or the path goes through an object, whose own property is what an
  /// observer depends on.
  private let derived = Once<Derived<Member>?>()

  init(_ read: @escaping () -> Whole, _ path: KeyPath<Whole, Member>) {
    self.read = read
    self.path = path
  }

  var value: Member {
    guard isTracking, let derived = derived.value(makeDerived) else { return read()[keyPath: path] }
    // The binding may go with the line that made it; its reader stays.
    keepForReader(derived)
    return derived.read()
  }

  private func makeDerived() -> Derived<Member>? {
    guard !(Whole.self is AnyObject.Type), let isEqual = Equality<Member>.check else { return nil }
    return Derived(isEqual: isEqual) { [read, path] in read()[keyPath: path] }
  }
}
