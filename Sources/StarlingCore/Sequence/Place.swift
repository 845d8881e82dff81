/// Where an item was inserted; it stays there for ever.
struct Place: Hashable, Sendable {
  /// Another item, or `DotRow.start`.
  var parent: DotRow
  var side: Side
}

/// Items with consecutive counters of one replica.
struct ItemRun: Hashable, Sendable {
  var first: DotRow
  var count: Int

  init(first: DotRow, count: Int) {
    self.first = first
    self.count = count
  }

  init(_ item: DotRow) {
    self.init(first: item, count: 1)
  }

  var last: DotRow { first.advanced(by: count - 1) }
}

/// Runs of items in order: mostly one, which takes no memory of its own.
struct ItemRuns: RandomAccessCollection, MutableCollection, Hashable, Sendable {
  private var first: ItemRun?
  private var others: [ItemRun] = []

  init() {}

  init(_ run: ItemRun) { first = run }

  var startIndex: Int { 0 }
  var endIndex: Int { first == nil ? 0 : 1 + others.count }

  subscript(index: Int) -> ItemRun {
    get { index == 0 ? first! : others[index - 1] }
    set { if index == 0 { first = newValue } else { others[index - 1] = newValue } }
  }

  mutating func append(_ run: ItemRun) {
    if first == nil { first = run } else { others.append(run) }
  }

  /// Adds the run, which is one with the last if its dots run on from there.
  mutating func join(_ run: ItemRun) {
    guard let last, last.first.advanced(by: last.count) == run.first else { return append(run) }
    self[count - 1].count += run.count
  }
}

extension DotRow {
  /// The root of every sequence, which stands before its first item.
  static let start = DotRow(replica: .none, counter: 0)

  /// The item that many counters further on.
  @inline(__always)
  func advanced(by distance: Int) -> DotRow {
    DotRow(replica: replica, counter: counter &+ UInt64(distance))
  }
}
