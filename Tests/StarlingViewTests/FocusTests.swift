import StarlingView
import Testing

private enum Field: Hashable {
  case name
  case address
}

private struct Fields: View {
  @FocusState private var field: Field?
  @State private var isShown = true

  var body: some View {
    if isShown {
      TextField("Name", text: .constant("")).focused($field, equals: .name)
      TextField("Address", text: .constant("")).focused($field, equals: .address)
    }
    Text(field.map { "\($0)" } ?? "none")
    Button("To address") { field = .address }
    Button("Nowhere") { field = nil }
    Button("Hide") { isShown = false }
  }
}

private struct OneField: View {
  @FocusState private var isFocused: Bool

  var body: some View {
    TextField("Only", text: .constant("")).focused($isFocused)
    Text(isFocused ? "in" : "out")
    Button("Enter") { isFocused = true }
    Button("Leave") { isFocused = false }
  }
}

private struct NestedFields: View {
  @FocusState private var isInside: Bool
  @FocusState private var field: Field?

  var body: some View {
    VStack {
      TextField("Name", text: .constant("")).focused($field, equals: .name)
    }
    .focused($isInside)
    TextField("Outside", text: .constant(""))
    Text("\(isInside) \(field == .name)")
  }
}

/// One view that waits under two values.
private struct TwoNames: View {
  @FocusState private var field: Field?

  var body: some View {
    TextField("Only", text: .constant("")).focused($field, equals: .name).focused($field, equals: .address)
    Text(field.map { "\($0)" } ?? "none")
    Button("By name") { field = .name }
    Button("By address") { field = .address }
  }
}

/// Two views that wait under one value.
private struct Namesakes: View {
  @FocusState private var field: Field?

  var body: some View {
    TextField("First", text: .constant("")).focused($field, equals: .name)
    TextField("Second", text: .constant("")).focused($field, equals: .name)
    Text(field.map { "\($0)" } ?? "none")
    Button("Name") { field = .name }
  }
}

private struct Submitted: View {
  @State private var text = ""
  let diary: Diary

  var body: some View {
    TextField("Text", text: $text)
      .onSubmit { diary.note("submitted \(text)") }
  }
}

@MainActor @Suite struct `The focus` {
  @Test func `row 121, 122, 123: tells its state where a person moves it`() {
    let host = HeadlessHost { Fields() }
    #expect(host.text.contains("none"))
    host.press(.tab)
    #expect(host.focused == "Name")
    #expect(host.text.contains("name"))
    host.press(.tab)
    #expect(host.text.contains("address"))
    host.press(.tab)
    #expect(host.focused == "To address")
    #expect(host.text.contains("none"))
    host.press(.backTab)
    #expect(host.text.contains("address"))
  }

  @Test func `row 121, 123: tells a truth value as well`() {
    let host = HeadlessHost { OneField() }
    host.press(.tab)
    #expect(host.text.contains("in"))
    host.press(.tab)
    #expect(host.text.contains("out"))
  }

  @Test func `row 124: goes where a program writes`() throws {
    let host = HeadlessHost { Fields() }
    try host.tap("To address")
    #expect(host.focused == "Address")
    #expect(host.text.contains("address"))
  }

  @Test func `row 125, 129: goes away when a program writes nil or false`() throws {
    let host = HeadlessHost { Fields() }
    try host.tap("To address")
    try host.tap("Nowhere")
    #expect(host.focused == nil)
    #expect(host.text.contains("none"))
    let one = HeadlessHost { OneField() }
    try one.tap("Enter")
    #expect(one.focused == "Only")
    try one.tap("Leave")
    #expect(one.focused == nil)
  }

  @Test func `row 126: may be asked for under either of a view's two values`() throws {
    let host = HeadlessHost { TwoNames() }
    for (button, value) in [("By name", "name"), ("By address", "address"), ("By name", "name")] {
      try host.tap(button)
      #expect(host.focused == "Only")
      #expect(host.text[1] == value)
    }
    #expect(host.diagnostics.isEmpty)
  }

  @Test func `row 127: goes to the first of two views of one value, and that is said`() throws {
    let host = HeadlessHost { Namesakes() }
    for field in ["First", "Second"] {
      try host.focus(field)
      #expect(host.text[2] == "name")
    }
    #expect(host.diagnostics.isEmpty)
    try host.focus(nil)
    try host.tap("Name")
    #expect(host.focused == "First")
    #expect(host.diagnostics.map(\.kind) == [.ambiguousFocus])
  }

  @Test func `row 128: within a view is the view's as well`() throws {
    let host = HeadlessHost { NestedFields() }
    try host.focus("Name")
    #expect(host.text.last == "true true")
    try host.focus("Outside")
    #expect(host.text.last == "false false")
  }

  @Test func `goes with its view`() throws {
    let host = HeadlessHost { Fields() }
    try host.tap("To address")
    try host.tap("Hide")
    #expect(host.focused == nil)
    #expect(host.text.contains("none"))
  }

  @Test func `takes keys to what has it`() throws {
    let diary = Diary()
    let host = HeadlessHost { Submitted(diary: diary) }
    host.press(.tab)
    for character in "Hi" { host.press(.character(character)) }
    #expect(host.text == ["Text: Hi"])
    host.press(.delete)
    host.press(.return)
    #expect(diary.entries == ["submitted H"])
  }

  @Test func `row 130: is its view's own`() {
    // `Fields` takes no parameter: its state is private.
    #expect(HeadlessHost { Fields() }.focused == nil)
  }
}
