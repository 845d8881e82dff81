/// The leaves of a text that lie in a store, for the one who opened it.
final class StoredLeaves: Sendable {
  private let store: any SlotStore
  private let places: ContiguousArray<Int>
  /// By their places in the store.
  let replicas: ContiguousArray<ReplicaHandle>
  /// Of all leaves.
  private let text: Scalars
  /// Where the text of each leaf begins, and where all of it ends.
  private let begins: ContiguousArray<UInt32>

  init(
    in store: any SlotStore, _ order: StoredOrder, replicas: ContiguousArray<ReplicaHandle>, text: Scalars
  ) {
    self.store = store
    places = order.places
    self.replicas = replicas
    self.text = text
    var (begins, end) = (ContiguousArray<UInt32>(), UInt32(0))
    begins.reserveCapacity(order.leaves.count + 1)
    for sums in order.leaves {
      begins.append(end)
      end += sums.utf8
    }
    begins.append(end)
    precondition(Int(end) == text.utf8Count, "The leaves of a stored text hold \(end) bytes of \(text.utf8Count).")
    self.begins = begins
  }

  var count: Int { begins.count - 1 }

  /// Where the leaf's text lies in that of all.
  func range(ofLeaf leaf: Int) -> Range<Int> { Int(begins[leaf])..<Int(begins[leaf + 1]) }

  func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result { text.withUTF8(body) }

  func text(ofLeaf leaf: Int) -> ContiguousArray<UInt8> {
    withText { ContiguousArray(UnsafeBufferPointer(rebasing: $0[range(ofLeaf: leaf)])) }
  }

  func spans(ofLeaf leaf: Int) -> ContiguousArray<Span> {
    var spans: ContiguousArray<Span> = []
    spans.reserveCapacity(Leaf.spanCountMax)
    store.forEachSpan(at: places[leaf]..<places[leaf + 1]) { stored in
      let run = ItemRun(first: DotRow(replica: replicas[stored.replica], counter: stored.counter), count: stored.count)
      var span = Span(run, side: stored.side, depth: stored.depth, gap: stored.gap, isLive: stored.isLive)
      (span.utf8Count, span.utf16Count) = (UInt32(stored.utf8Count), UInt32(stored.utf16Count))
      spans.append(span)
    }
    return spans
  }

  /// The leaf as it lies there, for whoever writes it into another store under the same places of replicas.
  func bytes(ofLeaf leaf: Int) -> ArraySlice<UInt8> { store.bytes(at: places[leaf]..<places[leaf + 1]) }
}
