import StarlingTerminal
import StarlingView
import Testing

@MainActor @Observable private final class Book {
  var title = "Dune"
  var isLent = false
  var copies = 3
  var price = 12.5
  var volume = 0.5
  var shelf = 1
  var presses = 0
  var submissions = 0
  var isAsking = false
  var chosen: Int?
  var tab = 0
}

private struct Controls: View {
  @Bindable var book: Book

  var body: some View {
    TextField("Title", text: $book.title).onSubmit { book.submissions += 1 }
    Toggle("Lent", isOn: $book.isLent)
    Stepper("Copies", value: $book.copies, in: 0...4)
    Slider(value: $book.volume) { Text("Volume") }
    Picker("Shelf", selection: $book.shelf) {
      Text("One").tag(1)
      Text("Two").tag(2)
    }
    HStack {
      Button("Save") { book.presses += 1 }
      Button("Never") { book.presses += 100 }.environment(\.isEnabled, false)
    }
  }
}

@MainActor @Suite struct `A person at a terminal` {
  private let book = Book()

  private func controls() -> Screenshots {
    let book = book
    return Screenshots { Controls(book: book) }
  }

  @Test func `goes from one thing to the next and back, and sees where they are`() {
    let screen = controls()
    #expect(!screen.lines.joined().contains("›"))
    screen.press(.tab)
    #expect(screen.lines[0].contains("›Dune"))
    #expect(screen.canvas.cursor == CellPoint(column: 12, row: 0))
    screen.press(.tab)
    #expect(screen.lines[1] == "› ‹ Lent")
    #expect(screen.style(of: "› ‹")?.attributes == .reversed)
    #expect(screen.canvas.cursor == nil)
    screen.press(.down)
    #expect(screen.lines[2] == "Copies ›-‹ ›+‹")
    screen.press(Key.backTab)
    #expect(screen.lines[1] == "› ‹ Lent")
    screen.press(.up)
    screen.press(Key.backTab)
    #expect(screen.lines[5] == "› Save ‹ [ Never ]", "what is disabled is passed by")
    screen.press(.tab)
    #expect(screen.lines[0].contains("›Dune"))
  }

  @Test func `changes things with keys`() {
    let screen = controls()
    screen.press(.tab)
    screen.press(.tab)
    screen.type(" ")
    #expect(book.isLent && screen.lines[1] == "›x‹ Lent")
    screen.press(.enter)
    #expect(!book.isLent)
    screen.press(.down)
    screen.press(.right)
    screen.press(.right)
    #expect(book.copies == 4)
    screen.press(.left)
    #expect(book.copies == 3)
    screen.press(.down)
    screen.press(.right)
    #expect(book.volume == 0.6)
    screen.press(.down)
    screen.press(.right)
    #expect(book.shelf == 2)
    screen.press(.right)
    #expect(book.shelf == 2, "arrows stop at the end")
    screen.press(.enter)
    #expect(book.shelf == 1, "return goes round")
    screen.press(.down)
    screen.press(.enter)
    #expect(book.presses == 1)
  }

  @Test func `types into a field`() {
    let screen = controls()
    screen.press(.tab)
    screen.type("! 漢")
    #expect(book.title == "Dune! 漢")
    screen.press(.backspace)
    screen.press(.home)
    screen.type("The ")
    #expect(book.title == "The Dune! ")
    screen.host.take(.paste("one\ntwo "))
    #expect(book.title == "The one two Dune! ")
    #expect(screen.lines[0].hasPrefix("Title: ›The one two Dune!"))
    screen.press(.enter)
    #expect(book.submissions == 1)
    screen.press(Key("k", .control))
    #expect(book.title == "The one two ")
  }

