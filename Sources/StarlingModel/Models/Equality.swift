// Three ways to `==`, by what is known: here of a type, asked once, for each later pair; below of one value, at the
// place where it is compared; in a view's fields, where only their addresses are known, `Sameness` has its own.

/// How values of a type are compared.
package enum Equality<Value> {
  /// Nil where nothing is known that would tell two of them apart. Objects are compared by identity.
  package static var check: ((Value, Value) -> Bool)? {
    if Value.self is AnyObject.Type {
      return { ObjectIdentifier($0 as AnyObject) == ObjectIdentifier($1 as AnyObject) }
    }
    return (Value.self as? any Equatable.Type).map { check(as: $0) }
  }

  private static func check<Known: Equatable>(as type: Known.Type) -> (Value, Value) -> Bool {
    { ($0 as? Known) == ($1 as? Known) }
  }
}

/// Whether two values are equal by `==`; nil where `left` has none. Unlike by `Equality`, objects without `==` are not
/// compared.
func areEqual<Left>(_ left: Left, _ right: Any) -> Bool? {
  (left as? any Equatable)?.equals(right)
}

extension Equatable {
  fileprivate func equals(_ other: Any) -> Bool { (other as? Self) == self }
}
