import StarlingView
import Testing

private func requireSendable<Value: Sendable>(_ type: Value.Type) {}
private func requireDynamicProperty<Value: DynamicProperty>(_ type: Value.Type) {}

@Observable private final class Model {
  var name = "Dune"
  let inits: Count?

  init(_ inits: Count? = nil) {
    self.inits = inits
    inits?.up()
  }
}

private struct Item: Equatable {
  var name: String
}

// MARK: Declaring

private struct Declared: View {
  @State private var plain = 1
  @State(initialValue: 2) private var initial
  @State private var missing: String?
  @State var given: Int

  var body: some View {
    Text("\(plain) \(initial) \(missing ?? "nil") \(given)")
    Button("Write") { plain = 5 }
    Handed(binding: $plain)
  }
}

private struct Handed: View {
  let binding: Binding<Int>

  var body: some View {
    Button("Bind") { binding.wrappedValue = 7 }
  }
}

private struct Assigned: View {
  @State private var text: String

  init(_ text: String) {
    self.text = text
  }

  var body: some View { Text(text) }
}

@MainActor @Suite struct `A state` {
  @Test func `row 1, 2, 3: begins with its initial value, or nil, or what it is given`() {
    let host = HeadlessHost { Declared(given: 4) }
    #expect(host.text.first == "1 2 nil 4")
  }

  @Test func `row 2: can be assigned in an initializer`() {
    #expect(HeadlessHost { Assigned("begun") }.text == ["begun"])
  }

  @Test func `row 4, 5: is written by closures of the body and through its binding`() throws {
    let host = HeadlessHost { Declared(given: 4) }
    try host.tap("Write")
    #expect(host.text.first == "5 2 nil 4")
    try host.tap("Bind")
    #expect(host.text.first == "7 2 nil 4")
  }

  @Test func `row 6: is a dynamic property, and Sendable where its value is`() {
    requireDynamicProperty(State<Int>.self)
    requireSendable(State<Int>.self)
  }

  @Test func `row 30: shows its initial value and a diagnostic outside a view`() {
    let reports = Reports()
    let state = State(initialValue: 3)
    #expect(state.wrappedValue == 3)
    state.wrappedValue = 4
    state.projectedValue.wrappedValue = 5
    #expect(state.wrappedValue == 3)
    #expect(reports.kinds.contains(.stateNotInstalled))
  }
}

// MARK: Views that are evaluated

private struct Reader: View {
  let name: String
  @Binding var number: Int

  var body: some View { Text("\(name) \(number)") }
}

private struct TwoReaders: View {
  @State private var number = 0

  var body: some View {
    Reader(name: "A", number: $number)
    Reader(name: "B", number: $number)
    Button("More") { number += 1 }
    Button("Thrice") {
      withTransaction {
        number += 1
        number += 1
        number += 1
      }
    }
    Button("Same") { number = number + 0 }
  }
}

private struct Given: View {
  let number: Int

  var body: some View { Text("given \(number)") }
}

private struct Giver: View {
  @State private var number = 1
  @State private var unused = 1

  var body: some View {
    Given(number: number)
    Button("More") { number += 1 }
    Button("Unused") { unused += 1 }
  }
}

@MainActor @Suite struct `A write of a state` {
  @Test func `row 7: is seen alike by all who were handed it`() throws {
    let host = HeadlessHost { TwoReaders() }
    for number in 1...5 {
      try host.tap("More")
      #expect(host.text.prefix(2) == ["A \(number)", "B \(number)"])
    }
  }

  @Test func `row 8, 52: evaluates the view that reads it, not the one that hands it on`() throws {
    let host = HeadlessHost { TwoReaders() }
    try host.tap("More")
    #expect(host.evaluations(of: Reader.self) == 4)
    #expect(host.evaluations(of: TwoReaders.self) == 1)
  }

