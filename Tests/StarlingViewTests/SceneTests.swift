import StarlingTerminal
import StarlingView
import Testing

@MainActor private final class Cookbook: ObservableObject {
  @Published var recipes = ["Soup"]
}

extension FocusedValues {
  @Entry fileprivate var chosenName: Binding<String>?
}

private struct Kitchen: App {
  @StateObject private var book = Cookbook()

  init() {}

  var body: some Scene {
    WindowGroup {
      ForEach(book.recipes, id: \.self) { Text($0) }
      NamedField()
      SettingsLink()
    }
    .commands {
      CommandMenu("Recipe") {
        Button("Add") { book.recipes.append("Bread") }.keyboardShortcut("n")
        Renamer()
      }
      CommandGroup(replacing: .help) { Button("About") { book.recipes.append("About") } }
    }
    StarlingView.Settings { Text("No settings") }
  }
}

private struct NamedField: View {
  @State private var name = "Salt"

  var body: some View { TextField("Name", text: $name).focusedValue(\.chosenName, $name) }
}

private struct Renamer: View {
  @FocusedBinding(\.chosenName) private var name

  var body: some View { Button("Pepper") { name = "Pepper" } }
}

@MainActor @Suite struct `A program with menus` {
  @Test func `acts by their items, though they are not open`() throws {
    let host = HeadlessHost(app: Kitchen.self)
    #expect(host.text == ["Soup", "Name: Salt", "Settings…"])
    try host.tap("Add")
    try host.tap("About")
    #expect(host.text == ["Soup", "Bread", "About", "Name: Salt", "Settings…"])
  }

  @Test func `writes what has the focus through its binding`() throws {
    let host = HeadlessHost(app: Kitchen.self)
    try host.tap("Pepper")
    #expect(host.text[1] == "Name: Salt")
    try host.focus("Name")
    try host.tap("Pepper")
    #expect(host.text[1] == "Name: Pepper")
  }

  @Test func `opens its settings over the rest`() throws {
    let host = HeadlessHost(app: Kitchen.self)
    try host.tap("Settings…")
    #expect(host.text.contains("No settings"))
  }

  @Test func `takes their shortcuts and opens them with F10 in a terminal`() {
    let screen = Screenshots(app: Kitchen.self)
    screen.press(Key("n", .control))
    #expect(screen.lines.prefix(2) == ["Soup", "Bread"])
    screen.press(.function(10))
    #expect(screen.lines.contains { $0.contains("Recipe") })
    screen.press(.enter)
    #expect(screen.lines.filter { $0.contains("Bread") }.count == 2)
    #expect(!screen.lines.contains { $0.contains("Recipe") })
  }
}
