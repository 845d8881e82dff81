import StarlingModelTestSupport
import StarlingView
import Testing

@Replicated final class Volume: Sendable, Identifiable {
  var title = "Dune"
  var pages = 100
}

@Replicated final class Shelf: Sendable {
  var books: [Volume] = []
  var owner: Person?
  var theme = "plain"
  var scores: ReplicatedDictionary<String, Int> = [:]

  subscript(scoreOf player: String) -> Int {
    get { scores[player] ?? 0 }
    set { scores[player] = newValue }
  }

  func fill() {
    for title in ["Dune", "Emma", "Ulysses"] {
      let book = Volume()
      book.title = title
      books.append(book)
    }
  }
}

// MARK: Values and bindings handed down

private struct Given: View {
  let age: Int
  var body: some View { Text("given \(age)") }
}

private struct Bound: View {
  @Binding var age: Int
  var body: some View { Text("bound \(age)") }
}

private struct Named: View {
  let name: String
  @State private var taps = 0

  var body: some View {
    Text("\(name) \(taps)")
    Button("Tap") { taps += 1 }
  }
}

/// Reads the age and hands it on, as a value and as a binding.
private struct Giver: View {
  @Bindable var person: Person

  var body: some View {
    Given(age: person.age)
    Bound(age: $person.age)
  }
}

/// Reads the name; hands on the name, and bindings that stay what they are.
private struct Keeper: View {
  @Bindable var person: Person
  @Bindable var shelf: Shelf

  var body: some View {
    Named(name: person.name)
    Bound(age: $person.age)
    Bound(age: $shelf[scoreOf: "Ravi"])
  }
}

/// Hands on and reads nothing.
private struct Passer: View {
  @Bindable var person: Person
  var body: some View { Level(age: $person.age) }
}

private struct Level: View {
  @Binding var age: Int
  var body: some View { Inner(age: $age) }
}

private struct Inner: View {
  @Binding var age: Int
  var body: some View { Bound(age: $age) }
}

@MainActor @Suite struct `What is handed down, whoever writes` {
  @Test(arguments: Writer.all) func `row 7, 10, 48: is the same for all after a flush, and costs the same`(
    _ writer: Writer
  ) async throws {
    let desk = try Desk(Person.self)
    let host = HeadlessHost { Giver(person: desk.model) }
    #expect(host.text == ["given 30", "bound 30"])
    for age in 31...33 {
      try await desk.write(by: writer) { $0.age = age }
      #expect(host.text == ["given \(age)", "bound \(age)"])
    }
    #expect(host.evaluations(of: Given.self) == 4)
    #expect(host.evaluations(of: Bound.self) == 4)
    try await desk.write(by: writer) { $0.name = "Maria" }
    #expect(host.evaluations(of: Giver.self) == 4)
  }

  @Test(arguments: Writer.all) func `row 12, 27: leaves the state of the view that it is handed to`(
    _ writer: Writer
  ) async throws {
    let desk = try Desk(Person.self)
    let host = HeadlessHost { Keeper(person: desk.model, shelf: Shelf()) }
    try host.tap("Tap")
    try await desk.write(by: writer) { $0.name = "Maria" }
    #expect(host.text.first == "Maria 1")
  }

  @Test(arguments: Writer.all) func `row 33, 52: is read at the end of all levels, and there alone`(
    _ writer: Writer
  ) async throws {
    let desk = try Desk(Person.self)
    let host = HeadlessHost { Passer(person: desk.model) }
    _ = host.text
    try await desk.write(by: writer) { $0.age = 31 }
    #expect(host.text == ["bound 31"])
    #expect(host.evaluations(of: Passer.self) == 1)
    #expect(host.evaluations(of: Level.self) == 1)
    #expect(host.evaluations(of: Inner.self) == 1)
    #expect(host.evaluations(of: Bound.self) == 2)
  }

  @Test(arguments: Writer.all) func `row 49, 50, 155: spares a view that is handed the same binding again`(
    _ writer: Writer
  ) async throws {
    let (desk, shelf) = (try Desk(Person.self), Shelf())
    let host = HeadlessHost { Keeper(person: desk.model, shelf: shelf) }
    _ = host.text
    try await desk.write(by: writer) { $0.name = "Maria" }
    #expect(host.text.first == "Maria 0")
    #expect(host.evaluations(of: Keeper.self) == 2)
    #expect(host.evaluations(of: Bound.self) == 2)
  }

  @Test(arguments: Writer.all) func `row 50: is read through a subscript one key at a time`(
    _ writer: Writer
  ) async throws {
    let (desk, person) = (try Desk(Shelf.self), Person())
    let host = HeadlessHost { Keeper(person: person, shelf: desk.model) }
    #expect(host.text.last == "bound 0")
    try await desk.write(by: writer) { $0[scoreOf: "Ravi"] = 5 }
    #expect(host.text.last == "bound 5")
    try await desk.write(by: writer) { $0[scoreOf: "Maria"] = 6 }
    #expect(host.text.last == "bound 5")
    #expect(host.evaluations(of: Bound.self) == 3)
    #expect(host.evaluations(of: Keeper.self) == 1)
  }
}

