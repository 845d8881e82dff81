extension Snapshot {
  /// The entries of a slot. One, as nearly every slot has, stands in the slot and takes no memory of its own.
  public struct Entries: Hashable, Sendable {
    @usableFromInline enum Storage: Hashable, Sendable {
      case one(Entry)
      /// None, or more than one.
      case several([Entry])
    }

    @usableFromInline var storage: Storage

    @inlinable
    public init() { storage = .several([]) }

    @inlinable
    public init(_ entry: Entry) { storage = .one(entry) }

    @inlinable
    public init(_ entries: some Swift.Sequence<Entry>) {
      let entries = Array(entries)
      storage = entries.count == 1 ? .one(entries[0]) : .several(entries)
    }

    /// The entry, where there is one and no other.
    @inlinable
    public var only: Entry? {
      if case .one(let entry) = storage { entry } else { nil }
    }
  }
}

extension Snapshot.Entries: RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
  @inlinable public var startIndex: Int { 0 }

  @inlinable public var endIndex: Int {
    switch storage {
    case .one: 1
    case .several(let entries): entries.count
    }
  }

  @inlinable
  public subscript(place: Int) -> Entry {
    get {
      switch storage {
      case .one(let entry):
        precondition(place == 0, "Entry \(place) of one.")
        return entry
      case .several(let entries): return entries[place]
      }
    }
    set { replaceSubrange(place..<place + 1, with: CollectionOfOne(newValue)) }
  }

  @inlinable
  public mutating func replaceSubrange(_ places: Range<Int>, with entries: some Collection<Entry>) {
    var all = Array(self)
    all.replaceSubrange(places, with: entries)
    self = Snapshot.Entries(all)
  }

  @inlinable
  public mutating func append(_ entry: Entry) {
    switch storage {
    case .one(let first): storage = .several([first, entry])
    case .several(var entries):
      if entries.isEmpty {
        storage = .one(entry)
      } else {
        storage = .several([])
        entries.append(entry)
        storage = .several(entries)
      }
    }
  }
}

extension Snapshot.Entries: ExpressibleByArrayLiteral {
  @inlinable
  public init(arrayLiteral entries: Entry...) { self.init(entries) }
}
