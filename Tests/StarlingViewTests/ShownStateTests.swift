import StarlingCore
import StarlingEngine
import StarlingModelTestSupport
import StarlingView
import Testing

// What a row demands beyond the plain case: the trap as it is, the evaluations counted, both winners of a conflict, a
// real crash, a writer elsewhere.

private final class Unshared {
  var name = "fresh"
}

private func isSendable<Value: ~Copyable>(_ type: Value.Type) -> Bool { false }
private func isSendable<Value: ~Copyable & Sendable>(_ type: Value.Type) -> Bool { true }

/// Counts what is written to it.
private final class CountingStore: ValueStore {
  private let memory = MemoryStore()
  let writes = Count()

  func text(for key: String) -> String? { memory.text(for: key) }
  func setText(_ text: String?, for key: String) {
    writes.up()
    memory.setText(text, for: key)
  }
}

private struct Keeping: View {
  @State private var number = 0
  @SceneStorage("kept") private var kept = 0
  let person: Person

  var body: some View {
    Text("\(number) \(kept) \(person.name)")
    Button("State") { number += 1 }
    Button("Scene") { kept += 1 }
  }
}

/// What a view that is made again with each evaluation of its parent saw.
@MainActor private final class Seen {
  var kept: [Unshared] = []
  var lost: [Unshared] = []
  var people: [Person] = []
}

private struct Owner: View {
  @State private var kept = Unshared()
  private let lost = Unshared()
  let person: Person
  let seen: Seen
  let tick: Int

  var body: some View {
    seen.kept.append(kept)
    seen.lost.append(lost)
    seen.people.append(person)
    return Text("\(kept.name) \(lost.name) \(person.name) \(tick)")
  }
}

private struct Remaking: View {
  @State private var tick = 0
  let seen: Seen
  /// Looks the model up, as often as it is asked.
  let person: @MainActor () -> Person

  var body: some View {
    Owner(person: person(), seen: seen, tick: tick)
    Button("Tick") { tick += 1 }
  }
}

@ReplicatedFields struct EpisodeFields: Codable {
  var title = "Pilot"
  var isFavorite = false
}

@Replicated final class Player: Sendable {
  var episode = ReplicatedRecord(EpisodeFields())
}

private struct Favorite: View {
  @Bindable var player: Player

  var body: some View { Toggle("Favorite", isOn: $player.episode.isFavorite) }
}

private struct Taker: View {
  @Bindable var shelf: Shelf

  var body: some View {
    Text(shelf.owner?.name ?? "nobody's")
    Deleter(owner: $shelf.owner)
  }
}

private struct Deleter: View {
  @Binding var owner: Person?
  var body: some View { Button("Delete") { owner = nil } }
}

// MARK: Where a state stands

private struct Ancestor: View {
  @State private var number = 0

  var body: some View {
    Middle(number: $number)
    Leaf(number: $number)
    Button("More") { number += 1 }
  }
}

private struct Middle: View {
  @Binding var number: Int

  var body: some View {
    Leaf(number: $number)
    Bystander()
  }
}

private struct Leaf: View {
  @Binding var number: Int
  var body: some View { Text("leaf \(number)") }
}

private struct Bystander: View {
  var body: some View { Text("bystander") }
}

@MainActor @Suite struct `A state, in full,` {
  @Test func `row 6: is not Sendable where its value is not`() {
    #expect(isSendable(State<Int>.self))
    #expect(!isSendable(State<Unshared>.self))
  }

  @Test func `row 14: writes neither the store nor the document`() throws {
    let desk = try Desk(Person.self)
    let store = CountingStore()
    let host = HeadlessHost(store: store) { Keeping(person: desk.model) }
    try host.tap("State")
    #expect(host.text.first == "1 0 Ravi")
    #expect(store.writes.value == 0)
    #expect(desk.pair.here.handle.takeOutbox().isEmpty)
    // Both would have been noticed.
    try host.tap("Scene")
    #expect(store.writes.value > 0)
    desk.model.name = "Maria"
    #expect(desk.pair.here.handle.takeOutbox().count == 1)
  }

  @Test func `row 22: keeps an object that a plain property loses, and loses nothing of a model`() throws {
    let pair = Pair()
    let seen = Seen()
    let host = HeadlessHost {
      Remaking(seen: seen) {
        guard let person = try? pair.here.space.model(Person.self, named: "front-desk", isolation: nil) else {
          preconditionFailure("the model is there")
        }
        return person
      }
    }
    #expect(host.text.first == "fresh fresh Ravi 0")
    seen.kept[0].name = "kept"
    seen.lost[0].name = "lost"
    seen.people[0].name = "Maria"
    try host.tap("Tick")
    #expect(host.text.first == "kept fresh Maria 1")
    #expect(seen.kept.first === seen.kept.last)
    #expect(seen.lost.first !== seen.lost.last)
    #expect(seen.people.first === seen.people.last)
  }

