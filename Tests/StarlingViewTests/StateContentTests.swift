import StarlingView
import Testing

@Observable private final class Model {
  var name = "Dune"

  init(_ inits: Count? = nil) {
    inits?.up()
  }
}

private struct Episode: Equatable {
  var title = "Pilot"
  var isFavorite = false
}

private struct ObjectOwner: View {
  @State private var model = Model()
  @State private var episode = Episode()
  @State private var book: Model? = Model()

  var body: some View {
    TextField("Name", text: $model.name)
    Toggle("Favorite", isOn: $episode.isFavorite)
    Text(episode.title)
    Text(book == nil ? "gone" : "there")
    Deleter(book: $book)
    Available(model: model)
  }
}

private struct Deleter: View {
  @Binding var book: Model?

  var body: some View { Button("Delete") { book = nil } }
}

private struct Available: View {
  var model: Model

  var body: some View {
    Button("Rename \(model.name)") { model.name = "Emma" }
  }
}

@MainActor @Suite struct `What a state holds` {
  @Test func `row 23: gives bindings to an object's properties`() throws {
    let host = HeadlessHost { ObjectOwner() }
    try host.type("Ulysses", into: "Name")
    #expect(host.text.first == "Name: Ulysses")
  }

  @Test func `row 24: gives bindings to a struct's fields`() throws {
    let host = HeadlessHost { ObjectOwner() }
    try host.toggle("Favorite")
    #expect(host.text.contains("[x] Favorite"))
    #expect(host.text.contains("Pilot"))
  }

  @Test func `row 25: can be taken away through a binding`() throws {
    let host = HeadlessHost { ObjectOwner() }
    try host.tap("Delete")
    #expect(host.text.contains("gone"))
  }

  @Test func `row 26: is changed through the reference`() throws {
    let host = HeadlessHost { ObjectOwner() }
    try host.tap("Rename Dune")
    #expect(host.text.contains("Rename Emma"))
    #expect(host.evaluations(of: ObjectOwner.self) == 1)
  }
}

@MainActor @Suite struct `A deferred state` {
  private struct Deferred: View {
    @State private var model: Model?
    let inits: Count
    @State private var tick = 0

    var body: some View {
      Text(model?.name ?? "nothing").task { model = Model(inits) }
      Button("Tick \(tick)") { tick += 1 }
    }
  }

  @Test func `row 18: is made once, after the first body`() async throws {
    let inits = Count()
    let host = HeadlessHost { Deferred(inits: inits) }
    #expect(host.text.first == "nothing")
    await host.settle()
    #expect(host.text.first == "Dune")
    for tick in 0..<5 { try host.tap("Tick \(tick)") }
    await host.settle()
    #expect(inits.value == 1)
  }
}
