/// The edits that make one text of another: what is common in front and behind stays, and between them what a
/// comparison scalar by scalar leaves, where that is short enough to compare.
package struct TextDifference {
  /// Each counting in what the one before left: the last place first.
  package private(set) var edits: [(range: Range<Int>, text: String)] = []

  /// Middles of more scalars are replaced whole: comparing is quadratic in the worst case.
  private static let comparedCountMax = 512

  /// - Complexity: O(*n*), and O(m²) for the *m* scalars that are compared.
  package init(from old: String, to new: String) {
    let (old, new) = (Array(old.unicodeScalars), Array(new.unicodeScalars))
    let shorter = min(old.count, new.count)
    var (prefix, suffix) = (0, 0)
    while prefix < shorter, old[prefix] == new[prefix] { prefix += 1 }
    while suffix < shorter - prefix, old[old.count - 1 - suffix] == new[new.count - 1 - suffix] { suffix += 1 }
    let (removed, arrived) = (prefix..<old.count - suffix, prefix..<new.count - suffix)
    if removed.isEmpty, arrived.isEmpty { return }
    if removed.isEmpty || arrived.isEmpty || max(removed.count, arrived.count) > Self.comparedCountMax {
      edits = [(removed, String(new[arrived]))]
    } else {
      compare(old[removed], new[arrived])
    }
  }

  private mutating func compare(_ old: ArraySlice<Unicode.Scalar>, _ new: ArraySlice<Unicode.Scalar>) {
    let difference = Array(new).difference(from: Array(old))
    var isRemoved = [Bool](repeating: false, count: old.count)
    for case .remove(let offset, _, _) in difference.removals { isRemoved[offset] = true }
    var isNew = [Bool](repeating: false, count: new.count)
    for case .insert(let offset, _, _) in difference.insertions { isNew[offset] = true }
    var (from, to) = (0, 0)
    while from < old.count || to < new.count {
      let (start, first) = (from, to)
      while from < old.count, isRemoved[from] { from += 1 }
      while to < new.count, isNew[to] { to += 1 }
      if start < from || first < to {
        let text = String(new[new.startIndex + first..<new.startIndex + to])
        edits.append((old.startIndex + start..<old.startIndex + from, text))
      } else {
        from += 1
        to += 1
      }
    }
    edits.reverse()
  }
}

extension String {
  fileprivate init(_ scalars: ArraySlice<Unicode.Scalar>) {
    self.init(String.UnicodeScalarView(scalars))
  }
}
