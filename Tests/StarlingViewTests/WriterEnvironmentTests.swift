import StarlingModelTestSupport
import StarlingView
import Testing

extension EnvironmentValues {
  @Entry fileprivate var theme = "none"
  @Entry fileprivate var action: () -> Void = {}
  @Entry fileprivate var person: Person?
}

private struct ThemeReader: View {
  @Environment(\.theme) private var theme
  var body: some View { Text(theme) }
}

private struct ActionReader: View {
  @Environment(\.action) private var action
  var body: some View { Button("Act") { action() } }
}

private struct Unread: View {
  @Environment(\.theme) private var theme
  @Environment(Person.self) private var person
  var body: some View { Text("unread") }
}

/// What it sets depends on the model.
private struct Themed: View {
  let shelf: Shelf
  @State private var person = Person()

  var body: some View {
    VStack {
      ThemeReader()
      ActionReader()
      Unread()
    }
    .environment(\.theme, shelf.theme)
    .environment(\.action) { print("acted") }
    .environment(person)
  }
}

private struct ByType: View {
  @Environment(Person.self) private var person
  var body: some View { Text(person.name) }
}

private struct ByPath: View {
  @Environment(\.person) private var person
  var body: some View { Text("\(person?.age ?? 0)") }
}

/// A model of the new kind in the wrappers of the old one.
extension Person: ObservableObject {}

private struct Observing: View {
  @ObservedObject var person: Person

  var body: some View {
    Text(person.name)
    Stepper("Age", value: $person.age)
  }
}

private struct Injected: View {
  @EnvironmentObject private var person: Person
  var body: some View { Text(person.name) }
}

/// Wrappers inside a model, over a store that others write.
@Observable @MainActor private final class Preferences {
  @ObservationIgnored @AppStorage private var stored: String

  init(_ store: any ValueStore) {
    _stored = AppStorage(wrappedValue: "Hello", "greeting", store: store)
  }

  var greeting: String { stored }
}

private struct Greeting: View {
  let preferences: Preferences
  var body: some View { Text(preferences.greeting) }
}

private struct InScene: View {
  @SceneStorage("greeting") private var greeting = "Hello"
  var body: some View { Text(greeting) }
}

private struct CountKey: PreferenceKey {
  static var defaultValue: Int { 0 }
  static func reduce(value: inout Int, nextValue: () -> Int) { value += nextValue() }
}

private struct Counted: View {
  let person: Person
  var body: some View { Text("person").preference(key: CountKey.self, value: person.age) }
}

private struct Summing: View {
  @State private var total = 0
  let person: Person

  var body: some View {
    Text("total \(total)")
    Counted(person: person).onPreferenceChange(CountKey.self) { total = $0 }
  }
}

private struct Loading: View {
  let person: Person
  let diary: Diary

  var body: some View {
    Text(person.name)
      .task { diary.note("began") }
      .task(id: person.age) { diary.note("loaded \(person.age)") }
  }
}

private struct Reacting: View {
  var age: Int
  @State private var words = "unchanged"

  var body: some View {
    Text(words).onChange(of: age) { old, new in words = "from \(old) to \(new)" }
  }
}

private struct Reacted: View {
  let person: Person
  var body: some View { Reacting(age: person.age) }
}

private struct Reader: App {
  static let desk = Handed<Person>()
  var body: some Scene { WindowGroup { ByType() }.environment(Reader.desk.model) }
}

/// Hands a test's model to a program, which is made without arguments.
@MainActor private final class Handed<Model: AnyObject> {
  var model: Model?
}

@MainActor @Suite struct `What views are surrounded by, whoever writes` {
  @Test(arguments: Writer.all) func `row 103, 113, 114, 118, 119: concerns its readers`(
    _ writer: Writer
  ) async throws {
    let desk = try Desk(Shelf.self)
    let host = HeadlessHost { Themed(shelf: desk.model) }
    #expect(host.text.first == "plain")
    try await desk.write(by: writer) { $0.theme = "dark" }
    #expect(host.text.first == "dark")
    #expect(host.evaluations(of: ThemeReader.self) == 2)
    #expect(host.evaluations(of: Unread.self) == 1)
    try await desk.write(by: writer) { $0.scores["Ravi"] = 1 }
    #expect(host.evaluations(of: Themed.self) == 2)
  }

  @Test(arguments: Writer.all) func `row 105, 108, 109: wakes for the property that was read`(
    _ writer: Writer
  ) async throws {
    let desk = try Desk(Person.self)
    let host = HeadlessHost {
      VStack {
        ByType()
        ByPath()
      }
      .environment(desk.model)
      .environment(\.person, desk.model)
    }
    #expect(host.text == ["Ravi", "30"])
    try await desk.write(by: writer) { $0.age = 31 }
    #expect(host.text == ["Ravi", "31"])
    #expect(host.evaluations(of: ByType.self) == 1)
    #expect(host.evaluations(of: ByPath.self) == 2)
  }

