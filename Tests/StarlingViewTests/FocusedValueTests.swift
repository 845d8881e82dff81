import StarlingView
import Testing

private struct ManualKey: FocusedValueKey {
  typealias Value = Int
}

extension FocusedValues {
  @Entry fileprivate var title: String?

  fileprivate var page: Int? {
    get { self[ManualKey.self] }
    set { self[ManualKey.self] = newValue }
  }
}

private struct Menu: View {
  @FocusedValue(\.title) private var title
  @FocusedValue(\.page) private var page

  var body: some View { Text("\(title ?? "nothing") \(page ?? 0)") }
}

private struct Unmoved: View {
  @FocusedValue(\.title) private var title
  var body: some View { Text("unread") }
}

private struct Library: View {
  @State private var title = "Dune"
  @State private var isShown = true

  var body: some View {
    Menu()
    Unmoved()
    VStack {
      TextField("One", text: .constant(""))
      if isShown { TextField("Two", text: .constant("")).focusedValue(\.title, title) }
    }
    .focusedValue(\.title, "shelf")
    .focusedValue(\.page, 7)
    Button("Rename") { title = "Emma" }
    Button("Hide") { isShown = false }
  }
}

private struct Welcome: View {
  enum Field: Hashable {
    case name
    case place
  }

  @FocusState private var field: Field?
  @State private var isAsking = false

  var body: some View {
    VStack {
      TextField("Name", text: .constant("")).focused($field, equals: .name)
      TextField("Place", text: .constant("")).focused($field, equals: .place)
    }
    .defaultFocus($field, .place)
    Button("Ask") { isAsking = true }
    if isAsking { Question() }
  }
}

private struct Question: View {
  @FocusState private var isHere: Bool

  var body: some View {
    TextField("Why", text: .constant("")).focused($isHere).defaultFocus($isHere, true)
  }
}

private struct Pictures: View {
  @FocusState private var isHere: Bool

  var body: some View {
    Text("Picture").focusable().focused($isHere)
    Text("Frame").focusable(false)
    Text(isHere ? "looked at" : "passed by")
  }
}

@MainActor @Suite struct `What has the focus` {
  @Test func `row 131: says values, the innermost over those around it`() throws {
    let host = HeadlessHost { Library() }
    #expect(host.text.first == "nothing 0")
    try host.focus("One")
    #expect(host.text.first == "shelf 7")
    try host.focus("Two")
    #expect(host.text.first == "Dune 7")
    try host.focus("Rename")
    #expect(host.text.first == "nothing 0")
  }

  @Test func `row 131: wakes the readers of its values, when they change`() throws {
    let host = HeadlessHost { Library() }
    try host.focus("Two")
    try host.tap("Rename")
    #expect(host.text.first == "Emma 7")
    #expect(host.evaluations(of: Menu.self) == 3)
    #expect(host.evaluations(of: Unmoved.self) == 1)
    try host.tap("Hide")
    #expect(host.text.first == "nothing 0")
  }

  @Test func `row 131: is what asked for it when it came, unless something has it`() throws {
    let host = HeadlessHost { Welcome() }
    #expect(host.focused == "Place")
    try host.focus("Name")
    try host.tap("Ask")
    #expect(host.text.contains("Why:"))
    #expect(host.focused == "Name")
  }

  @Test func `row 131: may be any view that is made for it`() {
    let host = HeadlessHost { Pictures() }
    host.press(.tab)
    #expect(host.focused == "Picture")
    #expect(host.text.last == "looked at")
    host.press(.tab)
    #expect(host.focused == "Picture")
  }
}
