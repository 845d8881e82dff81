import StarlingView
import Testing

@Observable private class Book: Identifiable {
  var title: String
  var isAvailable = true

  init(_ title: String) {
    self.title = title
  }
}

@Observable private class Library {
  var books: [Book] = [Book("Dune"), Book("Emma"), Book("Ulysses")]

  var availableBooksCount: Int {
    books.filter(\.isAvailable).count
  }
}

/// As an executable it is marked `@main`; here a host runs it.
private struct BookReaderApp: App {
  @State private var library = Library()

  var body: some Scene {
    WindowGroup {
      LibraryView()
        .environment(library)
    }
  }
}

private struct LibraryView: View {
  @Environment(Library.self) private var library

  var body: some View {
    NavigationStack {
      List(library.books) { book in
        BookRow(book: book)
      }
      .navigationTitle("Books available: \(library.availableBooksCount)")
    }
  }
}

private struct BookRow: View {
  @Bindable var book: Book

  var body: some View {
    Text(book.title)
    Toggle("\(book.title) is here", isOn: $book.isAvailable)
  }
}

/// The owner's wrappers are private, so that nobody else sets them.
private struct MyView: View {
  @State private var count = 0
  @StateObject private var legacy = Legacy()
  @FocusState private var isFocused: Bool
  @AppStorage("greeting", store: MyView.store) private var greeting = "Hello"
  @Environment(\.isEnabled) private var isEnabled

  static let store = MemoryStore()

  final class Legacy: ObservableObject {
    @Published var total = 0
  }

  var body: some View {
    Text("\(greeting) \(count) \(legacy.total) \(isFocused ? "focused" : "not focused") \(isEnabled ? "enabled" : "")")
    Button("Count") {
      count += 1
      legacy.total += 10
      greeting = "Hi"
    }
    TextField("Greeting", text: $greeting).focused($isFocused)
  }
}

@MainActor @Suite struct `A program` {
  @Test func `row 189: shows its library and counts what is there`() throws {
    let host = HeadlessHost(app: BookReaderApp.self)
    #expect(
      host.text == [
        "Books available: 3", "Dune", "[x] Dune is here", "Emma", "[x] Emma is here", "Ulysses", "[x] Ulysses is here",
      ])
    try host.toggle("Emma is here")
    #expect(host.text.first == "Books available: 2")
    #expect(host.evaluations(of: BookRow.self) == 3)
  }

  @Test func `row 154: runs with its scenes`() {
    let host = HeadlessHost(app: BookReaderApp.self)
    #expect(host.evaluations(of: LibraryView.self) == 1)
  }

  @Test func `row 185: keeps all its wrappers private`() throws {
    let host = HeadlessHost { MyView() }
    try host.tap("Count")
    host.press(.tab)
    #expect(host.focused == "Count")
    host.press(.tab)
    #expect(host.text.first == "Hi 1 10 focused enabled")
  }
}
