import Starling
import SwiftUIStandIn
import Testing

// One file with both imports and no qualified name: what is ambiguous does not compile.

@Replicated final class Book: Sendable {
  var title = ""
  var isShown = false
  var copies: ReplicatedCounter = 0
  var tags: Set<String> = []
}

private enum IsDragged: TransactionKey {
  static let defaultValue = false
}

private struct BookView: View {
  @Bindable var book: Book
  @State var isOpen = false
  @Environment(\.layoutDirection) var direction

  var body: some View { Text("\(book.title)\(direction)") }
  var title: Binding<String> { $book.title }
}

private struct TitleView: View {
  @Binding var title: String
  var body: some View { Text(title) }
}

@Suite struct `A program that imports SwiftUI and Starling` {
  @Test func `shows and writes models through the views and bindings of SwiftUI`() {
    let book = Book()
    let view = BookView(book: book)
    view.title.wrappedValue = "Dune"
    #expect(book.title == "Dune")
    TitleView(title: view.title).title = "Emma"
    #expect(book.title == "Emma")
    #expect((view.body as? Text)?.content == "Emma")
  }

  @Test func `opens transactions of either`() throws {
    let book = Book()
    withTransaction { book.copies += 1 }
    withTransaction(message: "Buy") { book.copies += 1 }
    try withTransaction(message: "Show") { () throws in book.isShown = true }
    let copies = withTransaction(message: "Count") { book.copies.value }
    withTransaction(Transaction(animation: .easeIn)) { book.copies += 1 }
    withTransaction(\.animation, Animation.default) { book.copies += 1 }
    withAnimation { book.copies += 1 }
    withAnimation(.easeIn) { book.copies += 1 }
    #expect(copies == 2)
    #expect(book.copies.value == 6)
    #expect(book.isShown)
    #expect(!IsDragged.defaultValue)
  }

  @Test func `observes models with what Starling brings`() async {
    let book = Book()
    let observer = observe { _ = book.title }
    observer.cancel()
    var titles = ObservedValues({ book.title }).makeAsyncIterator()
    #expect(await titles.next() == "")
    book.title = "Dune"
    #expect(await titles.next() == "Dune")
  }

  @Test func `names the types of both`() {
    let shown: [Any.Type] = [
      Text.self, Button.self, List.self, Form.self, Label.self, Picker.self, Section.self, Group.self, Table.self,
      Path.self, Link.self, Tab.self, Layout.self, Edge.self, Color.self, Font.self, Alignment.self, Visibility.self,
    ]
    let held: [Any.Type] = [
      Replica.self, Presence.self, PresenceKey<String>.self, Conflict<String>.self, ReplicatedText.self,
      ReplicatedArray<Book>.self, ReplicatedUndoManager.self, ObservationToken.self, PastDocument.self,
      Peer<String>.self,
    ]
    #expect(Set((shown + held).map { ObjectIdentifier($0) }).count == shown.count + held.count)
  }
}
