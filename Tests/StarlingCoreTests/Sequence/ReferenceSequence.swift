@testable import StarlingCore

/// A strand read literally: a tree of items, walked from its root for every answer.
struct ReferenceSequence {
  struct Item {
    var place: Place
    var isLive: Bool
    var scalar: Unicode.Scalar?
  }

  private(set) var items: [DotRow: Item] = [:]
  private var children: [Place: [DotRow]] = [:]
  /// All items in order, as of the last `settle`.
  private(set) var order: [DotRow] = []

  /// The order of replicas in these tests: not that of their handles.
  static func isBefore(_ left: ReplicaHandle, _ right: ReplicaHandle) -> Bool { left.rawValue > right.rawValue }

  var live: [DotRow] { order.filter { items[$0]!.isLive } }

  var text: String {
    var text = String.UnicodeScalarView()
    for item in live { text.append(items[item]!.scalar!) }
    return String(text)
  }

  mutating func insert(_ run: ItemRun, at place: Place, text: [Unicode.Scalar] = [], isLive: Bool = true) {
    var place = place
    for offset in 0..<run.count {
      let item = run.first.advanced(by: offset)
      items[item] = Item(place: place, isLive: isLive, scalar: offset < text.count ? text[offset] : nil)
      children[place, default: []].append(item)
      place = Place(parent: item, side: .right)
    }
  }

  mutating func setLiveness(of run: ItemRun, to isLive: Bool) {
    for offset in 0..<run.count { items[run.first.advanced(by: offset)]?.isLive = isLive }
  }

  mutating func purge(_ item: DotRow) -> Bool {
    guard let row = items[item], !row.isLive, !hasChildren(item) else { return false }
    items[item] = nil
    children[row.place]!.removeAll { $0 == item }
    return true
  }

  /// Walks the tree, which questions of order need after insertions and purges.
  mutating func settle() {
    order = walk()
  }

  func hasChildren(_ item: DotRow) -> Bool {
    [Side.left, .right].contains { !(children[Place(parent: item, side: $0)] ?? []).isEmpty }
  }

  private func siblings(_ parent: DotRow, _ side: Side) -> [DotRow] {
    let outwards = (children[Place(parent: parent, side: side)] ?? []).sorted { one, other in
      one.replica == other.replica ? one.counter > other.counter : Self.isBefore(other.replica, one.replica)
    }
    return side == .right ? outwards : outwards.reversed()
  }

  private func walk() -> [DotRow] {
    var walked: [DotRow] = []
    var stack: [(item: DotRow, isOpen: Bool)] = [(.start, false)]
    while let (item, isOpen) = stack.popLast() {
      if isOpen {
        if item != .start { walked.append(item) }
        continue
      }
      for child in siblings(item, .right).reversed() { stack.append((child, false)) }
      stack.append((item, true))
      for child in siblings(item, .left).reversed() { stack.append((child, false)) }
    }
    return walked
  }

  private func isAncestor(_ ancestor: DotRow, of item: DotRow, side: Side? = nil) -> Bool {
    var item = item
    while item != .start {
      let place = items[item]!.place
      if place.parent == ancestor { return side == nil || place.side == side }
      item = place.parent
    }
    return false
  }

  /// The rule for local insertions, word by word.
  func place(forInsertAt index: Int) -> Place {
    let live = live
    let former = index == 0 ? DotRow.start : live[index - 1]
    let start = index == 0 ? 0 : order.firstIndex(of: former)! + 1
    let next = order[start...].first { item in
      items[item]!.isLive || live.contains { isAncestor(item, of: $0) }
    }
    guard let next, isAncestor(former, of: next, side: .right) else { return Place(parent: former, side: .right) }
    return Place(parent: next, side: .left)
  }

  /// The runs of what is live or kept, and of what stands above that.
  func canonicalRuns(keeping kept: [DotRow]) -> [StoredRun] {
    var counted: Set<DotRow> = []
    for base in live + kept {
      var item = base
      while item != .start, counted.insert(item).inserted { item = items[item]!.place.parent }
    }
    return runs(of: order.filter(counted.contains))
  }

  /// Maximal runs in order.
  var runs: [StoredRun] { runs(of: order) }

  private func runs(of order: [DotRow]) -> [StoredRun] {
    var runs: [StoredRun] = []
    for item in order {
      let row = items[item]!
      let bytes = row.isLive ? row.scalar.map { String($0).utf8.count } ?? 0 : 0
      if let last = runs.last, last.isLive == row.isLive, last.run.first.advanced(by: last.run.count) == item,
        row.place == Place(parent: last.run.first.advanced(by: last.run.count - 1), side: .right)
      {
        runs[runs.count - 1].run.count += 1
        runs[runs.count - 1].utf8Count += bytes
      } else {
        runs.append(StoredRun(run: ItemRun(item), place: row.place, isLive: row.isLive, utf8Count: bytes))
      }
    }
    return runs
  }
}

extension SequenceTree {
  /// What snapshots list.
  var storedRuns: [StoredRun] {
    var runs: [StoredRun] = []
    forEachRun { run, _ in runs.append(run) }
    return runs
  }

  func canonicalRuns(keeping kept: [DotRow] = []) -> [StoredRun] {
    var runs: [StoredRun] = []
    forEachCanonicalRun(keeping: kept) { run, _ in runs.append(run) }
    return runs
  }

  var string: String { text(in: 0..<count) }

  @discardableResult
  mutating func insert(_ run: ItemRun, at place: Place, string: String, isLive: Bool = true) -> Int? {
    var string = string
    return string.withUTF8 {
      insert(run, at: place, text: $0, isLive: isLive, isBefore: ReferenceSequence.isBefore)
    }
  }
}
