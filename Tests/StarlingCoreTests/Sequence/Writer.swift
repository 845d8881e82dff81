@testable import StarlingCore

/// What one replica did to a sequence, as others hear of it.
enum SequenceTreeEdit {
  case insert(ItemRun, Place, String)
  case remove([ItemRun])
}

extension SequenceTree {
  mutating func apply(_ edit: SequenceTreeEdit) {
    switch edit {
    case .insert(let run, let place, let string): insert(run, at: place, string: string)
    case .remove(let runs): for run in runs { remove(run) }
    }
  }
}

extension ReferenceSequence {
  mutating func apply(_ edit: SequenceTreeEdit) {
    switch edit {
    case .insert(let run, let place, let string): insert(run, at: place, text: Array(string.unicodeScalars))
    case .remove(let runs): for run in runs { setLiveness(of: run, to: false) }
    }
  }
}

/// A replica that writes into a sequence of its own.
struct Writer {
  let replica: ReplicaHandle
  var tree: SequenceTree
  var counter: UInt64 = 0

  init(_ replica: UInt32, _ tree: SequenceTree = SequenceTree(holdsText: true)) {
    self.replica = ReplicaHandle(rawValue: replica)
    self.tree = tree
  }

  /// Writes at the visible index, and says what others must hear.
  mutating func write(_ string: String, at index: Int) -> SequenceTreeEdit {
    let run = ItemRun(first: DotRow(replica: replica, counter: counter + 1), count: string.unicodeScalars.count)
    counter += UInt64(run.count)
    let edit = SequenceTreeEdit.insert(run, tree.place(forInsertAt: index), string)
    tree.apply(edit)
    return edit
  }

  mutating func erase(_ range: Range<Int>) -> SequenceTreeEdit {
    let edit = SequenceTreeEdit.remove(Array(tree.runs(in: range)))
    counter += 1
    tree.apply(edit)
    return edit
  }
}
