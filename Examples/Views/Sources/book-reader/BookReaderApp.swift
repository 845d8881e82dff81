import StarlingView

@Observable
class Book: Identifiable {
  var title: String
  var isAvailable = true

  init(title: String) {
    self.title = title
  }
}

@Observable
class Library {
  var books = [Book(title: "Dune"), Book(title: "Emma"), Book(title: "Ulysses")]

  var availableBooksCount: Int {
    books.filter(\.isAvailable).count
  }
}

@main
struct BookReaderApp: App {
  @State private var library = Library()

  var body: some Scene {
    WindowGroup {
      LibraryView()
        .environment(library)
    }
  }
}

struct LibraryView: View {
  @Environment(Library.self) private var library

  var body: some View {
    NavigationStack {
      List(library.books) { book in
        NavigationLink(book.title) {
          BookEditor(book: book)
        }
      }
      .navigationTitle("Books available: \(library.availableBooksCount)")
    }
  }
}

struct BookEditor: View {
  @Bindable var book: Book

  var body: some View {
    Form {
      TextField("Title", text: $book.title)
      Toggle("Available", isOn: $book.isAvailable)
    }
  }
}
