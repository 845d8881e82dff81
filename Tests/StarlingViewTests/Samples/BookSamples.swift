import StarlingView
import Testing

@Observable private class Book: Identifiable {
  var title = "A sample book"
  var isAvailable = true
}

private struct BookView: View {
  let book: Book

  var body: some View {
    Text(book.title)
  }
}

private enum Shown {
  struct ContentView: View {
    @State private var book = Book()

    var body: some View {
      BookView(book: book)
      Button("Rename") { book.title = "Another title" }
      Button("Lend") { book.isAvailable = false }
    }
  }
}

private struct DeleteBookView: View {
  @Binding var book: Book?

  var body: some View {
    Button("Delete book") {
      book = nil
    }
  }
}

private enum Deletable {
  struct ContentView: View {
    @State private var book: Book? = Book()

    var body: some View {
      Text(book?.title ?? "No book")
      DeleteBookView(book: $book)
    }
  }
}

private struct BookCheckoutView: View {
  var book: Book

  var body: some View {
    Button(book.isAvailable ? "Check out book" : "Return book") {
      book.isAvailable.toggle()
    }
  }
}

private enum Lent {
  struct ContentView: View {
    @State private var book = Book()

    var body: some View {
      BookCheckoutView(book: book)
    }
  }
}

private enum Edited {
  struct BookView: View {
    let book: Book

    var body: some View {
      BookEditorView(book: book)
    }
  }

  struct BookEditorView: View {
    @Bindable var book: Book

    var body: some View {
      TextField("Title", text: $book.title)
    }
  }
}

@MainActor @Suite struct `A book` {
  @Test func `row 167: is handed down as a reference`() throws {
    let host = HeadlessHost { Shown.ContentView() }
    #expect(host.text.first == "A sample book")
    try host.tap("Rename")
    #expect(host.text.first == "Another title")
    #expect(host.evaluations(of: BookView.self) == 2)
    #expect(host.evaluations(of: Shown.ContentView.self) == 1)
    try host.tap("Lend")
    #expect(host.evaluations(of: BookView.self) == 2)
  }

  @Test func `row 168: is deleted through a binding`() throws {
    let host = HeadlessHost { Deletable.ContentView() }
    #expect(host.text == ["A sample book", "Delete book"])
    try host.tap("Delete book")
    #expect(host.text == ["No book", "Delete book"])
  }

  @Test func `row 169: is changed through the reference`() throws {
    let host = HeadlessHost { Lent.ContentView() }
    try host.tap("Check out book")
    #expect(host.text == ["Return book"])
    #expect(host.evaluations(of: Lent.ContentView.self) == 1)
  }

  @Test func `row 170: is edited through Bindable`() throws {
    let book = Book()
    let host = HeadlessHost { Edited.BookView(book: book) }
    #expect(host.text == ["Title: A sample book"])
    try host.type("Dune", into: "Title")
    #expect(book.title == "Dune")
    #expect(host.text == ["Title: Dune"])
    #expect(host.evaluations(of: Edited.BookEditorView.self) == 1)
  }
}
