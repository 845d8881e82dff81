import StarlingView
import Testing

@Observable private class Library {
  nonisolated(unsafe) static var count = 0  // Counted on the main actor alone.
  var name = "My library of books"

  init() {
    Self.count += 1
  }
}

private struct LibraryView: View {
  let library: Library

  var body: some View {
    Text(library.name)
  }
}

private enum AtOnce {
  struct ContentView: View {
    @State private var library = Library()

    var body: some View {
      LibraryView(library: library)
    }
  }
}

private enum Deferred {
  struct ContentView: View {
    @State private var library: Library?

    var body: some View {
      if let library {
        LibraryView(library: library)
      } else {
        Text("No library yet")
      }
      EmptyView()
        .task {
          library = Library()
        }
    }
  }
}

@MainActor @Suite(.serialized) struct `A library in a state` {
  @Test func `row 165: is made once and shown`() {
    Library.count = 0
    let host = HeadlessHost { AtOnce.ContentView() }
    #expect(host.text == ["My library of books"])
    #expect(Library.count == 1)
  }

  @Test func `row 166: can wait for the first task`() async {
    Library.count = 0
    let host = HeadlessHost { Deferred.ContentView() }
    #expect(host.text == ["No library yet"])
    await host.settle()
    #expect(host.text == ["My library of books"])
    #expect(Library.count == 1)
  }
}
