import StarlingModelTestSupport
import StarlingTestSupport
import Foundation
import StarlingBinding
import StarlingCore
import StarlingEngine
import StarlingGraph
import StarlingGuard
import StarlingModel
import Testing

@Suite struct `A text` {
  let pair = Pair()

  private func operations() -> Int {
    let changes = pair.here.handle.takeOutbox()
    pair.there.handle.merge(changes)
    return changes.reduce(0) { $0 + $1.operations.count }
  }

  @Test func `merges what two write at once`() throws {
    let (here, there) = try pair.models(Note.self)
    here.body.append("one two three")
    pair.exchange()
    #expect(there.body.string == "one two three")
    here.body.replace(4..<7, with: "2")
    there.body.insert("zero ", at: 0)
    there.body.append("!")
    pair.exchange()
    #expect(here.body.string == "zero one 2 three!")
    #expect(there.body.string == "zero one 2 three!")
    #expect(there.body.count == 17)
  }

  @Test func `is assigned by its difference`() throws {
    let (here, there) = try pair.models(Note.self)
    here.body.string = "The quick brown fox"
    pair.exchange()
    here.body.string = "The quick red fox jumps"
    there.body.string = "The very quick brown fox"
    pair.exchange()
    #expect(here.body.string == "The very quick red fox jumps")
    #expect(there.body.string == here.body.string)
    here.body = ReplicatedText("another")
    pair.exchange()
    #expect(there.body.string == "another")
  }

  @Test func `sends and tells nothing where nothing changes`() throws {
    let (here, there) = try pair.models(Note.self)
    here.body.append("text")
    here.body.mark(0..<4, "bold", true)
    pair.exchange()
    let watch = Watch { (here.body.string, here.body.count, here.body.marks.count) }
    here.body.string = "text"
    here.body.insert("", at: 2)
    here.body.replace(1..<3, with: "ex")
    here.body.remove(2..<2)
    here.body.mark(1..<3, "bold", true)
    here.body.unmark(0..<4, "italic")
    #expect(operations() == 0)
    #expect(watch.runs == 1)
    withExtendedLifetime(there) {}
  }

  @Test func `wakes its readers once a transaction, each for what it reads`() throws {
    let (here, there) = try pair.models(Note.self)
    here.body.append("text")
    pair.exchange()
    for note in [here, there] {
      let string = Watch { note.body.string }
      let count = Watch { note.body.count }
      let marks = Watch { note.body.marks.count }
      withTransaction {
        here.body.replace(0..<1, with: "T")
        here.body.replace(1..<2, with: "E")
      }
      pair.exchange()
      #expect((string.runs, count.runs, marks.runs) == (2, 1, 1))
      here.body.mark(0..<1, "bold", true)
      pair.exchange()
      #expect((string.runs, count.runs, marks.runs) == (2, 1, 2))
      here.body.string = "text"
      here.body.unmark(0..<4, "bold")
      pair.exchange()
    }
  }

  @Test func `shows a default that is sent with the first write`() throws {
    let (here, there) = try pair.models(Note.self)
    here.title = "x"
    #expect(operations() == 1)
    #expect(here.greeting.string == "Hello")
    here.greeting.string = "Hello"
    #expect(operations() == 0)
    here.greeting.append(" there")
    pair.exchange()
    #expect(there.greeting.string == "Hello there")
    there.greeting.string = ""
    pair.exchange()
    #expect(here.greeting.string == "")
  }

  @Test func `counts scalars, and knows where other units are`() throws {
    let text = ReplicatedText("aé👩‍🚀z")
    #expect(text.count == 6)
    #expect(text.utf8Offset(of: 2) == 3)
    #expect(text.offset(ofUTF8: 2) == 1)
    #expect(text.utf16Offset(of: 5) == 7)
    #expect(text.offset(ofUTF16: 3) == 2)
    #expect(text.offset(ofUTF16: 8) == 6)
    #expect(text.characterOffset(of: 4) == 2)
    #expect(text.characterOffset(of: 5) == 3)
    #expect(text.offset(ofCharacter: 3) == 5)
    #expect(text.offset(ofCharacter: 9) == 6)
    text.remove(3..<5)
    #expect(text.string == "aé👩z")
  }

  /// Against a plain array of scalars, across the borders of the pieces it is kept in.
  @Test func `is edited anywhere like an array of scalars`() {
    var random = Dice(seed: 7)
    let text = ReplicatedText()
    var plain: [Unicode.Scalar] = []
    for _ in 0..<400 {
      let start = Int.random(in: 0...plain.count, using: &random)
      let end = min(plain.count, start + Int.random(in: 0...200, using: &random))
      let scalar = ["a", "é", "€", "🚀"].randomElement(using: &random)!
      let new = String(repeating: scalar, count: Int.random(in: 0...300, using: &random))
      text.replace(start..<end, with: new)
      plain.replaceSubrange(start..<end, with: Array(new.unicodeScalars))
      #expect(text.count == plain.count)
      let probe = Int.random(in: 0...plain.count, using: &random)
      let before = String(String.UnicodeScalarView(plain[..<probe]))
      #expect(text.utf8Offset(of: probe) == before.utf8.count)
      #expect(text.utf16Offset(of: probe) == before.utf16.count)
      #expect(text.offset(ofUTF8: before.utf8.count) == probe)
      #expect(text.offset(ofUTF16: before.utf16.count) == probe)
    }
    #expect(text.string == String(String.UnicodeScalarView(plain)))
  }

