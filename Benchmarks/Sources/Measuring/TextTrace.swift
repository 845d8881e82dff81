import Foundation

/// What somebody typed while writing a paper, edit by edit; made by `data/trace.py`, which draws the file's shape.
package struct TextTrace: Sendable {
  /// Takes `deleted` scalars away at `position` and then puts `inserted` there.
  package struct Edit: Sendable {
    package var position: Int
    package var deleted: Int
    package var inserted: String

    package init(position: Int, deleted: Int = 0, inserted: String = "") {
      self.position = position
      self.deleted = deleted
      self.inserted = inserted
    }
  }

  package let edits: [Edit]
  /// What the text reads after all of them.
  package let end: String
  /// Whether it was drawn from a seed, because the recorded one is not here.
  package let isSynthetic: Bool

  /// The file that the environment names.
  package static let path = ProcessInfo.processInfo.environment["STARLING_TEXT_TRACE"]

  /// - Throws: `Malformed`, or what Foundation says of the file.
  package init(contentsOf path: String) throws {
    var bytes = try Data(contentsOf: URL(filePath: path))[...]
    func take(_ count: Int) throws -> Data {
      guard count <= bytes.count else { throw Malformed(path: path) }
      defer { bytes.removeFirst(count) }
      return bytes.prefix(count)
    }
    func takeNumber() throws -> Int {
      try take(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    guard try take(4) == Data("TRC1".utf8) else { throw Malformed(path: path) }
    isSynthetic = try take(1).first == 1
    let count = try takeNumber()
    end = String(decoding: try take(takeNumber()), as: UTF8.self)
    var edits: [Edit] = []
    for _ in 0..<count {
      edits.append(
        Edit(
          position: try takeNumber(), deleted: try takeNumber(),
          inserted: String(decoding: try take(takeNumber()), as: UTF8.self)))
    }
    self.edits = edits
  }

  package struct Malformed: Error, CustomStringConvertible {
    let path: String
    package var description: String { "'\(path)' is no trace as Benchmarks/data/trace.py writes it." }
  }
}
