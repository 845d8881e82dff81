import Foundation
import StarlingCore
import StarlingModel
import StarlingModelTestSupport
import StarlingTestSupport
import Testing

/// What a ledger shows, with its models by identity, taken from the live models while they showed it.
private struct Snapshot {
  struct Item {
    var place: String
    var title: String
    var pages: Int
    /// Kept: its identity is its address.
    var model: Chapter?

    var text: String {
      let values = [
        title == "Untitled" ? nil : "title: \(title.debugDescription)", pages == 0 ? nil : "pages: \(pages)",
      ]
      return "Chapter(\(values.compactMap { $0 }.joined(separator: ", ")))"
    }
  }

  /// By place: what stands there, as it is shown.
  var slots: [String: String] = [:]
  var total: Int64
  var blurb: String
  /// The members and entries that there are, by what is told of them when they come or go.
  var members: Set<String> = []
  var entries: [String: String] = [:]
  var chapters: [ObjectIdentifier: Item] = [:]
  /// By key.
  var byName: [String: Item] = [:]
  var editor: Author?
  var editorName: String?

  init(_ ledger: Ledger) {
    total = ledger.total.value
    blurb = ledger.blurb.string
    slots[".title"] = ledger.title.debugDescription
    slots[".size"] = "\(ledger.size)"
    slots[".owner.name"] = ledger.owner.name.debugDescription
    slots[".trip.name"] = ledger.trip.name.debugDescription
    for tag in ledger.tags { members.insert(".tags \(tag.debugDescription)") }
    for keyword in ledger.keywords { members.insert(".keywords \(keyword.debugDescription)") }
    for (key, price) in ledger.prices { entries[".prices[\(key.debugDescription)]"] = "\(price)" }
    for (key, loan) in ledger.loans { entries[".loans[\(key.debugDescription)]"] = "\(loan)" }
    for (property, list) in [("chapters", ledger.chapters), ("rows", Array(ledger.rows))] {
      for (index, chapter) in list.enumerated() {
        chapters[ObjectIdentifier(chapter)] = Item(
          place: ".\(property)[\(index)]", title: chapter.title, pages: chapter.pages, model: chapter)
      }
    }
    for (key, chapter) in ledger.byName {
      byName[key] = Item(place: ".byName[\(key.debugDescription)]", title: chapter.title, pages: chapter.pages)
    }
    editor = ledger.editor
    editorName = editor?.name
  }

  /// What differs in `later`, without moves within one list: several sets of moves lead to one order.
  func lines(to later: Snapshot) -> Set<String> {
    var lines: [String] = []
    for (place, text) in slots where later.slots[place] != text {
      lines.append("\(place): \(text) → \(later.slots[place]!)")
    }
    if total != later.total {
      let sign = later.total > total ? "+" : ""
      lines.append(".total: \(total) → \(later.total) (\(sign)\(later.total - total))")
    }
    for member in members.symmetricDifference(later.members) {
      let parts = member.split(separator: " ", maxSplits: 1)
      lines.append("\(parts[0]): \(members.contains(member) ? "removed" : "added") \(parts[1])")
    }
    for place in Set(entries.keys).union(later.entries.keys) {
      switch (entries[place], later.entries[place]) {
      case (let old?, let new?): if old != new { lines.append("\(place): \(old) → \(new)") }
      case (let old?, nil): lines.append("\(place): removed \(old)")
      case (nil, let new): lines.append("\(place): added \(new!)")
      }
    }
    func compare<Name: Hashable>(_ items: [Name: Item], _ others: [Name: Item]) {
      for (name, old) in items {
        guard let new = others[name] else {
          lines.append("\(old.place): removed \(old.text)")
          continue
        }
        if old.title != new.title {
          lines.append("\(new.place).title: \(old.title.debugDescription) → \(new.title.debugDescription)")
        }
        if old.pages != new.pages { lines.append("\(new.place).pages: \(old.pages) → \(new.pages)") }
        if old.place.prefix(4) != new.place.prefix(4) {
          lines.append("\(new.place): moved from Ledger “ledger”\(old.place)")
        }
      }
      for (name, new) in others where items[name] == nil { lines.append("\(new.place): added \(new.text)") }
    }
    compare(chapters, later.chapters)
    compare(byName, later.byName)
    func text(_ name: String?) -> String { "Author(\(name == "Nobody" ? "" : "name: \(name!.debugDescription)"))" }
    if editor !== later.editor {
      if editor != nil { lines.append(".editor: removed \(text(editorName))") }
      if later.editor != nil { lines.append(".editor: added \(text(later.editorName))") }
    } else if editorName != later.editorName {
      lines.append(".editor.name: \(editorName!.debugDescription) → \(later.editorName!.debugDescription)")
    }
    return Set(lines.map { "Ledger “ledger”\($0)" })
  }
}