  @Test func `holds cursors across edits of both sides`() throws {
    let (here, there) = try pair.models(Note.self)
    here.body.append("hello world")
    pair.exchange()
    let forward = here.body.cursor(at: 6)
    let backward = here.body.cursor(at: 6, leaning: .backward)
    let end = here.body.cursor(at: 11)
    there.body.insert("big ", at: 6)
    there.body.insert(">> ", at: 0)
    pair.exchange()
    #expect(here.body.string == ">> hello big world")
    #expect(here.body.offset(of: forward) == 13)
    #expect(here.body.offset(of: backward) == 9)
    #expect(here.body.offset(of: end) == 18)
    here.body.remove(2..<14)
    #expect(here.body.offset(of: forward) == 2)
    #expect(here.body.offset(of: backward) == 2)
  }

  @Test func `has marks that grow as they say`() throws {
    let (here, there) = try pair.models(Note.self)
    here.body.append("bold link")
    here.body.mark(0..<4, "bold", true)
    here.body.mark(5..<9, "link", "https://example.org", expanding: .none)
    pair.exchange()
    there.body.insert("er", at: 4)
    there.body.append("s")
    pair.exchange()
    for note in [here, there] {
      #expect(note.body.runs.map(\.text) == ["bolder", " ", "link", "s"])
      #expect(note.body.runs.map { $0.marks.keys.sorted() } == [["bold"], [], ["link"], []])
    }
    here.body.unmark(2..<4, "bold")
    pair.exchange()
    #expect(there.body.runs.first?.text == "bo")
  }

  @Test func `has marks on its own as in a document`() throws {
    let text = ReplicatedText("abcdef")
    text.mark(1..<4, "bold", true)
    text.mark(2..<3, "bold", Bool?.none)
    text.insert("X", at: 4)
    text.insert("Y", at: 1)
    let alone = text.runs
    let (here, there) = try pair.models(Note.self)
    here.body.append("abcdef")
    here.body.mark(1..<4, "bold", true)
    here.body.unmark(2..<3, "bold")
    here.body.insert("X", at: 4)
    here.body.insert("Y", at: 1)
    pair.exchange()
    #expect(there.body.runs == alone)
  }

  @Test func `is and comes of an attributed string`() throws {
    let (here, there) = try pair.models(Note.self)
    var attributed = AttributedString("plain bold link")
    attributed[attributed.range(of: "bold")!].bold = true
    attributed[attributed.range(of: "link")!].link = URL(string: "https://example.org")
    attributed[attributed.range(of: "link")!].marks = ["comment": .integer(7)]
    here.body = ReplicatedText(attributed)
    pair.exchange()
    #expect(there.body.attributedString == attributed)
    #expect(ReplicatedText(there.body.attributedString).runs == there.body.runs)
  }

  @Test func `is edited through a binding to its string`() throws {
    let (here, there) = try pair.models(Note.self)
    let text = Bindable(here).body.string
    let watch = Watch { there.body.string }
    text.wrappedValue = "typed"
    pair.exchange()
    there.body.insert("re", at: 0)
    pair.exchange()
    #expect(text.wrappedValue == "retyped")
    #expect(watch.seen == ["", "typed", "retyped"])
  }

  @Test func `tells editors what changed, in order, and its writer`() throws {
    let (here, there) = try pair.models(Note.self)
    let heard = Guarded([TextEdits]())
    let following = here.body.onEdit { change in heard.withLock { $0.append(change) } }
    here.body.append("abc")
    here.body.string = "abXc"
    pair.exchange()
    there.body.remove(0..<1)
    there.body.mark(0..<1, "bold", true)
    pair.exchange()
    #expect(
      heard.withLock { $0 } == [
        TextEdits(origin: .local, edits: [.replace(0..<0, with: "abc")]),
        TextEdits(origin: .local, edits: [.replace(2..<2, with: "X")]),
        TextEdits(origin: .remote, edits: [.replace(0..<1, with: ""), .format(0..<1)]),
      ])
    following.cancel()
    here.body.append("!")
    #expect(heard.withLock { $0.count } == 3)
  }

  @MainActor @Test func `is written upon what its actor has not been shown yet`() async throws {
    let here = try pair.here.space.model(Note.self, named: "front-desk")
    let there = try pair.there.space.model(Note.self, named: "front-desk", isolation: nil)
    here.body.append("one two three")
    pair.exchange()
    let heard = Guarded([TextEdits]())
    let following = here.body.onEdit { change in heard.withLock { $0.append(change) } }
    there.body.replace(4..<7, with: "2")
    there.body.insert("zero ", at: 0)
    pair.exchange()
    // No suspension since: the merge is not visible here.
    #expect(here.body.string == "one two three")
    here.body.insert("and ", at: 8)
    here.body.replace(0..<3, with: "ONE")
    here.body.remove(2..<5)
    #expect(here.body.string == "ONwo and three")
    let cursor = here.body.cursor(at: 14)
    #expect(await Turns.pass { !here.body.string.contains("wo") })
    pair.exchange()
    #expect(here.body.string == there.body.string)
    #expect(here.body.string == "zero ON2 and three")
    #expect(here.body.offset(of: cursor) == 18)
    // A reader that applies the changes one after another has the same text.
    let copy = ReplicatedText("one two three")
    for change in heard.withLock({ $0 }) {
      for case .replace(let range, let text) in change.edits { copy.replace(range, with: text) }
    }
    #expect(copy.string == here.body.string)
    following.cancel()
  }

  @Test func `too large for any peer is refused`() throws {
    let incidents = Incidents()
    let (here, there) = try pair.models(Note.self)
    here.body.append("a")
    here.body.append(String(repeating: "x", count: ChangeLimits.byteCountMax))
    #expect(here.body.string == "a")
    #expect(incidents.contains { if case .oversized = $0 { true } else { false } })
    here.body.append("b")
    pair.exchange()
    #expect(there.body.string == "ab")
  }
}
