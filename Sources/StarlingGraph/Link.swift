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
  // What a read looks at comes first and together.
  let sourceNumber: UInt64
  /// What the reader read next; among the free slots, the next of them. The runner's.
  let order: Inline<LinkPointer?>
  /// Guarded by the lock that rules `home`.
  let guarded: Inline<Guarded>
  let home: HomePointer
  let reader: ReaderPointer

  struct Guarded {
    /// The reader's last run that read the source.
    var run: UInt64
    /// The source's version then.
    var version: UInt64
    /// Nil once the source is gone.
    var source: SourcePointer?
    var previousReader: LinkPointer?
    var nextReader: LinkPointer?
  }

  init(_ source: SourcePointer, run: UInt64, reader: ReaderPointer, next: LinkPointer?) {
    sourceNumber = source.pointee.number
    home = source.pointee.home
    self.reader = reader
    guarded = Inline(Guarded(run: run, version: source.guarded.pointee.version, source: source))
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

  /// Notes that `run` read the source too. Under the lock of its home.
  @inline(__always) func renew(_ source: SourcePointer, run: UInt64) {
    guarded.pointee.run = run
    guarded.pointee.version = source.guarded.pointee.version
  }
}
