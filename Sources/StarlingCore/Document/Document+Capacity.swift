// How many items a list or text may hold. Whoever would pass that is refused by name, here and elsewhere: were what
// does not fit passed over, replicas would differ.

extension Document {
  /// Refuses an operation that may bring a list or text more items than it can hold.
  ///
  /// - Parameter count: How many counters the change takes up to the operation: so many items it has inserted at most.
  func checkCapacity(for operation: Operation, count: UInt64, _ name: @autoclosure () -> Dot) throws(MergeError) {
    switch operation.action {
    case .insert, .move: break
    case .set, .remove, .increment, .removeRun, .mark: return
    }
    let tree = objects.find(operation.object).flatMap { sequence(of: $0) }
    guard !hasCapacity(for: count, in: tree) else { return }
    throw MergeError(
      .tooManyItems, "The list or text cannot hold \(count) items more: \(ChangeLimits.itemCountMax) are allowed.",
      where: .operation(name()))
  }

  @inline(__always)
  func hasCapacity(for count: UInt64, in sequence: SequenceHandle?) -> Bool {
    let items = sequence.map { sequences[$0].tree.itemCount } ?? 0
    let bytes = sequence.map { sequences[$0].tree.utf8Count } ?? 0
    return count <= UInt64(SequenceTree.itemCountMax - items) && 4 * count <= UInt64(SequenceTree.utf8CountMax - bytes)
  }

  /// Refuses the write of so many more items to the open change, if others might refuse the change for it.
  mutating func admitItems(_ count: Int, under key: Key, in object: ObjectHandle) -> Bool {
    let sequence = sequence(of: object)
    let sum = open.lastCounter + 1 - open.firstCounter + UInt64(count)
    if hasCapacity(for: sum, in: sequence) { return true }
    let items = sequence.map { sequences[$0].tree.itemCount } ?? 0
    refuse(.items, under: key, in: object, size: items + Int(sum), limit: ChangeLimits.itemCountMax)
    return false
  }

  /// Refuses a state whose items, with those here, may be more than a list or text can hold.
  func checkCapacity(forItemsOf other: Document) throws(MergeError) {
    for theirs in other.sequenceHandles {
      let id = other.objects[other.sequences[theirs].object].id
      let tree = other.sequences[theirs].tree
      let count = max(tree.itemCount, (tree.utf8Count + 3) / 4)
      guard let sequence = sequence(of: id), !hasCapacity(for: UInt64(count), in: sequence) else { continue }
      throw MergeError(
        .tooManyItems, "The list or text cannot hold \(count) items more: \(ChangeLimits.itemCountMax) are allowed.",
        where: .object(id))
    }
  }
}
