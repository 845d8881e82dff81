package import StarlingCore

/// What many edits of one list or text come to, in no more of them than lead to the same.
///
/// ```
///   edits    remove 2 at 5, insert 3 at 9, remove 1 at 10
///   runs     [kept 5] [gone 2] [kept 4] [new 2]      behind the last everything is kept
/// ```
///
/// Its runs grow with what differs, not with the number of edits.
package struct EditScript {
  private enum Standing {
    /// There before and after.
    case kept
    case gone
    case new
  }

  private struct Run {
    var standing: Standing
    var count: Int
  }

  private var runs: [Run] = []

  private init() {}

  private init(_ standing: Standing, _ count: Int, at index: Int) {
    append(.kept, index)
    append(standing, count)
  }

  /// - Complexity: O(*n* log *n*) in the edits.
  private init(_ edits: ArraySlice<SequenceEdit>) {
    if edits.count > 1 {
      let middle = edits.startIndex + edits.count / 2
      self = EditScript(edits[..<middle]).followed(by: EditScript(edits[middle...]))
      return
    }
    switch edits.first {
    case .insert(let index, let count)?: self.init(.new, count, at: index)
    case .remove(let index, let count)?: self.init(.gone, count, at: index)
    case .move(let from, let to)?: self = EditScript(.gone, 1, at: from).followed(by: EditScript(.new, 1, at: to))
    case .mark?, nil: self.init()
    }
  }

  /// Edits that lead to the same as `edits` do one after another. An item that was moved is one that went and one that
  /// came. Of several marks one is left, over a range that holds all of theirs.
  ///
  /// - Complexity: O(*n* log *n*) in the edits.
  package static func condensed(_ edits: [SequenceEdit]) -> [SequenceEdit] {
    var condensed = EditScript(edits[...]).edits
    if let marked = markedRange(edits) { condensed.append(.mark(at: marked.lowerBound, count: marked.count)) }
    return condensed
  }

  // MARK: Composition

  /// Both scripts in one; the other counts in what this one leaves. What comes where something has gone stands before
  /// it.
  ///
  /// - Complexity: O(runs)
  private func followed(by other: EditScript) -> EditScript {
    var whole = EditScript()
    var place = 0
    var rest = runs.first?.count ?? 0
    /// Passes over so many items of what this script leaves, and over what went on the way.
    func pass(_ count: Int, removing: Bool) {
      var count = count
      while count > 0 {
        guard place < runs.count else { return whole.append(removing ? .gone : .kept, count) }
        let standing = runs[place].standing
        let part = standing == .gone ? rest : min(rest, count)
        switch standing {
        case .gone: whole.append(.gone, part)
        case .kept: whole.append(removing ? .gone : .kept, part)
        // What came and went was never there.
        case .new: if !removing { whole.append(.new, part) }
        }
        if standing != .gone { count -= part }
        rest -= part
        if rest == 0 {
          place += 1
          rest = place < runs.count ? runs[place].count : 0
        }
      }
    }
    for run in other.runs {
      switch run.standing {
      case .new: whole.append(.new, run.count)
      case .kept: pass(run.count, removing: false)
      case .gone: pass(run.count, removing: true)
      }
    }
    while place < runs.count {
      whole.append(runs[place].standing, rest)
      place += 1
      rest = place < runs.count ? runs[place].count : 0
    }
    return whole
  }

  private mutating func append(_ standing: Standing, _ count: Int) {
    if count == 0 { return }
    if runs.last?.standing == standing {
      runs[runs.count - 1].count += count
    } else {
      runs.append(Run(standing: standing, count: count))
    }
  }

  // MARK: Edits

  /// First everything comes, from the left, and then goes what goes, from the right: so each stands beside the other as
  /// in the runs.
  private var edits: [SequenceEdit] {
    var edits: [SequenceEdit] = []
    var removals: [SequenceEdit] = []
    var index = 0
    for run in runs {
      switch run.standing {
      case .kept: break
      case .new: edits.append(.insert(at: index, count: run.count))
      case .gone: removals.append(.remove(at: index, count: run.count))
      }
      index += run.count
    }
    return edits + removals.reversed()
  }

  /// Where properties may have changed, counted in what the edits leave.
  private static func markedRange(_ edits: [SequenceEdit]) -> Range<Int>? {
    var marked: (start: Int, end: Int)?
    func shift(_ body: (Int) -> Int) { marked = marked.map { (body($0.start), body($0.end)) } }
    func insert(_ count: Int, at index: Int) { shift { $0 > index ? $0 + count : $0 } }
    func remove(_ count: Int, at index: Int) { shift { $0 > index ? max(index, $0 - count) : $0 } }
    for edit in edits {
      switch edit {
      case .insert(let index, let count): insert(count, at: index)
      case .remove(let index, let count): remove(count, at: index)
      case .move(let from, let to):
        remove(1, at: from)
        insert(1, at: to)
      case .mark(let index, let count):
        marked = (min(marked?.start ?? index, index), max(marked?.end ?? index + count, index + count))
      }
    }
    return marked.flatMap { $0.start < $0.end ? $0.start..<$0.end : nil }
  }
}