  @Test func `row 24: writes one register, and a concurrent edit of the field beside it stands`() throws {
    let pair = Pair()
    let (here, there) = try pair.models(Player.self)
    let host = HeadlessHost { Favorite(player: here) }
    #expect(host.text == ["[ ] Favorite"])
    there.episode.title = "Finale"
    try host.toggle("Favorite")
    let changes = pair.here.handle.takeOutbox()
    #expect(changes.map(\.operations.count) == [1])
    pair.there.handle.merge(changes)
    pair.exchange()
    for player in [here, there] {
      #expect(player.episode.isFavorite)
      #expect(player.episode.title == "Finale")
    }
    #expect(host.text == ["[x] Favorite"])
    #expect(host.evaluations(of: Favorite.self) == 1)
  }

  @Test func `row 25: is deleted against a concurrent assignment, and assigned twice, with one winner everywhere`()
    throws
  {
    let pair = Pair()
    let (here, there) = try pair.models(Shelf.self)
    here.owner = Person()
    pair.exchange()
    let host = HeadlessHost { Taker(shelf: here) }
    #expect(host.text.first == "Ravi")
    let ada = Person()
    ada.name = "Ada"
    there.owner = ada
    try host.tap("Delete")
    #expect(host.text.first == "nobody's")
    pair.exchange()
    pair.exchange()
    // What was deleted is gone; what was put in its place since stands, and nothing is left of the deletion.
    #expect(host.text.first == "Ada")
    #expect(there.owner?.name == "Ada")
    #expect(here.conflicts(of: \.owner).isEmpty && there.conflicts(of: \.owner).isEmpty)
    for (shelf, name) in [(here, "Grace"), (there, "Maria")] {
      let person = Person()
      person.name = name
      shelf.owner = person
    }
    pair.exchange()
    pair.exchange()
    #expect(here.owner?.name == there.owner?.name)
    #expect(host.text.first == there.owner?.name)
  }

  @Test func `row 29: wakes those who read it, below it and far apart, and none between`() throws {
    let host = HeadlessHost { Ancestor() }
    #expect(host.text == ["leaf 0", "bystander", "leaf 0", "More"])
    try host.tap("More")
    #expect(host.text == ["leaf 1", "bystander", "leaf 1", "More"])
    #expect(host.evaluations(of: Leaf.self) == 4)
    #expect(host.evaluations(of: Ancestor.self) == 1)
    #expect(host.evaluations(of: Middle.self) == 1)
    #expect(host.evaluations(of: Bystander.self) == 1)
  }
}

// MARK: Bindings to elements

@Replicated final class Task1: Sendable, Identifiable {
  var number = 0
  var title = ""
}

@Replicated final class TaskList: Sendable {
  var tasks: [Task1] = []

  func add(_ number: Int, at index: Int) {
    let task = Task1()
    task.number = number
    task.title = "task \(number)"
    tasks.insert(task, at: index)
  }
}

private struct TaskRow: View {
  @Binding var task: Task1
  var body: some View { TextField("Task \(task.number)", text: $task.title) }
}

private struct TaskListView: View {
  @Bindable var list: TaskList
  var body: some View { ForEach($list.tasks) { $task in TaskRow(task: $task) } }
}

@MainActor @Suite struct `A binding to an element, in full,` {
  @Test(arguments: Writer.all)
  func `row 40: is typed into while another inserts before it and removes beside it`(writer: Writer) async throws {
    let desk = try Desk(TaskList.self)
    let list = desk.model
    for number in 1...3 { list.add(number, at: number - 1) }
    desk.pair.exchange()
    let host = HeadlessHost { TaskListView(list: list) }
    #expect(host.text.count == 3)
    try await desk.write(by: writer) { list in
      list.tasks.removeLast()
      list.add(0, at: 0)
    }
    try host.type("done", into: "Task 2")
    #expect(list.tasks.map(\.title) == ["task 0", "task 1", "done"])
    let evaluations = host.evaluations(of: TaskRow.self)
    try await desk.write(by: writer) { $0.tasks[2].title = "done again" }
    #expect(host.text.last == "Task 2: done again")
    #expect(host.evaluations(of: TaskRow.self) == evaluations)
  }
}
