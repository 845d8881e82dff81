@testable import StarlingCore

/// What one replica did to a strand, as others hear of it.
enum StrandEdit {
  case insert(ItemRun, Place, String)
  case remove([ItemRun])
}

extension Strand {
  mutating func apply(_ edit: StrandEdit) {
    switch edit {
    case .insert(let run, let place, let string): insert(run, at: place, string: string)
    case .remove(let runs): for run in runs { remove(run) }
    }
  }
}

extension ReferenceStrand {
  mutating func apply(_ edit: StrandEdit) {
    switch edit {
    case .insert(let run, let place, let string): insert(run, at: place, text: Array(string.unicodeScalars))
    case .remove(let runs): for run in runs { setLiveness(of: run, to: false) }
    }
  }
}

/// A replica that writes into a strand of its own.
struct Writer {
  let replica: ReplicaHandle
  var strand: Strand
  var counter: UInt64 = 0

  init(_ replica: UInt32, _ strand: Strand = Strand(holdsText: true)) {
    self.replica = ReplicaHandle(rawValue: replica)
    self.strand = strand
  }

  /// Writes at the visible index, and says what others must hear.
  mutating func write(_ string: String, at index: Int) -> StrandEdit {
    let run = ItemRun(first: DotRow(replica: replica, counter: counter + 1), count: string.unicodeScalars.count)
    counter += UInt64(run.count)
    let edit = StrandEdit.insert(run, strand.place(forInsertAt: index), string)
    strand.apply(edit)
    return edit
  }

  mutating func erase(_ range: Range<Int>) -> StrandEdit {
    let edit = StrandEdit.remove(strand.runs(in: range))
    counter += 1
    strand.apply(edit)
    return edit
  }
}
