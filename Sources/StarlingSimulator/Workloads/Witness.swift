import StarlingCore

/// Something written once and never overwritten, which is looked for by its content wherever it must be: under a key of
/// a dictionary, as an element of a list, or as words in a text, by its number.
struct Witness: Hashable, Sendable {
  let number: Int

  init(_ number: Int) {
    self.number = number
  }

  private var words: String { "⟨\(number)⟩" }

  func write(to document: inout Document, patch: inout Patch) {
    let value = Value.string(words)
    switch number % 3 {
    case 0:
      let ledger = document.declare(.dictionary, for: "ledger", in: .root)
      document.set(value, for: .integer(Int64(number)), in: ledger, patch: &patch)
    case 1:
      let journal = document.declare(.list, for: "journal", in: .root)
      document.insert([value], at: number / 3 % (document.count(in: journal) + 1), in: journal, patch: &patch)
    default:
      let minutes = document.declare(.text, for: "minutes", in: .root)
      // At the beginning or the end: in the midst of others' words it would part them.
      document.insert(
        words, at: number / 3 % 2 == 0 ? 0 : document.count(in: minutes), in: minutes, patch: &patch)
    }
  }

  /// The numbers of all witnesses that stand in a document, as a reader finds them.
  static func all(in document: borrowing Document) -> Set<Int> {
    var found: Set<Int> = []
    func note(_ visible: Visible) {
      if case .value(.string(let words), _) = visible { found.formUnion(numbers(in: words)) }
    }
    let ledger = ObjectID.derived(parent: .root, key: "ledger", kind: .dictionary)
    for key in document.keys(in: ledger) { note(document.visible(key, in: ledger)) }
    let journal = ObjectID.derived(parent: .root, key: "journal", kind: .list)
    for element in document.elements(in: journal) { note(document.visible(.element(element), in: journal)) }
    found.formUnion(numbers(in: document.text(in: .derived(parent: .root, key: "minutes", kind: .text))))
    return found
  }

  private static func numbers(in words: String) -> [Int] {
    words.split(separator: "⟨").compactMap { part in
      guard let end = part.firstIndex(of: "⟩") else { return nil }
      return Int(part[..<end])
    }
  }
}
