/// A property's content that stays with its property and keeps readers of its own: a record or a keyed
/// collection. Reading the property depends on nothing, for what an assignment changes is what the
/// handle leads to.
public protocol ReplicatedHandle {}

/// A handle of a keyed collection, list or text. Several may lead to one.
protocol CollectionHandle {
  associatedtype Storage: KeyedCore
  var storage: Storage { get }
  init(storage: Storage)
}

extension CollectionHandle {
  /// This one, if it is of that storage.
  func handle(of storage: Storage) -> Self { storage === self.storage ? self : Self(storage: storage) }
}
