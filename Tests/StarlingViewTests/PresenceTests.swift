import StarlingCore
import StarlingEngine
import StarlingGuard
import StarlingModel
import StarlingView
import Testing

private enum Field: String {
  case title
  case blurb
}

extension PresenceKey<Field> {
  fileprivate static let field = PresenceKey("field")
}

extension PresenceKey<Int> {
  fileprivate static let row = PresenceKey("row")
}

private struct Editor: View {
  @FocusState private var field: Field?
  let presence: Presence

  var body: some View {
    Form {
      TextField("Title", text: .constant("")).focused($field, equals: .title)
      TextField("Blurb", text: .constant("")).focused($field, equals: .blurb)
    }
    .presence($field, in: presence, as: .field)
    TextField("Search", text: .constant(""))
  }
}

private struct Pages: View {
  @State private var isEditing = true
  let presence: Presence

  var body: some View {
    if isEditing { Editor(presence: presence) }
    Button("Done") { isEditing = false }
  }
}

private struct Row: View {
  @FocusState private var isHere: Bool
  let number: Int
  let presence: Presence

  var body: some View {
    TextField("Row \(number)", text: .constant(""))
      .focused($isHere)
      .presence($isHere, saying: number, in: presence, as: .row)
  }
}

private struct Onlooker: View {
  @Environment(Presence.self) private var presence

  var body: some View {
    Text(presence.others(.field).map(\.content.rawValue).joined(separator: ", "))
    Text("\(presence.others(.field, at: .title).count) in the title")
  }
}

/// Two processes on a network in memory, in the test's time.
@MainActor private final class Two {
  let network = MemoryNetwork()
  nonisolated private let opened = Guarded<[String: ModelSpace]>([:])
  private var engines: [ReplicaEngine] = []

  init() throws {
    try open("ada") { try await $0.bind("memory:ada") }
    try open("bob") { try await $0.connect(to: "memory:ada") }
    network.run(for: .seconds(1))
  }

  private func open(_ name: String, _ join: @escaping @Sendable (ReplicaEngine) async throws -> Void) throws {
    var configuration = EngineConfiguration()
    configuration.background = nil
    let network = network
    let engine = ReplicaEngine(
      link: network.makeLink(named: name), log: MemoryLog(), configuration: configuration,
      clock: EngineClock(wallMilliseconds: { 1_800_000_000_000 }, uptime: { network.now }))
    engines.append(engine)
    Task(executorPreference: network.executor) {
      try await engine.start()
      try await join(engine)
      let space = ModelSpace(try await engine.open(DocumentID("library")!))
      self.opened.withLock { $0[name] = space }
    }
    #expect(network.run(timeout: .seconds(5)) { opened.withLock { $0[name] } != nil })
  }

  isolated deinit {
    for engine in engines { Task(executorPreference: network.executor) { try await engine.close() } }
    network.run(for: .seconds(5))
  }

  func presence(of name: String) throws -> Presence {
    try #require(opened.withLock { $0[name] }).presence
  }

  func carry() {
    network.run(for: .milliseconds(100))
  }
}

@MainActor @Suite struct `The focus of a form` {
  private let two: Two
  private let here: Presence
  private let there: Presence

  init() throws {
    two = try Two()
    here = try two.presence(of: "ada")
    there = try two.presence(of: "bob")
  }

  @Test func `row 131: is seen by the other processes while it is there`() throws {
    let (editor, onlooker) = (
      HeadlessHost { Editor(presence: here) }, HeadlessHost { Onlooker().environment(there) }
    )
    two.carry()
    #expect(onlooker.text == ["", "0 in the title"])
    try editor.focus("Title")
    #expect(editor.focused == "Title")
    two.carry()
    #expect(onlooker.text == ["title", "1 in the title"])
    editor.press(.tab)
    _ = editor.text
    two.carry()
    #expect(onlooker.text == ["blurb", "0 in the title"])
    #expect(onlooker.evaluations(of: Onlooker.self) == 3)
    try editor.focus("Search")
    _ = editor.text
    two.carry()
    #expect(onlooker.text == ["", "0 in the title"])
    #expect(editor.evaluations(of: Editor.self) == 1)
  }

  @Test func `row 131: is nowhere once its view has gone, or its host`() throws {
    var host: HeadlessHost? = HeadlessHost { Pages(presence: here) }
    try host?.focus("Title")
    _ = host?.text
    #expect(here[.field] == .title)
    try host?.tap("Done")
    _ = host?.text
    #expect(here[.field] == nil)

    host = HeadlessHost { Pages(presence: here) }
    try host?.focus("Blurb")
    _ = host?.text
    #expect(here[.field] == .blurb)
    host = nil
    #expect(here[.field] == nil)
  }

  @Test func `row 131: is said of the place that got it last`() throws {
    let (one, other) = (HeadlessHost { Editor(presence: here) }, HeadlessHost { Editor(presence: here) })
    try one.focus("Title")
    _ = one.text
    try other.focus("Blurb")
    _ = other.text
    #expect(here[.field] == .blurb)
    try other.focus(nil)
    _ = other.text
    #expect(here[.field] == .title)
    try one.focus(nil)
    _ = one.text
    #expect(here[.field] == nil)
  }

  @Test func `row 131: may be said of a row, whichever is told first that it moved`() throws {
    let host = HeadlessHost {
      ForEach(1..<4) { Row(number: $0, presence: here) }
    }
    for number in [1, 3, 2] {
      try host.focus("Row \(number)")
      _ = host.text
      #expect(here[.row] == number)
    }
    try host.focus(nil)
    _ = host.text
    #expect(here[.row] == nil)
  }

  @Test func `row 131: is told on when it moves from one presence to another`() throws {
    let host = HeadlessHost { Moving(here: here, there: there) }
    try host.focus("Title")
    _ = host.text
    #expect(here[.field] == .title)
    try host.tap("Elsewhere")
    try host.focus("Title")
    _ = host.text
    #expect(here[.field] == nil)
    #expect(there[.field] == .title)
  }
}

private struct Moving: View {
  @State private var isThere = false
  let here: Presence
  let there: Presence

  var body: some View {
    Editor(presence: isThere ? there : here)
    Button("Elsewhere") { isThere = true }
  }
}
