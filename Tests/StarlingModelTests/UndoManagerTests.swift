import StarlingModel
import StarlingModelTestSupport
import Testing

@Suite struct `An undo manager` {
  @Test func `takes back a transaction as one step, and does it again`() throws {
    let pair = Pair()
    let (book, _) = try pair.models(Book.self)
    let undo = pair.here.space.undoManager()
    withTransaction(message: "Catalogue") {
      book.title = "Dune"
      book.tags = ["desert"]
      book.copies += 2
    }
    #expect(undo.canUndo && !undo.canRedo && undo.undoActionName == "Catalogue")

    #expect(try undo.undo())
    #expect(book.title == "A sample book" && book.tags.isEmpty && book.copies == 0)
    #expect(!undo.canUndo && undo.canRedo && undo.redoActionName == "Catalogue")

    #expect(try undo.redo())
    #expect(book.title == "Dune" && book.tags == ["desert"] && book.copies == 2)
  }

  @Test func `leaves alone what another replica wrote since`() throws {
    let pair = Pair()
    let (here, there) = try pair.models(Book.self)
    let undo = pair.here.space.undoManager()
    withTransaction {
      here.title = "Dune"
      here.pages = 412
    }
    pair.exchange()
    there.title = "Dune Messiah"
    pair.exchange()

    #expect(try undo.undo())
    pair.exchange()
    for book in [here, there] { #expect(book.title == "Dune Messiah" && book.pages == 0) }
  }

  @Test func `brings back the words and chapters that went`() throws {
    let pair = Pair()
    let (here, there) = try pair.models(Novel.self)
    here.add("One", "Two", "Three")
    here.words = ["sand", "spice"]
    pair.exchange()
    let undo = pair.here.space.undoManager()
    here.chapters.remove(at: 1)
    here.words.removeAll()
    pair.exchange()
    #expect(there.titles == ["One", "Three"] && there.words.isEmpty)

    #expect(try undo.undo() && undo.undo())
    pair.exchange()
    for novel in [here, there] {
      #expect(novel.titles == ["One", "Two", "Three"])
      #expect(novel.words == ["sand", "spice"])
    }
  }

  @Test func `tells its readers when there is something to undo`() throws {
    let pair = Pair()
    let (here, there) = try pair.models(Book.self)
    let undo = pair.here.space.undoManager()
    let watch = Watch { undo.canUndo }
    there.title = "Dune"
    pair.exchange()
    #expect(watch.seen.last == false)
    here.pages = 412
    #expect(watch.seen.last == true)
    try undo.undo()
    #expect(watch.seen.last == false)
    undo.withoutUndo { here.pages = 413 }
    #expect(!undo.canUndo && here.pages == 413)
  }
}
