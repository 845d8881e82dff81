/// The name of a document: 1 to 200 bytes of UTF-8.
public struct DocumentID: Hashable, Sendable {
  public let name: String

  /// Nil if `name` is empty or longer than 200 bytes.
  public init?(_ name: String) {
    guard (1...200).contains(name.utf8.count) else { return nil }
    self.name = name
  }
}

extension DocumentID: CustomStringConvertible {
  public var description: String { name }
}

/// The name of a store, the member of a group that holds documents: 8 random bytes that stay with
/// its file, whatever replica ids it writes under.
public struct StoreID: Hashable, Sendable {
  public let rawValue: UInt64

  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  public static func random(using generator: inout some RandomNumberGenerator) -> StoreID {
    StoreID(rawValue: generator.next())
  }
}

extension StoreID: CustomStringConvertible {
  public var description: String { ReplicaID(rawValue: rawValue).description }
}