// MARK: Models

private struct OwnerView: View {
  let shelf: Shelf

  var body: some View {
    Text(shelf.owner?.name ?? "nobody's")
    Button("Read") { _ = shelf.theme }
  }
}

private struct BookRow: View {
  let book: Volume
  var body: some View { Text(book.title) }
}

private struct PagesRow: View {
  let book: Volume
  var body: some View { Text("\(book.pages)") }
}

private struct ShelfView: View {
  @Bindable var shelf: Shelf

  var body: some View {
    ForEach(shelf.books) { BookRow(book: $0) }
  }
}

private struct Narrow: View {
  let book: Volume

  var body: some View {
    BookRow(book: book)
    PagesRow(book: book)
  }
}

private struct Controls: View {
  @Bindable var person: Person

  var body: some View {
    TextField("Name", text: $person.name)
    Stepper("Age: \(person.age)", value: $person.age)
    Toggle("Member", isOn: $person.isMember)
  }
}

private struct Injected: View {
  @Environment(Person.self) private var person

  var body: some View {
    @Bindable var person = person
    TextField("Name", text: $person.name)
  }
}

@MainActor @Suite struct `A model that is shown, whoever writes` {
  @Test(arguments: Writer.all) func `row 25, 62: shows what is put into it and what is taken away`(
    _ writer: Writer
  ) async throws {
    let desk = try Desk(Shelf.self)
    let host = HeadlessHost { OwnerView(shelf: desk.model) }
    #expect(host.text.first == "nobody's")
    try await desk.write(by: writer) { $0.owner = Person() }
    #expect(host.text.first == "Ravi")
    try await desk.write(by: writer) { $0.owner?.name = "Maria" }
    #expect(host.text.first == "Maria")
    try await desk.write(by: writer) { $0.owner?.age = 31 }
    #expect(host.evaluations(of: OwnerView.self) == 3)
    try await desk.write(by: writer) { $0.owner = nil }
    #expect(host.text.first == "nobody's")
  }

  @Test(arguments: Writer.all) func `row 60: is not depended upon by an action that read it`(
    _ writer: Writer
  ) async throws {
    let desk = try Desk(Shelf.self)
    let host = HeadlessHost { OwnerView(shelf: desk.model) }
    try host.tap("Read")
    try await desk.write(by: writer) { $0.theme = "dark" }
    #expect(host.evaluations(of: OwnerView.self) == 1)
  }

  @Test(arguments: Writer.all) func `row 26, 59, 63: wakes the row of what was written`(
    _ writer: Writer
  ) async throws {
    let desk = try Desk(Shelf.self)
    desk.model.fill()
    let host = HeadlessHost { ShelfView(shelf: desk.model) }
    #expect(host.text == ["Dune", "Emma", "Ulysses"])
    try await desk.write(by: writer) { $0.books[1].title = "Persuasion" }
    #expect(host.text == ["Dune", "Persuasion", "Ulysses"])
    #expect(host.evaluations(of: BookRow.self) == 4)
    try await desk.write(by: writer) { $0.books[1].pages = 200 }
    #expect(host.evaluations(of: BookRow.self) == 4)
    #expect(host.evaluations(of: ShelfView.self) == 1)
    try await desk.write(by: writer) { $0.books.remove(at: 0) }
    #expect(host.text == ["Persuasion", "Ulysses"])
    #expect(host.evaluations(of: BookRow.self) == 4)
  }

  @Test(arguments: Writer.all) func `row 64: serves narrow readers one by one`(_ writer: Writer) async throws {
    let desk = try Desk(Volume.self)
    let host = HeadlessHost { Narrow(book: desk.model) }
    _ = host.text
    try await desk.write(by: writer) { $0.pages = 200 }
    #expect(host.text == ["Dune", "200"])
    #expect(host.evaluations(of: BookRow.self) == 1)
    #expect(host.evaluations(of: PagesRow.self) == 2)
    #expect(host.evaluations(of: Narrow.self) == 1)
  }

  @Test(arguments: Writer.all) func `row 57, 152: shows in the controls that are bound to it`(
    _ writer: Writer
  ) async throws {
    let desk = try Desk(Person.self)
    let host = HeadlessHost { Controls(person: desk.model) }
    _ = host.text
    try await desk.write(by: writer) { person in
      person.name = "Maria"
      person.age = 31
      person.isMember = true
    }
    #expect(host.text == ["Name: Maria", "Age: 31", "[x] Member"])
    // And what a person does there is written where the other replica wrote.
    try host.toggle("Member")
    #expect(!desk.model.isMember)
  }

  @Test(arguments: Writer.all) func `row 58: shows in a control far inside`(_ writer: Writer) async throws {
    let desk = try Desk(Person.self)
    let host = HeadlessHost { Injected().environment(desk.model) }
    _ = host.text
    try await desk.write(by: writer) { $0.name = "Maria" }
    #expect(host.text == ["Name: Maria"])
    #expect(host.evaluations(of: Injected.self) == 1)
  }
}
