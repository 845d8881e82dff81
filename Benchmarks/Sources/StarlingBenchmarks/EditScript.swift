import Measuring
import StarlingCore

/// What one user does in a case of crdt-benchmarks, edit by edit, each a transaction; `peers/peers.py` draws the same.
enum EditScript {
  case text([TextTrace.Edit])
  case numbers([NumberEdit])

  /// Puts numbers before the element at `position`.
  struct NumberEdit {
    var position: Int
    var numbers: [Int64]
  }

  var count: Int {
    switch self {
    case .text(let edits): edits.count
    case .numbers(let edits): edits.count
    }
  }

  /// Writes each edit and hands the change on.
  func write(with writer: inout Writer, _ send: (Change) throws -> Void) rethrows {
    switch self {
    case .text(let edits):
      for edit in edits {
        var patch = Patch()
        if let change = writer.edit(edit, patch: &patch) { try send(change) }
      }
    case .numbers(let edits):
      for edit in edits {
        var patch = Patch()
        let change = writer.write(patch: &patch) { document, patch in
          document.insert(edit.numbers.map(Value.integer), at: edit.position, in: .list, patch: &patch)
        }
        if let change { try send(change) }
      }
    }
  }
}

extension EditScript {
  static func append(_ count: Int, seed: UInt32) -> EditScript {
    var random = Random32(seed: seed)
    return .text((0..<count).map { TextTrace.Edit(position: $0, inserted: random.letters(1)) })
  }

  static func insertWhole(_ count: Int, seed: UInt32) -> EditScript {
    var random = Random32(seed: seed)
    return .text([TextTrace.Edit(position: 0, inserted: random.letters(count))])
  }

  static func prepend(_ count: Int, seed: UInt32) -> EditScript {
    var random = Random32(seed: seed)
    return .text((0..<count).map { _ in TextTrace.Edit(position: 0, inserted: random.letters(1)) })
  }

  /// - Parameter length: How many characters the text has before.
  static func insertAnywhere(_ count: Int, length: Int = 0, seed: UInt32) -> EditScript {
    var random = Random32(seed: seed)
    return .text(
      (0..<count).map {
        let position = random.next(below: length + $0 + 1)
        return TextTrace.Edit(position: position, inserted: random.letters(1))
      })
  }

  static func insertWords(_ count: Int, length: Int = 0, seed: UInt32) -> EditScript {
    var random = Random32(seed: seed)
    var length = length
    return .text(
      (0..<count).map { _ in
        let position = random.next(below: length + 1)
        let word = random.word()
        length += word.utf8.count
        return TextTrace.Edit(position: position, inserted: word)
      })
  }

  static func insertAndDelete(_ count: Int, seed: UInt32) -> EditScript {
    var random = Random32(seed: seed)
    return .text([
      TextTrace.Edit(position: 0, inserted: random.letters(count)), TextTrace.Edit(position: 0, deleted: count),
    ])
  }

  /// Words and removals of up to nine characters, by turns of a coin.
  static func mixed(_ count: Int, length: Int = 0, seed: UInt32) -> EditScript {
    var random = Random32(seed: seed)
    var length = length
    return .text(
      (0..<count).map { _ in
        let position = random.next(below: length + 1)
        if position == length || random.next(below: 2) == 0 {
          let word = random.word()
          length += word.utf8.count
          return TextTrace.Edit(position: position, inserted: word)
        }
        let deleted = min(length - position, 1 + random.next(below: 9))
        length -= deleted
        return TextTrace.Edit(position: position, deleted: deleted)
      })
  }

  static func appendNumbers(_ count: Int) -> EditScript {
    .numbers((0..<count).map { NumberEdit(position: $0, numbers: [Int64($0)]) })
  }

  static func insertNumbersWhole(_ count: Int) -> EditScript {
    .numbers([NumberEdit(position: 0, numbers: (0..<Int64(count)).map { $0 })])
  }

  static func prependNumbers(_ count: Int) -> EditScript {
    .numbers((0..<count).map { NumberEdit(position: 0, numbers: [Int64($0)]) })
  }

  static func insertNumbersAnywhere(_ count: Int, seed: UInt32) -> EditScript {
    var random = Random32(seed: seed)
    return .numbers((0..<count).map { NumberEdit(position: random.next(below: $0 + 1), numbers: [Int64($0)]) })
  }
}
