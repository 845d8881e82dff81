import StarlingCore

/// A set that merges member by member and is read member by member: `contains` depends on that
/// member alone, `count` on the count, iteration on which members there are.
///
/// It is a handle that stays with its property: assigning another set moves the members over.
///
/// ```swift
/// var tags: ReplicatedSet<String> = []
/// book.tags.insert("classic")     // O(1), whatever the set holds
/// ```
public final class ReplicatedSet<Element: ReplicatedKey>: ReplicatedHandle {
  let storage = KeyedStorage<Bool>()

  public init() {}

  public init(_ elements: some Sequence<Element>) {
    storage.write(elements.map { ($0.replicatedKey, true) })
  }

  public var count: Int { storage.count }
  public var isEmpty: Bool { count == 0 }

  public func contains(_ element: Element) -> Bool {
    storage.contains(element.replicatedKey)
  }

  public func insert(_ element: Element) {
    storage.set(true, at: element.replicatedKey)
  }

  public func remove(_ element: Element) {
    storage.set(nil, at: element.replicatedKey)
  }

  /// Adds every element, as one change.
  public func formUnion(_ elements: some Sequence<Element>) {
    storage.write(elements.map { ($0.replicatedKey, true) })
  }

  /// Removes every element, as one change.
  public func subtract(_ elements: some Sequence<Element>) {
    storage.write(elements.map { ($0.replicatedKey, nil) })
  }

  public func removeAll() {
    storage.write(storage.presentKeys().map { ($0, nil) })
  }

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
  public func makeIterator() -> some IteratorProtocol<Element> {
    storage.allKeys().lazy.compactMap { Element(replicatedKey: $0) }.makeIterator()
  }
}

extension ReplicatedSet: ExpressibleByArrayLiteral {
  public convenience init(arrayLiteral elements: Element...) {
    self.init(elements)
  }
}