extension Ledger {
  /// One write that the dice choose.
  fileprivate func write(_ dice: inout Dice) {
    let word = dice.pick(["a", "b", "c", "d"])
    switch dice.roll(20) {
    case 0: title = word
    case 1: total += Int64(dice.roll(3)) - 1
    case 2: if tags.remove(word) == nil { tags.insert(word) }
    case 3: prices[word] = dice.oneIn(3) ? nil : dice.roll(3)
    case 4: size.width = dice.roll(3)
    case 5: owner.name = word
    case 6: editor = dice.oneIn(3) ? nil : Author()
    case 7: editor?.name = word
    case 8: chapters.insert(chapter(word), at: dice.roll(0..<chapters.count + 1))
    case 9: if !chapters.isEmpty { chapters.remove(at: dice.roll(chapters.count)) }
    case 10: if !chapters.isEmpty { chapters[dice.roll(chapters.count)].title = word }
    case 11: chapters.shuffle(using: &dice)
    case 12: rows.insert(chapter(word), at: dice.roll(0..<rows.count + 1))
    case 13: if !rows.isEmpty { rows.remove(at: dice.roll(rows.count)) }
    case 14: if !rows.isEmpty { rows[dice.roll(rows.count)].pages += 1 }
    case 15: if !chapters.isEmpty { withTransaction { rows.append(chapters.remove(at: dice.roll(chapters.count))) } }
    case 16: if !rows.isEmpty { withTransaction { chapters.insert(rows.remove(at: dice.roll(rows.count)), at: 0) } }
    case 17:
      if dice.oneIn(3) { byName[word] = nil } else { byName.model(for: word).title = dice.pick(["x", "y"]) }
    case 18: if dice.oneIn(2) { keywords.insert(word) } else { loans[word] = dice.oneIn(3) ? nil : dice.roll(3) }
    default:
      trip.name = word
      blurb.insert(word, at: dice.roll(0..<blurb.count + 1))
    }
  }

  private func chapter(_ title: String) -> Chapter {
    let chapter = Chapter()
    chapter.title = title
    return chapter
  }
}

@Suite struct `What differs between two drawn versions` {
  static let first = ProcessInfo.processInfo.environment["STARLING_SEED"].flatMap { UInt64($0) } ?? 1

  @Test func `is what a comparison of the models shows, either way`() throws {
    let named = [NamedModel(Ledger.self, named: "ledger")]
    var faults = 0
    for seed in Self.first..<Self.first + 150 where faults < 3 {
      var dice = Dice(seed: seed)
      let pair = Pair()
      let ledger = try pair.here.space.model(Ledger.self, named: "ledger", isolation: nil)
      for _ in 0..<dice.roll(30) { ledger.write(&dice) }
      let (past, before) = (try pair.here.past(), Snapshot(ledger))
      for _ in 0..<dice.roll(1..<8) { ledger.write(&dice) }
      let (later, after) = (try pair.here.past(), Snapshot(ledger))
      for (from, to, old, new) in [(past, later, before, after), (later, past, after, before)] {
        let differences = try from.differences(to: to, in: named)
        let told = differences.models.filter {
          switch $0.change {
          case .movedElement, .edited: false
          default: true
          }
        }
        let lines = Set(told.map { "\($0)" })
        let isTextTold = differences.models.contains { if case .edited = $0.change { true } else { false } }
        let isOK =
          lines == old.lines(to: new) && told.count == lines.count && differences.rest.isEmpty
          && isTextTold == (old.blurb != new.blurb)
        if !isOK { faults += 1 }
        #expect(
          isOK,
          "STARLING_SEED=\(seed): \(lines.subtracting(old.lines(to: new))) for \(old.lines(to: new).subtracting(lines))"
        )
      }
      withExtendedLifetime((before, after)) {}
    }
  }
}