  @Test func `writes several lines where there are several`() {
    struct Note: View {
      @Bindable var book: Book
      var body: some View {
        TextEditor(text: $book.title)
        Button("Next") {}
      }
    }
    let book = book
    let screen = Screenshots(columns: 12, rows: 4) { Note(book: book) }
    screen.press(.tab)
    screen.press(.enter)
    screen.type("two")
    #expect(book.title == "Dune\ntwo")
    #expect(screen.lines == ["›Dune      ‹", " two", "[ Next ]"])
    #expect(screen.canvas.cursor == CellPoint(column: 4, row: 1))
    screen.press(.up)
    screen.type("!")
    #expect(book.title == "Dun!e\ntwo")
    screen.host.take(.paste("a\nb"))
    #expect(book.title == "Dun!a\nbe\ntwo")
    screen.press(.down)
    screen.press(.down)
    #expect(screen.lines[3] == "› Next ‹", "past the last line the focus goes on")
  }

  @Test func `keeps their place in a text that another edits`() {
    let screen = controls()
    screen.press(.tab)
    screen.press(.left)
    screen.press(.left)
    book.title = "My Dune"
    #expect(screen.lines[0].hasPrefix("Title: ›My Dune"))
    // Before there was another frame.
    book.title = "My Dune, a novel"
    screen.type("-")
    #expect(book.title == "My Du-ne, a novel")
  }

  @Test func `types a number that is none yet`() {
    struct Price: View {
      @Bindable var book: Book
      var body: some View { TextField("Price", value: $book.price, format: .number) }
    }
    let book = book
    let screen = Screenshots(columns: 20, rows: 1) { Price(book: book) }
    #expect(screen.lines == ["Price: [12.5       ]"])
    screen.press(.tab)
    for _ in 0..<4 { screen.press(.backspace) }
    screen.type("7.")
    #expect(screen.lines == ["Price: ›7.         ‹"])
    screen.type("25")
    #expect(book.price == 7.25)
    screen.type("x")
    #expect(screen.lines == ["Price: ›7.25x      ‹"] && book.price == 7.25)
    screen.press(.escape)
    #expect(screen.lines == ["Price: [7.25       ]"], "what was not taken goes when the field is left")
  }

  @Test func `scrolls a list with the focus and sees what is selected`() {
    struct Rows: View {
      @Bindable var book: Book
      var body: some View {
        Text("Rows")
        List(selection: $book.chosen) { ForEach(0..<20, id: \.self) { Text("row \($0)").tag($0) } }
      }
    }
    let book = book
    let screen = Screenshots(columns: 12, rows: 5) { Rows(book: book) }
    #expect(screen.lines == ["Rows", "   row 0   █", "   row 1   │", "   row 2   │", "   row 3   │"])
    for _ in 0..<6 { screen.press(.down) }
    #expect(screen.lines[4].hasPrefix("›  row 5"))
    screen.press(.enter)
    #expect(book.chosen == 5 && screen.lines[4].hasPrefix("›✓ row 5"))
    screen.press(.up)
    #expect(screen.lines[3].hasPrefix("›  row 4") && screen.lines[4].hasPrefix(" ✓ row 5"))
    screen.press(.pageDown)
    #expect(screen.lines[1].hasPrefix(" ✓ row 5"))
    screen.press(.tab)
    #expect(screen.lines[1].hasPrefix("›✓ row 5"))
    screen.press(Key.backTab)
    #expect(screen.lines[1].hasPrefix("›  row 4"), "what has the focus is always seen when it moves")
  }

  @Test func `scrolls what holds nothing that can be used`() {
    let screen = Screenshots(columns: 10, rows: 3) { ForEach(0..<9, id: \.self) { Text("line \($0)") } }
    #expect(screen.lines[0].hasPrefix("line 0"))
    screen.press(.down)
    #expect(screen.lines[0].hasPrefix("line 1"))
    screen.press(.end)
    #expect(screen.lines[2].hasPrefix("line 8"))
    screen.press(.pageUp)
    #expect(screen.lines[0].hasPrefix("line 4"))
    screen.press(.home)
    screen.press(.up)
    #expect(screen.lines[0].hasPrefix("line 0"))
  }