  @Test func `row 9, 28: evaluates once a transaction, however often it writes`() throws {
    let host = HeadlessHost { TwoReaders() }
    try host.tap("Thrice")
    #expect(host.text.prefix(2) == ["A 3", "B 3"])
    #expect(host.evaluations(of: Reader.self) == 4)
    try host.tap("Same")
    #expect(host.evaluations(of: Reader.self) == 4)
  }

  @Test func `row 10: reaches a view that was handed the value`() throws {
    let host = HeadlessHost { Giver() }
    try host.tap("More")
    #expect(host.text.first == "given 2")
    try host.tap("Unused")
    #expect(host.evaluations(of: Given.self) == 2)
    #expect(host.evaluations(of: Giver.self) == 2)
  }

  @Test func `row 20: may come from eight threads at once`() async {
    let taken = Taken()
    let host = HeadlessHost { Taker(taken: taken) }
    _ = host.text
    let binding = taken.binding!
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<8 {
        group.addTask { @concurrent in
          for number in 1...1000 { binding.wrappedValue = thread * 1000 + number }
        }
      }
    }
    #expect(host.text == ["\(binding.wrappedValue)"])
    #expect(binding.wrappedValue % 1000 == 0)
    await Task.detached { binding.wrappedValue = -1 }.value
    #expect(host.text == ["-1"])
  }
}

private final class Taken {
  var binding: Binding<Int>?
}

private struct Taker: View {
  let taken: Taken
  @State private var number = 0

  var body: some View {
    MainActor.assertIsolated()
    taken.binding = $number
    return Text("\(number)")
  }
}

// MARK: Identity

private struct Keeper: View {
  let input: Int
  @State private var kept = 0

  var body: some View {
    Text("\(input) \(kept)")
    Button("Keep") { kept += 1 }
  }
}

private struct Parent: View {
  @State private var input = 0
  @State private var isShown = true
  @State private var identity = 0

  var body: some View {
    if isShown { Keeper(input: input).id(identity) }
    Button("Parent") { input += 1 }
    Button("Show") { isShown.toggle() }
    Button("Identity") { identity += 1 }
  }
}

private struct Draft: View {
  @State(id: "draft") private var text = "empty"

  var body: some View { TextField("Draft", text: $text) }
}

private struct Drafting: View {
  @State private var isShown = true

  var body: some View {
    if isShown { Draft() }
    Button("Show") { isShown.toggle() }
  }
}

@MainActor @Suite struct `The storage of a state` {
  @Test func `row 12, 27: stays while the parent makes the view again`() throws {
    let host = HeadlessHost { Parent() }
    try host.tap("Keep")
    for _ in 0..<100 { try host.tap("Parent") }
    #expect(host.text.first == "100 1")
    #expect(host.evaluations(of: Keeper.self) == 102)
  }

  @Test func `row 13: goes with the view`() throws {
    let host = HeadlessHost { Parent() }
    try host.tap("Keep")
    try host.tap("Show")
    #expect(!host.text.contains("Keep"))
    try host.tap("Show")
    #expect(host.text.first == "0 0")
    try host.tap("Keep")
    try host.tap("Identity")
    #expect(host.text.first == "0 0")
  }

  @Test func `row 13: outlives the view where it has an id`() throws {
    let host = HeadlessHost { Drafting() }
    try host.type("Dear Maria", into: "Draft")
    try host.tap("Show")
    try host.tap("Show")
    #expect(host.text.first == "Draft: Dear Maria")
  }

  @Test func `row 14: is kept nowhere`() throws {
    let store = MemoryStore()
    let host = HeadlessHost(store: store) { Parent() }
    try host.tap("Keep")
    #expect(HeadlessHost(store: store) { Parent() }.text.first == "0 0")
  }
}

// MARK: Traps

private struct Child: View {
  @State var item: Item

  var body: some View { Text("state \(item.name)") }
}

private struct Plain: View {
  let item: Item

  var body: some View { Text("let \(item.name)") }
}

private struct Following: View {
  @State private var item: Item

  init(item: Item) {
    _item = State(following: item)
  }

  var body: some View {
    Text("following \(item.name)")
    Button("Edit") { item.name += "!" }
  }
}

