import StarlingTerminal
import StarlingView
import Testing

@MainActor @Suite struct `A keyboard shortcut` {
  @MainActor final class Log {
    var lines: [String] = []
  }

  private func keys(_ log: Log, isDisabled: Bool = false, draft: Binding<String> = .constant("")) -> some View {
    VStack {
      TextField("Title", text: draft)
      HStack {
        Button("q quit") { log.lines.append("quit") }.keyboardShortcut("q", modifiers: [])
        Button("Save") { log.lines.append("save") }.keyboardShortcut("s")
        Button("next") { log.lines.append("next") }.keyboardShortcut(.rightArrow, modifiers: [])
          .environment(\.isEnabled, !isDisabled)
        HStack { Button("away") { log.lines.append("away") } }.keyboardShortcut(.cancelAction)
      }
      .buttonStyle(.plain)
    }
  }

  @Test func `presses its button wherever the focus is`() {
    let log = Log()
    let screen = Screenshots(columns: 60) { keys(log) }
    screen.press(Key("q"))
    screen.press(Key("s", .control))
    screen.press(.right)
    screen.press(.escape)
    #expect(log.lines == ["quit", "save", "next", "away"])
    #expect(screen.host.tree.focus.focused == nil)
  }

  @Test func `leaves a field what is typed into it`() throws {
    let log = Log()
    var text = ""
    let draft = Binding(get: { text }, set: { text = $0 })
    let screen = Screenshots(columns: 60) { keys(log, draft: draft) }
    screen.press(.tab)
    screen.type("q")
    #expect(text == "q")
    #expect(log.lines == [])
  }

  @Test func `does nothing where its button is disabled`() {
    let log = Log()
    let screen = Screenshots(columns: 60) { keys(log, isDisabled: true) }
    screen.press(.right)
    #expect(log.lines == [])
  }

  @Test func `works in a host without a terminal`() throws {
    let log = Log()
    let host = HeadlessHost { keys(log) }
    host.press(.character("q"))
    host.press(.right)
    try host.focus("Title")
    host.press(.character("q"))
    host.press(.escape)
    #expect(log.lines == ["quit", "next", "away"])
  }

  @Test func `is drawn as the button's label alone where the style is plain`() {
    let screen = Screenshots(columns: 60) { keys(Log()) }
    #expect(screen.lines.last?.hasSuffix(" q quit Save next away") == true)
  }
}

/// A form as the shared form of the examples has it.
private struct Guests: View {
  enum Field { case name, dish }
  @Binding var name: String
  @FocusState private var field: Field?

  var body: some View {
    VStack(alignment: .leading) {
      Form {
        Section("Guest") {
          TextField("Name", text: $name).focused($field, equals: .name)
          TextField("Brings", text: .constant("")).focused($field, equals: .dish)
        }
      }
      Text("Tab goes to the next field")
    }
    .defaultFocus($field, .name)
  }
}

@MainActor @Suite struct `A form with a default focus` {
  @Test func `takes at once what is typed, and shows its keys below`() {
    var name = ""
    let screen = Screenshots(columns: 40, rows: 8) { Guests(name: Binding(get: { name }, set: { name = $0 })) }
    screen.type("Ada")
    #expect(name == "Ada")
    #expect(screen.lines.last == "Tab goes to the next field")
  }
}
