import StarlingModelTestSupport
import StarlingView
import Testing

@Replicated final class Person: Sendable {
  var name = "Ravi"
  var age = 30
  var isMember = false
}

private struct User: Equatable {
  var name = "Ravi"
  var age = 30
}

private struct NameView: View {
  @Binding var name: String
  var body: some View { Text("name \(name)") }
}

private struct AgeView: View {
  @Binding var age: Int
  var body: some View { Text("age \(age)") }
}

private struct StructOwner: View {
  @State private var user = User()

  var body: some View {
    NameView(name: $user.name)
    AgeView(age: $user.age)
    Button("Rename") { user.name = "Maria" }
  }
}

private struct ModelOwner: View {
  @Bindable var person: Person

  var body: some View {
    NameView(name: $person.name)
    AgeView(age: $person.age)
  }
}

private struct Level<Inner: View>: View {
  @Binding var number: Int
  let inner: (Binding<Int>) -> Inner

  var body: some View { inner($number) }
}

private struct Leaf: View {
  @Binding var number: Int
  var body: some View { Button("leaf \(number)") { number += 1 } }
}

private struct Deep: View {
  @State private var number = 0

  var body: some View {
    Level(number: $number) { one in
      Level(number: one) { two in
        Level(number: two) { three in Level(number: three) { four in Leaf(number: four) } }
      }
    }
  }
}

private struct ReadOnly: View {
  let number: Int
  var body: some View { Text("let \(number)") }
}

private struct Child: View {
  @Binding var number: Int
  var body: some View { Text("child \(number)") }
}

private struct ByPath: View {
  @State private var number = 0
  @State private var tick = 0

  var body: some View {
    Text("tick \(tick)")
    Child(number: $number)
    Button("Tick") { tick += 1 }
  }
}

private struct ByClosure: View {
  @State private var number = 0
  @State private var tick = 0
  var id: String?

  var body: some View {
    Text("tick \(tick)")
    Child(number: Binding(get: { number }, set: { number = $0 }, id: id.map { AnyHashable($0) }))
    Button("Tick") { tick += 1 }
    Button("More") { number += 1 }
  }
}

private struct Both: View {
  @State private var number = 0

  var body: some View {
    ReadOnly(number: number)
    Child(number: $number)
    Button("More") { number += 1 }
  }
}

@Observable @MainActor private final class Scores {
  private var scores = ["Ravi": 1, "Maria": 2]

  subscript(of player: String) -> Int {
    get { scores[player] ?? 0 }
    set { scores[player] = newValue }
  }
}

private struct ScoresView: View {
  @Bindable var scores: Scores
  @State private var tick = 0

  var body: some View {
    Child(number: $scores[of: "Ravi"])
    Button("Tick \(tick)") { tick += 1 }
  }
}

private struct Editor: View {
  @Bindable var person: Person

  var body: some View {
    TextField("Name", text: $person.name)
    Toggle("Member", isOn: $person.isMember)
  }
}

private struct LocalEditor: View {
  let person: Person

  var body: some View {
    @Bindable var person = person
    TextField("Name", text: $person.name)
  }
}

private struct InjectedEditor: View {
  @Environment(Person.self) private var person

  var body: some View {
    @Bindable var person = person
    TextField("Name", text: $person.name)
  }
}

/// A wrapper of one's own around a binding.
private struct Clamped: DynamicProperty {
  @Binding var number: Int
  private(set) var updates = 0

  mutating func update() { updates += 1 }

  var value: Int {
    get { number }
    nonmutating set { number = min(max(newValue, 0), 3) }
  }
}

private struct ClampedView: View {
  let clamped: Clamped

  var body: some View {
    Button("\(clamped.value) \(clamped.updates)") { clamped.value += 2 }
  }
}

private struct ClampedOwner: View {
  @State private var number = 0
  var body: some View { ClampedView(clamped: Clamped(number: $number)) }
}

private func isDynamicProperty<Value>(_ type: Value.Type) -> Bool { type is any DynamicProperty.Type }
private func requireCopyable<Value: Copyable & Escapable>(_ type: Value.Type) {}

@MainActor @Suite struct `A binding in views` {
  @Test func `row 45: is a dynamic property, by itself and inside one`() throws {
    requireCopyable(Binding<Int>.self)
    #expect(isDynamicProperty(Binding<Int>.self))
    #expect(isDynamicProperty(Bindable<Person>.self))
    #expect(!isDynamicProperty(Person.self))
    let host = HeadlessHost { ClampedOwner() }
    try host.tap("0 1")
    try host.tap("2 2")
    #expect(host.text == ["3 3"])
    #expect(host.evaluations(of: ClampedOwner.self) == 1)
  }