private struct Trap: View {
  @State private var item = Item(name: "first")

  var body: some View {
    Child(item: item)
    Plain(item: item)
    Following(item: item)
    Button("Change") { item.name = "second" }
  }
}

private struct Owner: View {
  @State private var kept: Model
  private let lost = Model()
  let tick: Int
  let seen: Diary

  init(tick: Int, inits: Count, seen: Diary) {
    self.tick = tick
    self.seen = seen
    _kept = State(wrappedValue: Model(inits))
  }

  var body: some View {
    seen.note("\(ObjectIdentifier(kept)) \(ObjectIdentifier(lost))")
    return Text("\(kept.name) \(tick)")
  }
}

private struct Ticking: View {
  @State private var tick = 0
  let inits: Count
  let seen: Diary

  var body: some View {
    Owner(tick: tick, inits: inits, seen: seen)
    Button("Tick") { tick += 1 }
  }
}

private struct DefaultOwner: View {
  static let inits = Count()
  @State private var model = Model(DefaultOwner.inits)
  let tick: Int

  var body: some View { Text("\(model.name) \(tick)") }
}

private struct DefaultTicking: View {
  @State private var tick = 0

  var body: some View {
    DefaultOwner(tick: tick)
    Button("Tick") { tick += 1 }
  }
}

@MainActor @Suite struct `A state that is handed a value` {
  @Test func `row 15, 16: keeps the first one, and says so`() throws {
    let host = HeadlessHost { Trap() }
    #expect(host.diagnostics.isEmpty)
    try host.tap("Change")
    #expect(host.text.contains("state first"))
    #expect(host.text.contains("let second"))
    #expect(host.diagnostics.map(\.kind) == [.stateKeepsFirstValue])
    #expect(host.diagnostics[0].message.contains("Child.item"))
  }

  @Test func `row 16: can follow it`() throws {
    let host = HeadlessHost { Trap() }
    try host.tap("Edit")
    #expect(host.text.contains("following first!"))
    try host.tap("Change")
    #expect(host.text.contains("following second"))
  }
}

@MainActor @Suite struct `An object in a state` {
  @Test func `row 17, 19: is made once for a place, however often its view is`() throws {
    let host = HeadlessHost { DefaultTicking() }
    for _ in 0..<10 { try host.tap("Tick") }
    #expect(host.text.first == "Dune 10")
    #expect(DefaultOwner.inits.value == 1)
  }

  @Test func `row 17, 21, 22: stays the same object, where one that is not in a state does not`() throws {
    let (inits, seen) = (Count(), Diary())
    let host = HeadlessHost { Ticking(inits: inits, seen: seen) }
    try host.tap("Tick")
    #expect(host.text.first == "Dune 1")
    #expect(inits.value == 1)
    let pairs = seen.entries.map { $0.split(separator: " ") }
    #expect(pairs.count == 2)
    #expect(pairs[0][0] == pairs[1][0])
  }
}

// MARK: App, scene, view

private struct StatefulApp: App {
  @State private var count = 0

  var body: some Scene {
    StatefulScene(count: $count)
  }
}

private struct StatefulScene: Scene {
  @Binding var count: Int
  @State private var own = 0

  var body: some Scene {
    WindowGroup {
      Text("\(count) \(own)")
      Button("App") { count += 1 }
      Button("Scene") { own += 1 }
      Keeper(input: 0)
    }
  }
}

@MainActor @Suite struct `A state stands` {
  @Test func `row 11: in apps, scenes and views`() throws {
    let host = HeadlessHost(app: StatefulApp.self)
    try host.tap("Keep")
    try host.tap("App")
    try host.tap("Scene")
    try host.tap("Scene")
    #expect(host.text == ["1 2", "App", "Scene", "0 1", "Keep"])
  }

  @Test func `row 29: as high as all who need it`() throws {
    let host = HeadlessHost { TwoReaders() }
    try host.tap("More")
    #expect(host.text.prefix(2) == ["A 1", "B 1"])
  }
}
