public import StarlingCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A value that one slot of a document holds whole: the last writer wins, and concurrent writes are
/// readable as conflicts.
///
/// The types of the standard library and Foundation that have a spelling of their own in the
/// protocol conform. Enums with a raw value and `Codable` types need not: they replicate by their
/// raw value and as JSON.
public protocol ReplicatedValue {
  /// What is written into the document.
  var replicated: Value { get }

  /// Nil where `value` is of another kind: the reader then shows the default and reports it.
  init?(replicated value: Value)

  /// What a property without a default shows before a value is known.
  static var empty: Self { get }

  /// Whether writing `other` in place of this would change nothing.
  func isSame(as other: Self) -> Bool

  /// Whether decoding, comparing and releasing one runs no code of an application's, as Starling knows of the standard
  /// types: those are read under the document's lock. False by default; leave it so.
  static var _isStandard: Bool { get }
}

extension ReplicatedValue {
  /// No: of a type that an application made, nothing is known.
  @inlinable public static var _isStandard: Bool { false }
}

extension _Replicated {
  /// A type of the standard library or of Foundation whose values are read under the document's lock.
  public protocol StandardValue: ReplicatedValue {}
}

extension _Replicated.StandardValue {
  /// Yes.
  @inlinable public static var _isStandard: Bool { true }
}

extension ReplicatedValue where Self: Equatable {
  /// By `==`.
  @inlinable
  public func isSame(as other: Self) -> Bool { self == other }
}

extension Bool: ReplicatedValue, _Replicated.StandardValue {
  @inlinable
  public var replicated: Value { .bool(self) }

  public init?(replicated value: Value) {
    guard case .bool(let value) = value else { return nil }
    self = value
  }

  public static var empty: Bool { false }
}

extension FixedWidthInteger {
  /// An integer; above `Int64.max` an unsigned one.
  @inlinable
  public var replicated: Value {
    Int64(exactly: self).map { .integer($0) } ?? .unsigned(UInt64(truncatingIfNeeded: self))
  }

  /// Nil for other kinds and for integers that do not fit this type.
  public init?(replicated value: Value) {
    switch value {
    case .integer(let value): self.init(exactly: value)
    case .unsigned(let value): self.init(exactly: value)
    default: return nil
    }
  }

  /// Zero.
  public static var empty: Self { 0 }
}

extension Int: ReplicatedValue, _Replicated.StandardValue {}
extension Int8: ReplicatedValue, _Replicated.StandardValue {}
extension Int16: ReplicatedValue, _Replicated.StandardValue {}
extension Int32: ReplicatedValue, _Replicated.StandardValue {}
extension Int64: ReplicatedValue, _Replicated.StandardValue {}
extension UInt: ReplicatedValue, _Replicated.StandardValue {}
extension UInt8: ReplicatedValue, _Replicated.StandardValue {}
extension UInt16: ReplicatedValue, _Replicated.StandardValue {}
extension UInt32: ReplicatedValue, _Replicated.StandardValue {}
extension UInt64: ReplicatedValue, _Replicated.StandardValue {}

extension Double: ReplicatedValue, _Replicated.StandardValue {
  public var replicated: Value { .double(self) }

  /// Also of an integer that it can hold exactly: a property may have been one before.
  public init?(replicated value: Value) {
    switch value {
    case .double(let value): self = value
    case .integer(let value): self.init(exactly: value)
    case .unsigned(let value): self.init(exactly: value)
    default: return nil
    }
  }

  public static var empty: Double { 0 }

  /// By bits, so that a NaN written again is no write, and 0 over -0 is one.
  public func isSame(as other: Double) -> Bool { bitPattern == other.bitPattern }
}

extension Float: ReplicatedValue, _Replicated.StandardValue {
  public var replicated: Value { .double(Double(self)) }

  /// The nearest to a double; of integers only those that it can hold exactly.
  public init?(replicated value: Value) {
    switch value {
    case .double(let value): self = Float(value)
    case .integer(let value): self.init(exactly: value)
    case .unsigned(let value): self.init(exactly: value)
    default: return nil
    }
  }

  public static var empty: Float { 0 }

  public func isSame(as other: Float) -> Bool { bitPattern == other.bitPattern }
}

extension String: ReplicatedValue, _Replicated.StandardValue {
  @inlinable
  public var replicated: Value { .string(self) }

  public init?(replicated value: Value) {
    guard case .string(let value) = value else { return nil }
    self = value
  }

  public static var empty: String { "" }

  /// By bytes: another spelling of the same text is another value on the wire.
  public func isSame(as other: String) -> Bool { hasSameBytes(as: other) }
}

extension Data: ReplicatedValue, _Replicated.StandardValue {
  public var replicated: Value { .bytes(withUnsafeBytes { [UInt8]($0) }) }

  public init?(replicated value: Value) {
    guard case .bytes(let value) = value else { return nil }
    self = Data(value)
  }

  public static var empty: Data { Data() }
}

extension Date: ReplicatedValue, _Replicated.StandardValue {
  public var replicated: Value { .date(timeIntervalSinceReferenceDate) }

  public init?(replicated value: Value) {
    guard case .date(let value) = value else { return nil }
    self.init(timeIntervalSinceReferenceDate: value)
  }

  public static var empty: Date { Date(timeIntervalSinceReferenceDate: 0) }
}

/// Its 16 bytes.
extension UUID: ReplicatedValue, _Replicated.StandardValue {
  public var replicated: Value { .bytes(withUnsafeBytes(of: uuid) { Array($0) }) }

  public init?(replicated value: Value) {
    guard case .bytes(let bytes) = value, bytes.count == 16 else { return nil }
    var uuid = UUID.empty.uuid
    withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
    self.init(uuid: uuid)
  }

  public static var empty: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
}

/// Its absolute string.
extension URL: ReplicatedValue {
  public var replicated: Value { .string(absoluteString) }

  public init?(replicated value: Value) {
    guard case .string(let value) = value else { return nil }
    self.init(string: value)
  }

  public static var empty: URL { URL(filePath: "/") }
}

/// Nil is a value like any other, so that it can win over a default that is not nil.
extension Optional: ReplicatedValue where Wrapped: ReplicatedValue {
  public var replicated: Value { self?.replicated ?? .null }

  public init?(replicated value: Value) {
    if case .null = value {
      self = .none
    } else if let wrapped = Wrapped(replicated: value) {
      self = .some(wrapped)
    } else {
      return nil
    }
  }

  public static var empty: Wrapped? { nil }

  /// As of what it wraps.
  @inlinable public static var _isStandard: Bool { Wrapped._isStandard }

  public func isSame(as other: Wrapped?) -> Bool {
    switch (self, other) {
    case (nil, nil): true
    case (let left?, let right?): left.isSame(as: right)
    default: false
    }
  }
}