  @Test func `goes through tabs`() {
    struct Tabs: View {
      @Bindable var book: Book
      var body: some View {
        TabView(selection: $book.tab) {
          Text("first").tabItem { Text("One") }.tag(0)
          Button("second") { book.presses += 1 }.tabItem { Text("Two") }.tag(1)
        }
      }
    }
    let book = book
    let screen = Screenshots(columns: 14, rows: 3) { Tabs(book: book) }
    #expect(screen.lines == ["[One] Two", "──────────────", "first"])
    screen.press(.tab)
    screen.press(.right)
    #expect(screen.lines == [" One ›Two‹", "──────────────", "[ second ]"])
    screen.press(.down)
    screen.press(.enter)
    #expect(book.presses == 1 && book.tab == 1)
    screen.click("One")
    #expect(book.tab == 0 && screen.lines[2] == "first")
  }

  @Test func `answers what lies over the rest first`() {
    struct Asking: View {
      @Bindable var book: Book
      var body: some View {
        Button("Ask") { book.isAsking = true }
        Button("Below") { book.presses += 100 }
          .alert("Sure?", isPresented: $book.isAsking) { Button("Yes") { book.presses += 1 } }
      }
    }
    let book = book
    let screen = Screenshots(columns: 20, rows: 6) { Asking(book: book) }
    screen.press(.tab)
    screen.press(.enter)
    #expect(
      screen.lines == [
        "[ Ask ]", "[ Be┌─────────┐", "    │ Sure?   │", "    │ › Yes ‹ │", "    └─────────┘",
      ])
    screen.press(.tab)
    #expect(screen.lines.contains { $0.contains("› Yes ‹") }, "the focus stays on top")
    screen.click("Ask")
    #expect(book.isAsking)
    screen.press(.escape)
    #expect(!book.isAsking && screen.lines == ["› Ask ‹", "[ Below ]"], "the focus is where it was")
    screen.press(.enter)
    screen.press(.enter)
    #expect(book.presses == 1 && !book.isAsking)
  }

  @Test func `points at things`() {
    let screen = controls()
    screen.click("Lent")
    #expect(book.isLent)
    screen.click("+]")
    screen.click("-‹")
    screen.click("-‹")
    #expect(book.copies == 2)
    screen.click("Dune", 2)
    screen.type("x")
    #expect(book.title == "Duxne")
    screen.click("████", 0)
    #expect(book.volume == 0)
    screen.click("Two")
    screen.click("One")
    #expect(book.shelf == 2)
    screen.click("Never")
    screen.click("Save")
    #expect(book.presses == 1)
  }

  @Test func `turns the wheel over a window`() {
    let screen = Screenshots(columns: 12, rows: 5) {
      Text("Rows")
      List(0..<20) { Text("row \($0)") }
    }
    screen.turnWheel(over: "row 1", by: 1)
    #expect(screen.lines[1].contains("row 3"))
    screen.turnWheel(over: "row 3", by: -1)
    #expect(screen.lines[1].contains("row 0"))
    screen.turnWheel(over: "Rows", by: 1)
    #expect(screen.lines[1].contains("row 0"))
  }

  @Test func `and the program move one focus`() {
    struct Fields: View {
      enum Field { case first, second }
      @FocusState private var field: Field?
      @State private var text = ""
      var body: some View {
        TextField("A", text: $text).focused($field, equals: .first)
        TextField("B", text: .constant("")).focused($field, equals: .second)
        Text("at \(field.map { "\($0)" } ?? "none")")
        Button("To B") { field = .second }
      }
    }
    let screen = Screenshots(columns: 12, rows: 4) { Fields() }
    #expect(screen.lines[2] == "at none")
    screen.press(.tab)
    #expect(screen.lines[2] == "at first")
    screen.press(Key.backTab)
    #expect(screen.lines[2] == "at none")
    screen.press(.enter)
    #expect(screen.lines[2] == "at second" && screen.lines[1].contains("›"))
  }
}
