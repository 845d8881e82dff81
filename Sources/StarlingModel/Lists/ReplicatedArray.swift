import StarlingCore
import StarlingGraph

/// An array of values or models that merges element by element and is read element by element: an index depends
/// on what stands there, `count` on the count, iteration on the order, and each element on itself.
///
/// ```swift
/// var chapters: ReplicatedArray<Chapter> = []
/// book.chapters.append(Chapter())
/// book.chapters.move(from: 3, to: 0)                       // one operation; nobody's edits of it are lost
/// let id = book.chapters.id(at: 0)
/// TextField("Title", text: $book.chapters[0].title)        // follows the chapter, not the place
/// ```
///
/// It is a handle that stays with its property: assigning another array writes the difference. An edit costs
/// O(log *n*), whatever the array holds; an element has an identity for as long as it is there (`id(at:)`), which
/// insertions and moves of others do not alter.
///
/// Models that are there become instances when they are read, and are kept as those of a `ReplicatedDictionary`.
public final class ReplicatedArray<Element>: ReplicatedHandle, CollectionHandle {
  let storage: ListStorage<Element>

  init(storage: ListStorage<Element>) { self.storage = storage }

  /// An empty array.
  public init() { storage = ListStorage() }

  /// An array of these elements. As the default of a property it is shown and not sent.
  public init(_ elements: some Sequence<Element>) {
    storage = ListStorage()
    storage.write { [.insert(Array(elements), at: 0)] }
  }

  /// The number of elements. A reader of it runs again only when the number changes.
  public var count: Int { storage.count }
  /// Whether there are no elements.
  public var isEmpty: Bool { count == 0 }

  /// The element at an index. Writing it writes the value of the element that stands there; a model is put in the
  /// place of the one that was there.
  ///
  /// - Complexity: O(log *n*)
  public subscript(index: Int) -> Element {
    get {
      guard let element = storage.element(storage.name(at: index)) else {
        preconditionFailure("The element at \(index) went while it was read: open its model on an actor, or hold it.")
      }
      return element
    }
    set {
      let name = untracked { storage.name(at: index) }
      storage.write { [.set(name, newValue)] }
    }
  }

  // MARK: Elements and their identity

  /// What an element is called on this replica for as long as it is in the array; no other ever has the name.
  public struct ElementID: Hashable, Sendable {
    let name: UInt64
  }

  /// The elements' identities in order.
  ///
  /// - Complexity: O(*n*)
  public var ids: [ElementID] { storage.names.map { ElementID(name: $0) } }

  /// The identity of the element at an index. It stays the same wherever the element moves.
  ///
  /// - Complexity: O(log *n*)
  public func id(at index: Int) -> ElementID { ElementID(name: storage.name(at: index)) }

  /// Where the element stands now; nil once it is gone.
  ///
  /// - Complexity: O(log *n*)
  public func index(of id: ElementID) -> Int? { storage.index(of: id.name) }

  /// The element, wherever it stands; depends on it alone. Nil once it is gone: a write is then dropped and reported.
  public subscript(id: ElementID) -> Element? {
    get { storage.element(id.name) }
    set {
      if let newValue {
        storage.write { [.set(id.name, newValue)] }
      } else {
        storage.remove([id.name])
      }
    }
  }

  /// The values that stand beside each other in one element because they were written concurrently, the visible one
  /// first; empty where there is no conflict.
  public func conflicts(at index: Int) -> [Conflict<Element>] {
    storage.conflicts(of: storage.name(at: index))
  }

  // MARK: Editing, each call one change

  /// Adds an element at the end.
  ///
  /// - Complexity: O(log *n*)
  public func append(_ element: Element) {
    append(contentsOf: CollectionOfOne(element))
  }

  /// Adds elements at the end, as one operation.
  public func append(contentsOf elements: some Sequence<Element>) {
    let new = Array(elements)
    storage.write { [.insert(new, at: storage.presentCount)] }
  }

  /// Inserts an element before the one at `index`, or at the end for `count`.
  ///
  /// - Complexity: O(log *n*)
  public func insert(_ element: Element, at index: Int) {
    insert(contentsOf: CollectionOfOne(element), at: index)
  }

  /// Inserts elements before the one at `index`, as one operation.
  public func insert(contentsOf elements: some Sequence<Element>, at index: Int) {
    let place = storage.gap(at: index)
    let new = Array(elements)
    storage.write { [.insert(new, at: storage.index(of: place))] }
  }

  /// - Returns: What stood there, read for nobody.
  @discardableResult
  public func remove(at index: Int) -> Element {
    while true {
      let name = untracked { storage.name(at: index) }
      if let element = untracked({ storage.element(name) }) {
        storage.remove([name])
        return element
      }
      // It went before it was read, and another one stands there.
      precondition(storage.presentIndex(of: name) == nil, "The element at \(index) cannot be read.")
    }
  }

  /// Removes the elements at these indices, for all members.
  public func removeSubrange(_ range: Range<Int>) {
    storage.remove(storage.names(in: range))
  }

  /// Removes every element that this replica shows. An element that another one inserts concurrently stays.
  public func removeAll() {
    storage.write { [.remove(0..<storage.presentCount)] }
  }

  /// Removes the elements for which `isDoomed` returns true. It is asked with nothing noted.
  public func removeAll(where isDoomed: (Element) throws -> Bool) rethrows {
    let present = storage.present
    storage.remove(try untracked { try present.filter { try isDoomed($0.element) } }.map(\.name))
  }