  @Test(arguments: Writer.all) func `row 91, 94: wakes for no more in the wrapper of an observed object`(
    _ writer: Writer
  ) async throws {
    let desk = try Desk(Person.self)
    let host = HeadlessHost { Observing(person: desk.model) }
    _ = host.text
    try await desk.write(by: writer) { $0.isMember = true }
    #expect(host.evaluations(of: Observing.self) == 1)
    try await desk.write(by: writer) { $0.name = "Maria" }
    #expect(host.text.first == "Maria")
    #expect(host.evaluations(of: Observing.self) == 2)
    try host.increment("Age")
    #expect(desk.model.age == 31)
  }

  @Test(arguments: Writer.all) func `row 96: is shown as an environment object`(_ writer: Writer) async throws {
    let desk = try Desk(Person.self)
    let host = HeadlessHost { Injected().environmentObject(desk.model) }
    _ = host.text
    try await desk.write(by: writer) { $0.age = 31 }
    try await desk.write(by: writer) { $0.name = "Maria" }
    #expect(host.text == ["Maria"])
    #expect(host.evaluations(of: Injected.self) == 2)
  }

  @Test(arguments: Writer.all) func `row 69: is a stored setting inside a model, once a change`(
    _ writer: Writer
  ) async throws {
    let desk = try Desk(Settings.self)
    let host = HeadlessHost { Greeting(preferences: Preferences(desk.model)) }
    #expect(host.text == ["Hello"])
    try await desk.write(by: writer) { $0.setText("Good morning", for: "greeting") }
    #expect(host.text == ["Good morning"])
    #expect(host.evaluations(of: Greeting.self) == 2)
    try await desk.write(by: writer) { $0.setText("Good morning", for: "greeting") }
    try await desk.write(by: writer) { $0.setText("else", for: "other") }
    #expect(host.evaluations(of: Greeting.self) == 2)
  }

  @Test(arguments: Writer.all) func `row 134: is one value in a scene whose store is a document`(
    _ writer: Writer
  ) async throws {
    let desk = try Desk(Settings.self)
    let host = HeadlessHost(store: desk.model) {
      InScene()
      InScene()
    }
    #expect(host.text == ["Hello", "Hello"])
    let scene = HeadlessHost(store: desk.model) { Writing() }
    try scene.tap("Write")
    let key = try #require(desk.model.texts.keys.first { $0.hasSuffix("/greeting") })
    try await desk.write(by: writer) { $0.setText("Good morning", for: key) }
    #expect(host.text == ["Good morning", "Good morning"])
  }

  @Test(arguments: Writer.all) func `row 120: is said by a view that reads a model`(_ writer: Writer) async throws {
    let desk = try Desk(Person.self)
    let host = HeadlessHost { Summing(person: desk.model) }
    #expect(host.text.first == "total 30")
    try await desk.write(by: writer) { $0.age = 31 }
    #expect(host.text.first == "total 31")
  }

  @Test(arguments: Writer.all) func `row 143: begins no task again but the one that is named by it`(
    _ writer: Writer
  ) async throws {
    let (desk, diary) = (try Desk(Person.self), Diary())
    let host = HeadlessHost { Loading(person: desk.model, diary: diary) }
    await host.settle()
    try await desk.write(by: writer) { $0.name = "Maria" }
    try await desk.write(by: writer) { $0.age = 31 }
    await host.settle()
    #expect(host.text == ["Maria"])
    #expect(diary.entries.sorted() == ["began", "loaded 30", "loaded 31"])
  }

  @Test(arguments: Writer.all) func `row 145: is watched for changes`(_ writer: Writer) async throws {
    let desk = try Desk(Person.self)
    let host = HeadlessHost { Reacted(person: desk.model) }
    #expect(host.text == ["unchanged"])
    try await desk.write(by: writer) { $0.age = 31 }
    #expect(host.text == ["from 30 to 31"])
  }

  @Test(arguments: Writer.all) func `row 154: reaches a program through its scene`(_ writer: Writer) async throws {
    let desk = try Desk(Person.self)
    Reader.desk.model = desk.model
    let host = HeadlessHost(app: Reader.self)
    #expect(host.text == ["Ravi"])
    try await desk.write(by: writer) { $0.name = "Maria" }
    #expect(host.text == ["Maria"])
  }
}

private struct Writing: View {
  @SceneStorage("greeting") private var greeting = "Hello"
  var body: some View { Button("Write") { greeting = "Hi" } }
}
