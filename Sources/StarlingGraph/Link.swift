/// One line of the graph: a reader read a source.
///
/// A link stands in two lists. The source's, over which a write finds its readers, is guarded by the lock that
/// rules `home`. The reader's, in the order of its reads, belongs to whoever runs the reader, and so do the
/// slots that links lie in: a run that reads the same sources again allocates nothing.
///
///     source a ─▶ link ◀─▶ link                      previousReader, nextReader
///                  │ next
///     source b ─▶ link ◀─▶ link ◀─▶ link
///                  │ next
///     reader ──────┘ dependencies
///
/// A source may die first: it leaves `source` nil behind, under the lock. Identity is compared by number, never
/// by address, since the next source may lie where the last one lay.
struct Link: ~Copyable {
  let sourceNumber: UInt64
  let home: HomePointer
  let reader: ReaderPointer
  /// Guarded by the lock that rules `home`.
  let guarded: Inline<Guarded>
  /// What the reader read next; among the free slots, the next of them. The runner's.
  let order: Inline<LinkPointer?>

  struct Guarded {
    /// Nil once the source is gone.
    var source: SourcePointer?
    var previousReader: LinkPointer?
    var nextReader: LinkPointer?
    /// The reader's last run that read the source.
    var run: UInt64
    /// The source's version then.
    var version: UInt64
  }

  init(_ source: SourcePointer, run: UInt64, reader: ReaderPointer, next: LinkPointer?) {
    sourceNumber = source.pointee.number
    home = source.pointee.home
    self.reader = reader
    guarded = Inline(Guarded(source: source, run: run, version: source.guarded.pointee.version))
    order = Inline(next)
  }
}

typealias LinkPointer = UnsafeMutablePointer<Link>

extension LinkPointer {
  @inline(__always) var guarded: UnsafeMutablePointer<Link.Guarded> { pointee.guarded.address }

  @inline(__always) var next: LinkPointer? {
    get { pointee.order.address.pointee }
    nonmutating set { pointee.order.address.pointee = newValue }
  }
}

/// What a reader read, in order, and the slots that its links lie in. Touched by whoever runs the reader.
struct Dependencies: ~Copyable {
  private(set) var first: LinkPointer?
  /// The last link of the run under way that is known to stand.
  private var last: LinkPointer?
  /// Slots that were let go, to be used first.
  private var free: LinkPointer?
  private var slabs: [UnsafeMutableBufferPointer<Link>] = []
  private var usedInLastSlab = 0

  deinit {
    for slab in slabs { slab.deallocate() }
  }

  /// A run begins: what it reads is compared with what the last one read.
  mutating func rewind() {
    last = nil
  }

  /// Notes a read of `source`, under its lock. The link in turn is used again if it leads there.
  @inline(__always) mutating func note(_ source: SourcePointer, run: UInt64, reader: ReaderPointer) {
    let turn = last == nil ? first : last?.next
    if let turn, turn.pointee.sourceNumber == source.pointee.number {
      turn.guarded.pointee.run = run
      turn.guarded.pointee.version = source.guarded.pointee.version
      last = turn
    } else {
      insert(source, run: run, reader: reader, before: turn)
    }
  }

  @inline(never) private mutating func insert(
    _ source: SourcePointer, run: UInt64, reader: ReaderPointer, before turn: LinkPointer?
  ) {
    let link = slot()
    link.initialize(to: Link(source, run: run, reader: reader, next: turn))
    if let last { last.next = link } else { first = link }
    last = link
    source.add(link)
  }

  /// A run ended: what the last one read and this one did not is let go.
  @inline(__always) mutating func trim() {
    let rest = last == nil ? first : last?.next
    if rest != nil { cut() }
  }

  /// Lets go of everything after `last`.
  @inline(never) private mutating func cut() {
    var rest = last == nil ? first : last?.next
    if let last { last.next = nil } else { first = nil }
    while let link = rest {
      rest = link.next
      link.unlink()
      link.next = free
      free = link
    }
  }

  /// Whether one of the links answers; asked in the order of reading.
  func contains(where answers: (LinkPointer) -> Bool) -> Bool {
    var next = first
    while let link = next {
      if answers(link) { return true }
      next = link.next
    }
    return false
  }

  /// Lets go of everything.
  mutating func removeAll() {
    rewind()
    trim()
  }

  private mutating func slot() -> LinkPointer {
    if let slot = free {
      free = slot.next
      return slot
    }
    if usedInLastSlab == slabs.last?.count ?? 0 { grow() }
    defer { usedInLastSlab += 1 }
    return slabs[slabs.count - 1].baseAddress.unsafelyUnwrapped + usedInLastSlab
  }

  /// Doubles the slots; a slab never moves, since sources point into it.
  private mutating func grow() {
    slabs.append(.allocate(capacity: slabs.last.map { $0.count * 2 } ?? 4))
    usedInLastSlab = 0
  }
}