  @Test func `row 33: is read through five levels, by the last alone`() throws {
    let host = HeadlessHost { Deep() }
    try host.tap("leaf 0")
    #expect(host.text == ["leaf 1"])
    #expect(host.evaluations(of: Leaf.self) == 2)
    #expect(host.evaluations(of: Deep.self) == 1)
  }

  @Test func `row 48: costs no more evaluations than a value`() throws {
    let host = HeadlessHost { Both() }
    try host.tap("More")
    #expect(host.evaluations(of: ReadOnly.self) == 2)
    #expect(host.evaluations(of: Child.self) == 2)
  }

  @Test func `row 49: by path is the same after its owner ran again`() throws {
    let host = HeadlessHost { ByPath() }
    try host.tap("Tick")
    #expect(host.text.first == "tick 1")
    #expect(host.evaluations(of: Child.self) == 1)
  }

  @Test func `row 49: of closures is another one, unless it is named`() throws {
    let unnamed = HeadlessHost { ByClosure() }
    try unnamed.tap("Tick")
    #expect(unnamed.evaluations(of: Child.self) == 2)
    let named = HeadlessHost { ByClosure(id: "number") }
    try named.tap("Tick")
    #expect(named.evaluations(of: Child.self) == 1)
    try named.tap("More")
    #expect(named.text.contains("child 1"))
  }

  @Test func `row 50: by subscript is the same for the same arguments`() throws {
    let scores = Scores()
    let bindable = Bindable(scores)
    #expect(bindable[of: "Ravi"] == bindable[of: "Ravi"])
    #expect(bindable[of: "Ravi"] != bindable[of: "Maria"])
    let host = HeadlessHost { ScoresView(scores: scores) }
    try host.tap("Tick 0")
    #expect(host.evaluations(of: Child.self) == 1)
  }

  @Test func `row 51: to a field of a struct depends on that field`() throws {
    let host = HeadlessHost { StructOwner() }
    try host.tap("Rename")
    #expect(host.text.prefix(2) == ["name Maria", "age 30"])
    #expect(host.evaluations(of: NameView.self) == 2)
    #expect(host.evaluations(of: AgeView.self) == 1)
    #expect(host.evaluations(of: StructOwner.self) == 1)
  }

  @Test(arguments: Writer.all) func `row 51: to a property depends on that property, whoever writes`(
    _ writer: Writer
  ) async throws {
    let desk = try Desk(Person.self)
    let host = HeadlessHost { ModelOwner(person: desk.model) }
    _ = host.text
    try await desk.write(by: writer) { $0.name = "Maria" }
    #expect(host.text == ["name Maria", "age 30"])
    #expect(host.evaluations(of: NameView.self) == 2)
    #expect(host.evaluations(of: AgeView.self) == 1)
  }

  @Test func `row 53, 55, 57: comes from Bindable as from a state`() throws {
    let person = Person()
    let host = HeadlessHost { Editor(person: person) }
    try host.type("Maria", into: "Name")
    Bindable(person).isMember.wrappedValue = true
    #expect(host.text == ["Name: Maria", "[x] Member"])
  }

  @Test func `row 54: comes from Bindable within a body`() throws {
    let person = Person()
    let host = HeadlessHost { LocalEditor(person: person) }
    try host.type("Maria", into: "Name")
    #expect(person.name == "Maria")
  }

  @Test(arguments: Writer.all) func `row 56: is read by the field that it is handed to, whoever writes`(
    _ writer: Writer
  ) async throws {
    let desk = try Desk(Person.self)
    let host = HeadlessHost { Editor(person: desk.model) }
    _ = host.text
    try await desk.write(by: writer) { $0.name = "Maria" }
    #expect(host.text == ["Name: Maria", "[ ] Member"])
    #expect(host.evaluations(of: Editor.self) == 1)
    #expect(host.evaluations(of: TextField<Text>.self) == 2)
    #expect(host.evaluations(of: Toggle<Text>.self) == 1)
  }

  @Test func `row 58: comes from Bindable of an object of the environment`() throws {
    let person = Person()
    let host = HeadlessHost { InjectedEditor().environment(person) }
    try host.type("Maria", into: "Name")
    #expect(person.name == "Maria")
  }
}
