/// What a reader read, in order, and the slots that its links lie in. Touched by whoever runs the reader.
///
/// A run goes along the links of the last one: `last` is where it stands, and the link in turn is used again if it
/// leads to what is read next. What the run leaves out is passed over, what it adds is put between, and what is left
/// in the end is dropped:
///
///     last run    a ─ b ─ c ─ d ─ e
///     this run    a ─ c ─ x ─ d        passed over: b    put between: x    left: e
struct Dependencies: ~Copyable {
  private var first: LinkPointer?
  private var last: LinkPointer?
  private var passed: LinkPointer?
  /// Slots that were dropped, to be used first.
  private var free: LinkPointer?
  private var slabs: [UnsafeMutableBufferPointer<Link>] = []
  /// The slots of the last slab that were never used, as far as `slabEnd`.
  private var unused: LinkPointer?
  private var slabEnd: LinkPointer?

  /// How many links in a row a run may leave out before it makes new ones.
  private static var passedInRowMax: Int { 8 }

  deinit {
    for slab in slabs { slab.deallocate() }
  }

  /// The link that the last run made next.
  private var turn: LinkPointer? {
    @inline(__always) get { last == nil ? first : last?.next }
  }

  /// A run begins: what it reads is compared with what the last one read.
  mutating func rewind() {
    last = nil
  }

  /// Notes a read of `source`, under its lock.
  @inline(__always) mutating func note(_ source: SourcePointer, run: UInt64, reader: ReaderPointer) {
    if let turn, turn.pointee.sourceNumber == source.pointee.number {
      turn.renew(source, run: run)
      last = turn
    } else {
      noteOutOfTurn(source, run: run, reader: reader)
    }
  }

  @inline(never) private mutating func noteOutOfTurn(_ source: SourcePointer, run: UInt64, reader: ReaderPointer) {
    if !passOver(to: source, run: run) { insert(source, run: run, reader: reader) }
  }

  /// Looks for the source a little further along.
  private mutating func passOver(to source: SourcePointer, run: UInt64) -> Bool {
    guard let turn else { return false }
    var before = turn
    for _ in 0..<Self.passedInRowMax {
      guard let link = before.next else { return false }
      if link.pointee.sourceNumber == source.pointee.number {
        before.next = passed
        passed = turn
        step(to: link)
        link.renew(source, run: run)
        return true
      }
      before = link
    }
    return false
  }

  private mutating func insert(_ source: SourcePointer, run: UInt64, reader: ReaderPointer) {
    let link = slot()
    link.initialize(to: Link(source, run: run, reader: reader, next: turn))
    step(to: link)
    source.add(link)
  }

  private mutating func step(to link: LinkPointer) {
    if let last { last.next = link } else { first = link }
    last = link
  }

  /// A run ended: what the last one read and this one did not is dropped.
  @inline(__always) mutating func trim() {
    if turn != nil || passed != nil { cut() }
  }

  @inline(never) private mutating func cut() {
    let left = turn
    if let last { last.next = nil } else { first = nil }
    releaseLinks(left)
    releaseLinks(passed)
    passed = nil
  }

  private mutating func releaseLinks(_ links: LinkPointer?) {
    var next = links
    var owningLock: HomePointer?
    while let link = next {
      next = link.next
      link.unlink(under: &owningLock)
      link.next = free
      free = link
    }
    owningLock?.unlock()
  }

  /// Drops everything.
  mutating func removeAll() {
    rewind()
    trim()
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

  @inline(__always) private mutating func slot() -> LinkPointer {
    if let slot = free {
      free = slot.next
      return slot
    }
    if unused == slabEnd { grow() }
    let slot = unused.unsafelyUnwrapped
    unused = slot + 1
    return slot
  }

  /// Doubles the slots; a slab never moves, since sources point into it.
  @inline(never) private mutating func grow() {
    let slab = UnsafeMutableBufferPointer<Link>.allocate(capacity: slabs.last.map { $0.count * 2 } ?? 4)
    slabs.append(slab)
    unused = slab.baseAddress
    slabEnd = slab.baseAddress.map { $0 + slab.count }
  }
}
