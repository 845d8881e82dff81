public import StarlingCore
public import StarlingGraph

/// A dictionary of values or models that merges key by key and is read key by key: a look-up depends
/// on that key alone, `count` on the count, `keys` on which keys there are.
///
/// It is a handle that stays with its property: assigning another dictionary moves the entries over.
///
/// ```swift
/// var prices: ReplicatedDictionary<String, Int> = [:]
/// var books: ReplicatedDictionary<String, Book> = [:]
/// let dune = library.books.model(for: "9780441013593")    // the same object for all who ask
/// ```
///
/// A model becomes an instance when it is read. The dictionary keeps the instances that the graph's
/// observers read, as long as their entries exist. Other callers hold what they read, or the next
/// reader gets a new instance.
///
/// It is a `Sequence` and no `Collection`: an index would name a place that an insertion elsewhere moves.
public final class ReplicatedDictionary<Name: ReplicatedKey, Element>: ReplicatedHandle, CollectionHandle {
  let storage: KeyedStorage<Element>

  init(storage: KeyedStorage<Element>) { self.storage = storage }

  /// An empty dictionary.
  public init() { storage = KeyedStorage() }

  /// The number of entries. A reader of it runs again only when the number changes.
  public var count: Int { storage.count }
  /// Whether there are no entries.
  public var isEmpty: Bool { count == 0 }

  /// The keys that are there, in canonical order.
  public var keys: [Name] { storage.allKeys().compactMap { Name(replicatedKey: $0) } }

  /// The elements in the order of their keys; depends on every entry.
  public var values: [Element] { storage.allKeys().compactMap { storage.element($0) } }

  /// The element under a key. Setting a model puts a new object there; nil removes.
  public subscript(name: Name) -> Element? {
    get { storage.element(name.replicatedKey) }
    set { storage.set(newValue, at: name.replicatedKey) }
  }

  /// The element under a key, or `value` where there is none; reading writes nothing.
  public subscript(name: Name, default value: @autoclosure () -> Element) -> Element {
    get { storage.element(name.replicatedKey) ?? value() }
    set { storage.set(newValue, at: name.replicatedKey) }
  }

  /// Whether there is an entry under this key. A reader of it depends on that key alone.
  public func contains(_ name: Name) -> Bool {
    storage.contains(name.replicatedKey)
  }

  /// - Returns: What was there before, read for nobody.
  @discardableResult
  public func updateValue(_ element: Element, forKey name: Name) -> Element? {
    let key = name.replicatedKey
    let old = storage.present(key)
    storage.set(element, at: key)
    return old
  }

  /// - Returns: What was there before, read for nobody.
  @discardableResult
  public func removeValue(forKey name: Name) -> Element? {
    let key = name.replicatedKey
    guard let old = storage.present(key) else { return nil }
    storage.set(nil, at: key)
    return old
  }

  /// Removes every entry, as one change.
  public func removeAll() {
    storage.write(storage.presentKeys().map { ($0, nil) })
  }

  /// Removes the entries for which `isDoomed` returns true, as one change. It is asked with nothing noted.
  public func removeAll(where isDoomed: ((key: Name, value: Element)) throws -> Bool) rethrows {
    let doomed = try untracked { try entries.filter(isDoomed) }
    storage.write(doomed.map { ($0.key.replicatedKey, nil) })
  }

  /// Takes over entries, as one change. Where a key is there already, `combine` gets the present
  /// element and the new one.
  public func merge(
    _ other: some Sequence<(key: Name, value: Element)>,
    uniquingKeysWith combine: (Element, Element) throws -> Element
  ) rethrows {
    var order: [StarlingCore.Key] = []
    var merged: [StarlingCore.Key: Element] = [:]
    for (name, element) in other {
      let key = name.replicatedKey
      if merged[key] == nil { order.append(key) }
      merged[key] = try (merged[key] ?? storage.present(key)).map { try combine($0, element) } ?? element
    }
    storage.write(order.map { ($0, merged[$0]) })
  }

  private var entries: [(key: Name, value: Element)] { Array(self) }

  func replaceEntries(by other: ReplicatedDictionary) {
    let new = other.storage.presentKeys()
    let kept = Set(new)
    storage.write(
      storage.presentKeys().filter { !kept.contains($0) }.map { ($0, nil) }
        + new.map { ($0, other.storage.present($0)) })
  }
}

// The entries are guarded, and handed out only where they may be shared.
extension ReplicatedDictionary: @unchecked Sendable where Name: Sendable, Element: Sendable {}

extension ReplicatedDictionary where Element: ReplicatedModel {
  /// The model under a key, made if it is not there: two replicas that make it at once make one object. In a model of
  /// the past none is made, and one that was not there shows its defaults.
  public func model(for name: Name) -> Element {
    let key = name.replicatedKey
    if let present = storage.element(key) { return present }
    if let unwritten = storage.unwrittenOfPast(at: key) { return unwritten }
    storage.use(ModelElements<Element>())
    let made = Element._$schema.instance()
    storage.set(made, at: key, isDerived: true)
    return storage.present(key) ?? made
  }
}

extension ReplicatedDictionary: Sequence {
  /// Goes over the entries in the canonical order of their keys.
  public func makeIterator() -> Iterator { Iterator(self) }

  /// The keys are those of the beginning; each element is read when its turn has come.
  public struct Iterator: IteratorProtocol {
    @usableFromInline let dictionary: ReplicatedDictionary
    @usableFromInline let members: GuardedMembers<Element>
    @usableFromInline let rows: [KeyRow]
    @usableFromInline let layout: Int
    @usableFromInline var place = 0

    init(_ dictionary: ReplicatedDictionary) {
      self.dictionary = dictionary
      members = dictionary.storage.members
      (rows, layout) = dictionary.storage.allRows()
    }

    @inlinable public mutating func next() -> (key: Name, value: Element)? {
      while place < rows.count {
        let (key, row) = (rows[place].key, rows[place].row)
        place += 1
        guard let name = Name(replicatedKey: key) else { continue }
        // Where nobody hears of the read it is one of memory.
        if Listeners.here.isEmpty, let element = members.element(inRow: row, of: layout) { return (name, element) }
        if let element = dictionary.element(at: key) { return (name, element) }
      }
      return nil
    }
  }

  @usableFromInline func element(at key: StarlingCore.Key) -> Element? { storage.element(key) }
}

extension ReplicatedDictionary: ExpressibleByDictionaryLiteral {
  public convenience init(dictionaryLiteral elements: (Name, Element)...) {
    self.init()
    storage.write(elements.map { ($0.0.replicatedKey, $0.1) })
  }
}
