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
