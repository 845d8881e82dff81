/// A property's content that stays with its property and keeps readers of its own: a record or a keyed
/// collection. Reading the property depends on nothing, for what an assignment changes is what the
/// handle leads to.
public protocol ReplicatedHandle {}
