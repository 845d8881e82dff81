// The words that a model's author writes; what they become is in StarlingMacros.
@_exported public import Observation

/// Makes the stored properties of a final class replicate: each becomes a slot of a CRDT map under
/// the property's name, and readers of one property wake for that property alone.
///
/// ```swift
/// @Replicated final class Book: Sendable {
///   var title = "A sample book"
///   var copies: ReplicatedCounter = 0
///   var tags: Set<String> = []
///   @Local var isExpanded = false
/// }
/// ```
///
/// A nonisolated model says `: Sendable` itself; one isolated to an actor need not. The class is
/// observable by Starling's graph, `withObservationTracking` and `Observations` alike.
///
/// `book.year += 1` reads and then writes: of two threads or replicas that do so at once, one is lost (debug builds say
/// so where they notice). What is counted is a `ReplicatedCounter`, whose increments add up.
///
/// The standard library's observers are told after the value is stored, will-set and did-set one after the other. If
/// they were told before, one on another thread could read the old value and miss the new one. In a will-set the new
/// value is stored already.
///
/// Every property has a default, which a replica shows until it receives a value. Defaults are never sent.
@attached(
  member, names: named(init), named(_$model), named(_$schema), named(_$make), named(_$keyPaths), named(_$visit),
  named(_$root))
@attached(memberAttribute)
@attached(extension, conformances: ReplicatedModel, Observable)
public macro Replicated() = #externalMacro(module: "StarlingMacros", type: "ReplicatedMacro")

/// A property that had another name in an earlier version of the program; several are written the
/// oldest first.
///
/// ```swift
/// @Renamed(from: "name") var title = ""
/// ```
///
/// A value is read under whichever name was written last, and written under the present one, which
/// takes it away from the former: a program of the earlier version then shows its default. What such a
/// program writes is not lost: the later write is visible, the other is its conflict. A
/// counter adds up what was counted under all names.
///
/// A nested model, a record or a collection keeps its identity: it stays under its oldest name, where
/// programs of all versions share it.
@attached(peer)
public macro Renamed(from name: String) = #externalMacro(module: "StarlingMacros", type: "MarkerMacro")

/// Observed like any property of a `@Replicated` class, but neither sent nor kept.
@attached(peer)
public macro Local() = #externalMacro(module: "StarlingMacros", type: "MarkerMacro")

/// A plain stored property of a `@Replicated` class: neither observed nor replicated.
@attached(peer)
public macro ReplicatedIgnored() = #externalMacro(module: "StarlingMacros", type: "MarkerMacro")

/// Makes the stored properties of a struct replicate one by one where a `ReplicatedRecord` holds it.
///
/// ```swift
/// @ReplicatedFields struct User { var name = ""; var age = 0 }
/// ```
///
/// A field may be what a property of a model may be, except a type that is observed on its own. Values, sets and
/// dictionaries merge as they do there, and a nested `Codable` struct is replaced whole. Held plainly
/// (`var user = User()`), the struct replicates whole as any `Codable` one.
@attached(extension, conformances: ReplicatedFields, names: named(_$fields))
public macro ReplicatedFields() = #externalMacro(module: "StarlingMacros", type: "ReplicatedFieldsMacro")

/// What `@Replicated` puts on each stored property. Not for use by hand.
///
/// - Parameters:
///   - id: How many properties stand before it.
///   - isAssigned: Whether an initializer may assign it while other properties have no value yet.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
// Every name is said: 'arbitrary' would have each look-up in the class expand each property again, and the compiler
// then finds an operator of the class, such as `==`, twice.
@attached(peer, names: prefixed(_), suffixed(_writes), suffixed(_willSet), suffixed(_didSet))
public macro ReplicatedField(_ id: Int, isAssigned: Bool = false) =
  #externalMacro(module: "StarlingMacros", type: "ReplicatedFieldMacro")
