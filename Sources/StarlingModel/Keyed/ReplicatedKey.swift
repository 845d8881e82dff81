public import StarlingCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What names an entry of a dictionary or is a member of a set.
///
/// An enum with a raw value conforms by saying so: `enum Genre: String, ReplicatedKey { … }`.
///
/// It is `Codable`, so that a dictionary of `Codable` values is merged key by key, for that is then the
/// closest of the codings that would fit.
public protocol ReplicatedKey: Hashable, Codable {
  /// The key under which the entry or member stands in the document. Equal values have equal keys.
  var replicatedKey: Key { get }

  /// Nil where `key` does not spell a value of this type; such entries are kept and not shown.
  init?(replicatedKey key: Key)
}

extension String: ReplicatedKey {
  @inlinable public var replicatedKey: Key { .name(self) }

  @inlinable public init?(replicatedKey key: Key) {
    guard case .name(let name) = key else { return nil }
    self = name
  }
}

extension FixedWidthInteger {
  /// Integers above `Int64.max` are spelled by their eight bytes, most significant first.
  public var replicatedKey: Key {
    Int64(exactly: self).map { .integer($0) }
      ?? .bytes(withUnsafeBytes(of: UInt64(truncatingIfNeeded: self).bigEndian) { Array($0) })
  }

  /// Also of eight bytes, most significant first; nil for what does not fit this type.
  public init?(replicatedKey key: Key) {
    switch key {
    case .integer(let value): self.init(exactly: value)
    case .bytes(let bytes) where bytes.count == 8:
      self.init(exactly: bytes.reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
    default: return nil
    }
  }
}

extension Int: ReplicatedKey {}
extension Int8: ReplicatedKey {}
extension Int16: ReplicatedKey {}
extension Int32: ReplicatedKey {}
extension Int64: ReplicatedKey {}
extension UInt: ReplicatedKey {}
extension UInt8: ReplicatedKey {}
extension UInt16: ReplicatedKey {}
extension UInt32: ReplicatedKey {}
extension UInt64: ReplicatedKey {}

extension Bool: ReplicatedKey {
  public var replicatedKey: Key { .integer(self ? 1 : 0) }

  public init?(replicatedKey key: Key) {
    switch key {
    case .integer(0): self = false
    case .integer(1): self = true
    default: return nil
    }
  }
}

extension UUID: ReplicatedKey {
  public var replicatedKey: Key { .bytes(withUnsafeBytes(of: uuid) { Array($0) }) }

  public init?(replicatedKey key: Key) {
    guard case .bytes(let bytes) = key else { return nil }
    self.init(replicated: .bytes(bytes))
  }
}

extension Data: ReplicatedKey {
  public var replicatedKey: Key { .bytes(Array(self)) }

  public init?(replicatedKey key: Key) {
    guard case .bytes(let bytes) = key else { return nil }
    self.init(bytes)
  }
}

extension URL: ReplicatedKey {
  public var replicatedKey: Key { .name(absoluteString) }

  public init?(replicatedKey key: Key) {
    guard case .name(let name) = key else { return nil }
    self.init(string: name)
  }
}

extension ReplicatedKey where Self: RawRepresentable, RawValue: ReplicatedKey {
  public var replicatedKey: Key { rawValue.replicatedKey }

  public init?(replicatedKey key: Key) {
    guard let raw = RawValue(replicatedKey: key) else { return nil }
    self.init(rawValue: raw)
  }
}
