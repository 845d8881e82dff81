import StarlingCore

/// Counts the reads of a document that was opened from a stored snapshot (Documentation/Decisions/lazy-snapshots.md),
/// and has the slots that are left there read, some with each further read, once there were many: a caller that reads a
/// few keys of a hundred thousand pays for a few, and one that reads them all pays for each block once.
struct StoredReads {
  /// Nil once nothing is left, or before anybody has looked.
  private var left: (reads: Int, until: Int)?
  private var isDone = false

  /// The share of the blocks after which the rest is read, and so many reads at least.
  private static let share = 16
  private static let readCountMin = 64
  /// Of 64 slots each: some forty microseconds.
  static let blockCountAtOnce = 4

  @inline(__always)
  mutating func note(in document: inout Document) {
    if !isDone { count(in: &document) }
  }

  @inline(never)
  private mutating func count(in document: inout Document) {
    let (reads, until) = left ?? (0, max(Self.readCountMin, document.storedBlockCount / Self.share))
    left = (reads + 1, until)
    // A writer's transaction goes back to copies; they share what is read between two.
    guard reads >= until || left?.reads == 1, !document.isWriting else { return }
    if reads >= until { document.openSlots(blockCountMax: Self.blockCountAtOnce) }
    isDone = document.storedBlockCount == 0
  }
}
