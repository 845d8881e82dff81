import StarlingModel
@_spi(Reflection) import Swift

/// Something that knows whether another of its kind would make a view different.
package protocol SamenessAware {
  @MainActor func isSame(as other: Self) -> Bool
}

/// Whether a view's new value is the same as its old one, so that its body need not run.
///
/// Asked of a type once, answered field by field: by `==` where there is one, objects by identity, bindings by where
/// they lead, what the runtime installs by what the user wrote. A closure is the same only if it is the very same
/// closure: same code, same captures. What cannot be looked into is never the same.
@MainActor enum Sameness<Value> {
  /// Whether comparing is worth it: views that only arrange others compare in their parts.
  static var isSkippable: Bool {
    !(Value.self is any PrimitiveView.Type) || Value.self is any Equatable.Type
  }

  static func areSame(_ left: Value, _ right: Value) -> Bool {
    withUnsafeBytes(of: left) { left in
      withUnsafeBytes(of: right) { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return true }
        return Comparison.of(Value.self)(left, right)
      }
    }
  }
}

/// Whether two values of types that are not known here are the same.
@MainActor func areSameContents(_ left: Any, _ right: Any) -> Bool {
  let type = type(of: left)
  guard type == Swift.type(of: right) else { return false }
  if type is AnyObject.Type { return left as AnyObject === right as AnyObject }
  func pair<Value>(_ left: Value) -> (any AnyPair)? {
    // An existential that opens to an existential has nothing more to show.
    type == Value.self ? (right as? Value).map { Pair(left: left, right: $0) } : nil
  }
  return _openExistential(left, do: pair)?.areSame ?? false
}

@MainActor private protocol AnyPair {
  var areSame: Bool { get }
}

private struct Pair<Value> {
  let left: Value
  let right: Value
}

extension Pair: AnyPair {
  var areSame: Bool { Sameness<Value>.areSame(left, right) }
}

/// Compares two values of one type where they lie.
private typealias Compare = @MainActor (UnsafeRawPointer, UnsafeRawPointer) -> Bool

@MainActor private enum Comparison {
  private static var known: [ObjectIdentifier: Compare] = [:]

  static func of(_ type: Any.Type) -> Compare {
    if let found = known[ObjectIdentifier(type)] { return found }
    let made = make(type)
    known[ObjectIdentifier(type)] = made
    return made
  }

  private static func make<Value>(_ type: Value.Type) -> Compare {
    if type is AnyObject.Type {
      return { load($0, UnsafeRawPointer.self) == load($1, UnsafeRawPointer.self) }
    }
    if let aware = type as? any SamenessAware.Type { return compare(aware: aware) }
    if let equatable = type as? any Equatable.Type { return compare(equatable: equatable) }
    if let optional = type as? any OptionalKind.Type { return optional.compare }
    return compareFields(of: type)
  }

  private static func load<Value>(_ address: UnsafeRawPointer, _ type: Value.Type) -> Value {
    address.assumingMemoryBound(to: type).pointee
  }

  private static func compare<Value: SamenessAware>(aware type: Value.Type) -> Compare {
    { load($0, type).isSame(as: load($1, type)) }
  }

  private static func compare<Value: Equatable>(equatable type: Value.Type) -> Compare {
    { load($0, type) == load($1, type) }
  }

  private static func compareFields<Value>(of type: Value.Type) -> Compare {
    // Only these have fields; asked of an existential, the reflection would take the metadata for a value.
    guard [.struct, .tuple].contains(kind(of: type)) else { return compareWhole(type) }
    var fields: [(offset: Int, type: Any.Type, kind: _MetadataKind)] = []
    let isKnown = _forEachField(of: type) { _, offset, fieldType, kind in
      fields.append((offset, fieldType, kind))
      return true
    }
    guard isKnown, !fields.isEmpty || MemoryLayout<Value>.size == 0 else { return compareWhole(type) }
    // The same types may occur in their own fields' fields, through pointers: looked up when compared.
    return { left, right in
      fields.allSatisfy { field in
        let (left, right) = (left + field.offset, right + field.offset)
        return field.kind == .function ? areSameClosure(left, right) : of(field.type)(left, right)
      }
    }
  }

  /// The kind of a type is the first word of its metadata, as the ABI says.
  private static func kind(of type: Any.Type) -> _MetadataKind? {
    _MetadataKind(rawValue: unsafeBitCast(type, to: UnsafePointer<UInt>.self).pointee)
  }

  /// What has no fields to look at: an existential, which says what it holds; an enumeration with contents, a closure.
  private static func compareWhole<Value>(_ type: Value.Type) -> Compare {
    { left, right in
      let (left, right) = (load(left, type) as Any, load(right, type) as Any)
      return Swift.type(of: left) != type && areSameContents(left, right)
    }
  }

  /// A closure is two words: its code, and what it captured. Both closures are alive here, so equal words are one
  /// closure.
  private static func areSameClosure(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
    let word = MemoryLayout<UInt>.size
    return left.loadUnaligned(as: UInt.self) == right.loadUnaligned(as: UInt.self)
      && left.loadUnaligned(fromByteOffset: word, as: UInt.self)
        == right.loadUnaligned(fromByteOffset: word, as: UInt.self)
  }
}

@MainActor private protocol OptionalKind {
  static var compare: Compare { get }
}

extension Optional: OptionalKind {
  fileprivate static var compare: Compare {
    { left, right in
      let left = left.assumingMemoryBound(to: Self.self).pointee
      switch (left, right.assumingMemoryBound(to: Self.self).pointee) {
      case (nil, nil): return true
      case (let left?, let right?): return Sameness<Wrapped>.areSame(left, right)
      default: return false
      }
    }
  }
}

extension _ConditionalContent: SamenessAware {
  package func isSame(as other: _ConditionalContent) -> Bool {
    switch (branch, other.branch) {
    case (.first(let left), .first(let right)): Sameness<First>.areSame(left, right)
    case (.second(let left), .second(let right)): Sameness<Second>.areSame(left, right)
    default: false
    }
  }
}
