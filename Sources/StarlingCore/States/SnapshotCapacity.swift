/// How much may be added to a document before its snapshot lists more than peers take.
///
/// Counting takes a walk through the document, so it is done seldom: an operation adds no more than a few entries, and
/// until all that was left would be used up by those nobody counts.
///
/// ```
/// entries   [======== counted ========|-- spent since, at most --|----- left -----]  entryCountMax
/// ```
struct SnapshotCapacity: Sendable {
  /// Tests set a lower one.
  var entryCountMax = ChangeLimits.snapshotEntryCountMax {
    didSet { recount() }
  }
  /// What was counted last.
  private(set) var entryCount = 0
  /// What may still be added before counting again.
  private var left: UInt64 = 0
  /// `Document.emptied.releaseCount` when the document was found full: while no row is given back, it stays so.
  private(set) var fullSince: UInt64?

  /// What one operation adds at most: an object, its slot, and the entry or the runs that it parts.
  private static let entriesPerOperation: UInt64 = 4

  /// - Returns: Whether there is space for so many operations without counting.
  @inline(__always)
  mutating func take(_ operationCount: Int) -> Bool {
    let count = UInt64(operationCount) &* Self.entriesPerOperation
    guard left >= count else { return false }
    left &-= count
    return true
  }

  /// Something was merged, whether or not there is space.
  @inline(__always)
  mutating func spend(_ operationCount: UInt64) {
    let (count, overflows) = operationCount.multipliedReportingOverflow(by: Self.entriesPerOperation)
    left = overflows || count > left ? 0 : left &- count
  }

  /// The next write counts.
  mutating func recount() {
    left = 0
    fullSince = nil
  }

  fileprivate mutating func note(_ count: Int, releaseCount: UInt64, needing operationCount: Int) -> Bool {
    entryCount = count
    left = UInt64(max(0, entryCountMax - count))
    fullSince = nil
    if take(operationCount) { return true }
    fullSince = releaseCount
    return false
  }
}

extension Document {
  /// Whether so many more operations may add something; counts if that is not known.
  ///
  /// - Complexity: O(1) nearly always, O(*n*) at last for each half of what is left.
  mutating func takeCapacity(_ operationCount: Int) -> Bool {
    if capacity.take(operationCount) { return true }
    if capacity.fullSince == emptied.releaseCount { return false }
    var count = snapshotEntryCount
    if unopened != nil, count > capacity.entryCountMax / 2 {
      // The runs of texts that are left in the store count too.
      openTexts()
      count = snapshotEntryCount
    }
    return capacity.note(count, releaseCount: emptied.releaseCount, needing: operationCount)
  }

  /// How much the snapshot lists at most, as readers count it.
  private var snapshotEntryCount: Int {
    var count = objects.count
    for object in objects.handles { count += Int(objects[object].presentCount) }
    for hidden in moves.hidden.values { count += 2 + hidden.count }
    if slots.compoundCount > 0 {
      for slot in slots.handles where slots[slot].isCompound {
        let compound = slots[compound: slot]
        if !compound.siblings.isEmpty || !compound.shares.isEmpty {
          count += 1 + compound.siblings.count + compound.shares.count
        }
      }
    }
    for sequence in sequenceHandles {
      let tree = sequences[sequence].tree
      count += tree.spanCount + sequences[sequence].marks.count + (tree.holdsText ? 0 : tree.itemCount)
    }
    return count
  }
}

extension VersionVector {
  /// Refuses a claim that would leave its replica nothing to write.
  func checkClaims() throws(MergeError) {
    for entry in entries where entry.counter > ChangeLimits.claimedCounterMax {
      throw MergeError(
        .inconsistentSnapshot,
        "The state claims \(entry.counter) operations of \(entry.replica), more than anybody writes.",
        where: .snapshot)
    }
  }
}
