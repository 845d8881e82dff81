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
    storage.write([.insert(Array(elements), at: 0)])
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
    set { storage.write([.set(untracked { storage.name(at: index) }, newValue)]) }
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
        storage.write([.set(id.name, newValue)])
      } else if let index = untracked({ storage.index(of: id.name) }) {
        remove(at: index)
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
    insert(element, at: storage.presentCount)
  }

  /// Adds elements at the end, as one operation.
  public func append(contentsOf elements: some Sequence<Element>) {
    insert(contentsOf: elements, at: storage.presentCount)
  }

  /// Inserts an element before the one at `index`, or at the end for `count`.
  ///
  /// - Complexity: O(log *n*)
  public func insert(_ element: Element, at index: Int) {
    insert(contentsOf: CollectionOfOne(element), at: index)
  }

  /// Inserts elements before the one at `index`, as one operation.
  public func insert(contentsOf elements: some Sequence<Element>, at index: Int) {
    check(index..<index)
    storage.write([.insert(Array(elements), at: index)])
  }

  /// - Returns: What stood there, read for nobody.
  @discardableResult
  public func remove(at index: Int) -> Element {
    let element = untracked { self[index] }
    storage.write([.remove(index..<index + 1)])
    return element
  }

  /// Removes the elements at these indices, for all members.
  public func removeSubrange(_ range: Range<Int>) {
    check(range)
    storage.write([.remove(range)])
  }

  /// Removes every element that this replica shows. An element that another one inserts concurrently stays.
  public func removeAll() {
    storage.write([.remove(0..<storage.presentCount)])
  }

  /// Removes the elements for which `isDoomed` returns true. It is asked with nothing noted.
  public func removeAll(where isDoomed: (Element) throws -> Bool) rethrows {
    let present = storage.present
    let doomed = try untracked { try present.indices.filter { try isDoomed(present[$0].element) } }
    storage.write(doomed.reversed().map { .remove($0..<$0 + 1) })
  }

  /// Removes the elements at these indices and inserts others in their place.
  public func replaceSubrange(_ range: Range<Int>, with elements: some Sequence<Element>) {
    check(range)
    storage.write([.remove(range), .insert(Array(elements), at: range.lowerBound)])
  }

  /// Moves an element so that it stands at `destination` afterwards.
  public func move(from index: Int, to destination: Int) {
    check(destination..<destination + 1)
    storage.write([.move(untracked { storage.name(at: index) }, to: destination)])
  }

  /// Moves elements, in their order, before the one that is now at `offset`, as SwiftUI's lists ask for it.
  public func move(fromOffsets offsets: some Sequence<Int>, toOffset offset: Int) {
    let names = untracked { storage.names }
    check(offset..<offset)
    let moved = Set(offsets)
    let (before, behind) = (names[..<offset], names[offset...])
    let stay = { (part: ArraySlice<UInt64>) in part.indices.filter { !moved.contains($0) }.map { names[$0] } }
    storage.reorder(stay(before) + moved.sorted().map { names[$0] } + stay(behind))
  }

  /// Removes the elements at the offsets, as SwiftUI's lists ask for it.
  public func remove(atOffsets offsets: some Sequence<Int>) {
    storage.write(Set(offsets).sorted(by: >).map { .remove($0..<$0 + 1) })
  }

  /// Exchanges two elements by moving them.
  public func swapAt(_ first: Int, _ second: Int) {
    let (low, high) = first < second ? (first, second) : (second, first)
    if low == high { return }
    let (lower, upper) = untracked { (storage.name(at: low), storage.name(at: high)) }
    storage.write([.move(upper, to: low), .move(lower, to: high)])
  }

  /// Puts the elements in order by moving those that stand wrong, as few as possible.
  public func sort(by isLess: (Element, Element) throws -> Bool) rethrows {
    let sorted = try storage.present.sorted { try isLess($0.element, $1.element) }
    storage.reorder(sorted.map(\.name))
  }

  /// Moves the elements into the opposite order.
  public func reverse() {
    storage.reorder(untracked { storage.names }.reversed())
  }

  private func check(_ range: Range<Int>) {
    let count = storage.presentCount
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "\(range) is not within 0..<\(count).")
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
}

extension ReplicatedArray: ExpressibleByArrayLiteral {
  public convenience init(arrayLiteral elements: Element...) {
    self.init(elements)
  }
}

extension ReplicatedArray: CustomStringConvertible {
  public var description: String { "\(Array(self))" }
}
