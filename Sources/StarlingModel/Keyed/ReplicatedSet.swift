public import StarlingCore

/// A set that merges member by member and is read member by member: `contains` depends on that
/// member alone, `count` on the count, iteration on which members there are.
///
/// It is a handle that stays with its property: assigning another set moves the members over. It is a
/// `Sequence` and no `Collection`: an index would name a place that an insertion elsewhere moves.
///
/// ```swift
/// var tags: ReplicatedSet<String> = []
/// book.tags.insert("classic")     // O(1), whatever the set holds
/// ```
public final class ReplicatedSet<Element: ReplicatedKey>: ReplicatedHandle, CollectionHandle {
  let storage: KeyedStorage<Bool>

  init(storage: KeyedStorage<Bool>) { self.storage = storage }

  /// An empty set.
  public init() { storage = KeyedStorage() }

  /// A set of these members. As the default of a property it is shown and not sent.
  public init(_ elements: some Sequence<Element>) {
    storage = KeyedStorage()
    storage.write(elements.map { ($0.replicatedKey, true) })
  }

  /// The number of members. A reader of it runs again only when the number changes.
  public var count: Int { storage.count }
  /// Whether there are no members.
  public var isEmpty: Bool { count == 0 }

  /// Whether `element` is a member. A reader of it depends on that member alone.
  public func contains(_ element: Element) -> Bool {
    storage.contains(element.replicatedKey)
  }

  /// Adds a member. Adding one that is there already wakes nobody.
  ///
  /// - Returns: Whether it was no member before, and the element.
  @discardableResult
  public func insert(_ element: Element) -> (inserted: Bool, memberAfterInsert: Element) {
    let key = element.replicatedKey
    let isThere = storage.present(key) != nil
    storage.set(true, at: key)
    return (!isThere, element)
  }

  /// - Returns: The element if it was a member.
  @discardableResult
  public func remove(_ element: Element) -> Element? {
    let key = element.replicatedKey
    guard storage.present(key) != nil else { return nil }
    storage.set(nil, at: key)
    return element
  }

  /// Removes every member, as one change.
  public func removeAll() {
    storage.write(storage.presentKeys().map { ($0, nil) })
  }

  /// Removes the members for which `isDoomed` returns true, as one change.
  public func removeAll(where isDoomed: (Element) throws -> Bool) rethrows {
    storage.write(try members.filter(isDoomed).map { ($0.replicatedKey, nil) })
  }

  /// The members, noted for nobody.
  private var members: [Element] { storage.presentKeys().compactMap { Element(replicatedKey: $0) } }

  func replaceMembers(by other: ReplicatedSet) {
    let new = other.storage.presentKeys()
    let kept = Set(new)
    storage.write(
      storage.presentKeys().filter { !kept.contains($0) }.map { ($0, nil) } + new.map { ($0, true) })
  }
}

// The members are guarded, and handed out only where they may be shared.
extension ReplicatedSet: @unchecked Sendable where Element: Sendable {}

extension ReplicatedSet: Sequence {
  /// Goes over the members in the canonical order of their keys.
  public func makeIterator() -> Iterator { Iterator(keys: storage.allKeys()) }

  /// Walks the members as they were when it was made, in no order.
  public struct Iterator: IteratorProtocol {
    @usableFromInline var keys: IndexingIterator<[Key]>

    init(keys: [Key]) { self.keys = keys.makeIterator() }

    @inlinable public mutating func next() -> Element? {
      while let key = keys.next() {
        if let element = Element(replicatedKey: key) { return element }
      }
      return nil
    }
  }
}

extension ReplicatedSet: ExpressibleByArrayLiteral {
  public convenience init(arrayLiteral elements: Element...) {
    self.init(elements)
  }
}

// MARK: Set algebra

extension ReplicatedSet {
  /// Adds every element, as one change.
  public func formUnion(_ elements: some Sequence<Element>) {
    storage.write(elements.map { ($0.replicatedKey, true) })
  }

  /// Removes every element, as one change.
  public func subtract(_ elements: some Sequence<Element>) {
    storage.write(elements.map { ($0.replicatedKey, nil) })
  }

  /// Keeps the members that are among the elements, as one change.
  public func formIntersection(_ elements: some Sequence<Element>) {
    let kept = Set(elements)
    removeAll { !kept.contains($0) }
  }

  /// Removes the elements that are members and adds those that are not, as one change.
  public func formSymmetricDifference(_ elements: some Sequence<Element>) {
    let changes = Set(elements).map { $0.replicatedKey }
    storage.write(changes.map { ($0, storage.present($0) == nil ? true : nil) })
  }

  /// A plain set of these members and `elements`; depends on the whole set.
  public func union(_ elements: some Sequence<Element>) -> Set<Element> { Set(self).union(elements) }
  /// A plain set of these members without `elements`; depends on the whole set.
  public func subtracting(_ elements: some Sequence<Element>) -> Set<Element> { Set(self).subtracting(elements) }
  /// A plain set of what is in one of the two alone; depends on the whole set.
  public func symmetricDifference(_ elements: some Sequence<Element>) -> Set<Element> {
    Set(self).symmetricDifference(elements)
  }

  /// Depends on those elements alone.
  public func intersection(_ elements: some Sequence<Element>) -> Set<Element> { Set(elements.filter { contains($0) }) }

  /// Depends on the whole set.
  public func isSubset(of elements: some Sequence<Element>) -> Bool { Set(self).isSubset(of: elements) }

  /// Depends on those elements alone, up to the first that is no member.
  public func isSuperset(of elements: some Sequence<Element>) -> Bool { elements.allSatisfy { contains($0) } }

  /// Depends on those elements alone, up to the first that is a member.
  public func isDisjoint(with elements: some Sequence<Element>) -> Bool { !elements.contains { contains($0) } }
}
