import StarlingCore

@testable import StarlingSession

/// What was written once and never overwritten, looked for by its content alone: no version, no dot.
///
/// A note is a number that stands under a key, as an element, or in a text; or one that was added to a counter.
struct Ledger: Sendable {
  private(set) var noteCount = 0
  /// Notes that somebody was promised to find again.
  private(set) var acknowledged: Set<Int> = []

  private static let entries = ObjectID.derived(parent: .root, key: "ledger", kind: .dictionary)
  private static let list = ObjectID.derived(parent: .root, key: "journal", kind: .list)
  private static let text = ObjectID.derived(parent: .root, key: "minutes", kind: .text)

  mutating func next() -> Int {
    defer { noteCount += 1 }
    return noteCount
  }

  mutating func acknowledge(_ note: Int) { acknowledged.insert(note) }

  static func write(_ note: Int, to document: inout Document, _ patch: inout Patch) {
    switch note % 4 {
    case 0:
      let ledger = document.declare(.dictionary, for: "ledger", in: .root)
      document.set(.integer(Int64(note)), for: .integer(Int64(note)), in: ledger, patch: &patch)
    case 1:
      let journal = document.declare(.list, for: "journal", in: .root)
      document.insert(
        [.integer(Int64(note))], at: note / 4 % (document.count(in: journal) + 1), in: journal, patch: &patch)
    case 2:
      let minutes = document.declare(.text, for: "minutes", in: .root)
      document.insert(letter(note), at: note / 4 % (document.count(in: minutes) + 1), in: minutes, patch: &patch)
    // A power of two for each of the first sixty; the sum tells them apart.
    default: document.increment("sum", in: .root, by: 1 << Int64(note / 4 % 60), patch: &patch)
    }
  }

  /// A letter of its own.
  private static func letter(_ note: Int) -> String { String(Character(Unicode.Scalar(0x4E00 + UInt32(note))!)) }

  /// Acknowledged notes that the document lacks, ascending.
  func lacking(in document: borrowing Document) -> [Int] {
    var found: Set<Int> = []
    func note(_ visible: Visible) { if case .value(.integer(let note), _) = visible { found.insert(Int(note)) } }
    for key in document.keys(in: Self.entries) { note(document.visible(key, in: Self.entries)) }
    for element in document.elements(in: Self.list) { note(document.visible(.element(element), in: Self.list)) }
    let letters = Set(document.text(in: Self.text).map { String($0) })
    let sum = document.count("sum", in: .root)
    return acknowledged.filter { note in
      switch note % 4 {
      case 0, 1: !found.contains(note)
      case 2: !letters.contains(Self.letter(note))
      default: sum & (1 << Int64(note / 4 % 60)) == 0
      }
    }.sorted()
  }
}