  /// Removes the elements at these indices and inserts others in their place.
  public func replaceSubrange(_ range: Range<Int>, with elements: some Sequence<Element>) {
    let (old, place, new) = (storage.names(in: range), storage.gap(at: range.upperBound), Array(elements))
    storage.write {
      let removals = storage.removals(of: old)
      return removals + [.insert(new, at: storage.index(of: place, without: removals))]
    }
  }

  /// Moves an element so that it stands at `destination` afterwards.
  public func move(from index: Int, to destination: Int) {
    let (name, _) = untracked { (storage.name(at: index), storage.name(at: destination)) }
    storage.write { [.move(name, to: Swift.min(destination, Swift.max(0, storage.presentCount - 1)))] }
  }

  /// Moves elements, in their order, before the one that is now at `offset`, as SwiftUI's lists ask for it.
  public func move(fromOffsets offsets: some Sequence<Int>, toOffset offset: Int) {
    let names = untracked { storage.names }
    precondition(offset >= 0 && offset <= names.count, "\(offset) is not within 0...\(names.count).")
    let moved = Set(offsets).sorted().map { names[$0] }
    let (before, isMoved) = (Set(names[..<offset]), Set(moved))
    storage.reorder { names in
      let there = Set(names)
      // What came since stays where it is beside what was there.
      let border = names.lastIndex { before.contains($0) }.map { $0 + 1 } ?? 0
      return names[..<border].filter { !isMoved.contains($0) } + moved.filter { there.contains($0) }
        + names[border...].filter { !isMoved.contains($0) }
    }
  }

  /// Removes the elements at the offsets, as SwiftUI's lists ask for it.
  public func remove(atOffsets offsets: some Sequence<Int>) {
    let names = untracked { storage.names }
    storage.remove(Set(offsets).sorted().map { names[$0] })
  }

  /// Exchanges two elements by moving them.
  public func swapAt(_ first: Int, _ second: Int) {
    let (low, high) = first < second ? (first, second) : (second, first)
    if low == high { return }
    let (lower, upper) = untracked { (storage.name(at: low), storage.name(at: high)) }
    storage.write {
      guard let low = storage.presentIndex(of: lower), let high = storage.presentIndex(of: upper) else { return [] }
      return low < high
        ? [.move(upper, to: low), .move(lower, to: high)] : [.move(lower, to: high), .move(upper, to: low)]
    }
  }

  /// Puts the elements in order by moving those that stand wrong, as few as possible.
  public func sort(by isLess: (Element, Element) throws -> Bool) rethrows {
    let sorted = try storage.present.sorted { try isLess($0.element, $1.element) }.map(\.name)
    let places = Dictionary(uniqueKeysWithValues: zip(sorted, sorted.indices))
    // What came since stands behind them.
    storage.reorder { names in
      names.filter { places[$0] != nil }.sorted { places[$0]! < places[$1]! } + names.filter { places[$0] == nil }
    }
  }

  /// Moves the elements into the opposite order.
  public func reverse() {
    storage.reorder { $0.reversed() }
  }
}

// The elements are guarded, and handed out only where they may be shared.
extension ReplicatedArray: @unchecked Sendable where Element: Sendable {}

extension ReplicatedArray where Element: Comparable {
  /// Moves the elements into ascending order.
  public func sort() { sort(by: <) }
}

extension ReplicatedArray: RandomAccessCollection, MutableCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { count }
  public func index(after index: Int) -> Int { index + 1 }
  public func index(before index: Int) -> Int { index - 1 }

  /// Goes over the elements as they stand when it begins; depends on the order, and on each element it comes to.
  public func makeIterator() -> some IteratorProtocol<Element> {
    storage.names.lazy.compactMap { [storage] in storage.element($0) }.makeIterator()
  }

  // Beside a writer on another thread the count is no promise: whoever goes over all elements takes them from the
  // iterator, and not index by index.

  /// 0: elements may go while somebody goes over them.
  public var underestimatedCount: Int { 0 }

  /// What `transform` makes of each element, as they stand when it begins.
  public func map<Mapped, Failure: Error>(
    _ transform: (Element) throws(Failure) -> Mapped
  ) throws(Failure) -> [Mapped] {
    var mapped: [Mapped] = []
    var elements = makeIterator()
    while let element = elements.next() { mapped.append(try transform(element)) }
    return mapped
  }

  /// The first element; nil if there is none.
  public var first: Element? { storage.elementIfAny(at: 0) }
  /// The last element; nil if there is none.
  public var last: Element? { storage.elementIfAny(at: storage.count - 1) }

  /// Where the first element stands for which `isWanted` holds; nil if it holds for none.
  ///
  /// - Complexity: O(*n*)
  public func firstIndex(where isWanted: (Element) throws -> Bool) rethrows -> Int? {
    for (index, name) in storage.names.enumerated() {
      if let element = storage.element(name), try isWanted(element) { return index }
    }
    return nil
  }

  /// All elements as they stand: what an array is made of.
  public func _copyToContiguousArray() -> ContiguousArray<Element> {
    ContiguousArray(IteratorSequence(makeIterator()))
  }
}

extension ReplicatedArray where Element: Equatable {
  /// Where the first element stands that equals this one; nil if none does.
  ///
  /// - Complexity: O(*n*)
  public func firstIndex(of element: Element) -> Int? { firstIndex { $0 == element } }
}

extension ReplicatedArray: ExpressibleByArrayLiteral {
  public convenience init(arrayLiteral elements: Element...) {
    self.init(elements)
  }
}

extension ReplicatedArray: CustomStringConvertible {
  public var description: String { "\(Array(self))" }
}
