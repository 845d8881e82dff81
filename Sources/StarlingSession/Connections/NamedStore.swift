public import StarlingCore

/// A store, and the owner of the key that spoke for it: who has a key may say that it is any store.
public struct NamedStore: Hashable, Sendable {
  public var store: StoreID
  /// The allowlist's name of the owner of the key; empty for those who need not prove who they are.
  public var name: String

  public init(_ store: StoreID, name: String) {
    self.store = store
    self.name = name
  }
}
