import StarlingTerminal
import StarlingView
import Testing

private struct Item: Identifiable {
  let id: Int
  let name: String
}

private struct Shopping: View {
  @State private var items = ["Milk", "Bread", "Salt"].enumerated().map { Item(id: $0.offset, name: $0.element) }
  @State private var flagged = ""

  var body: some View {
    List {
      Section("Food") {
        ForEach(items) { item in
          Text(item.name)
            .deleteDisabled(item.name == "Salt")
            .swipeActions { Button("Flag") { flagged = item.name } }
            .contextMenu { Button("Twice") { flagged = item.name + item.name } }
        }
        .onDelete { items.remove(atOffsets: $0) }
        .onMove { items.move(fromOffsets: $0, toOffset: $1) }
      }
    }
    Text("Flagged \(flagged)")
    EditButton()
  }
}

@MainActor @Suite struct `A row` {
  private let host = HeadlessHost { Shopping() }

  @Test func `is deleted by its label`() throws {
    try host.delete("Milk")
    #expect(host.text == ["Food", "Bread", "Salt", "Flagged", "Edit"].map { $0 == "Flagged" ? "Flagged " : $0 })
    #expect(throws: HeadlessHostError.self) { try host.delete("Salt") }
  }

  @Test func `moves up and down, not past the ends`() throws {
    try host.move("Milk", by: 1)
    #expect(host.text[1...3] == ["Bread", "Milk", "Salt"])
    try host.move("Salt", by: -2)
    #expect(host.text[1...3] == ["Salt", "Bread", "Milk"])
    try host.move("Milk", by: 5)
    #expect(host.text[1...3] == ["Salt", "Bread", "Milk"])
  }

  @Test func `opens the actions of swipes and of its context as one menu, which a choice closes`() throws {
    #expect(!host.text.contains("Flag"))
    try host.openMenu(of: "Bread")
    #expect(host.text.contains("Flag") && host.text.contains("Twice"))
    try host.tap("Twice")
    #expect(host.text == ["Food", "Milk", "Bread", "Salt", "Flagged BreadBread", "Edit"])
    try host.openMenu(of: "Milk")
    try host.tap("Flag")
    #expect(host.text.contains("Flagged Milk"))
    #expect(!host.text.contains("Twice"))
  }

  @Test func `is deleted by a key of a terminal, and the next one gets the focus`() {
    let host = Screenshots { Shopping() }
    host.press(Key(.tab))
    host.press(Key(.delete))
    host.press(Key(.delete))
    host.press(Key(.delete))
    let shown = host.lines.joined(separator: "\n")
    #expect(!shown.contains("Milk") && !shown.contains("Bread"))
    #expect(shown.contains("› "))
    #expect(shown.contains("Salt"))
  }

  @Test func `moves with Alt and an arrow, and opens its menu with Control and O`() {
    let host = Screenshots { Shopping() }
    host.press(Key(.tab))
    host.press(Key(.down, .alt))
    let moved = host.lines.joined(separator: "\n")
    #expect(moved.range(of: "Bread")!.lowerBound < moved.range(of: "Milk")!.lowerBound)
    host.press(Key("o", .control))
    #expect(host.lines.joined(separator: "\n").contains("[ Twice ]"))
    host.press(Key(.escape))
    #expect(!host.lines.joined(separator: "\n").contains("Twice"))
  }

  @Test func `is marked while a person arranges`() {
    let host = Screenshots { Shopping() }
    #expect(!host.lines.joined(separator: "\n").contains("−↕"))
    for _ in 0..<4 { host.press(Key(.tab)) }
    host.press(Key(.enter))
    let shown = host.lines.joined(separator: "\n")
    #expect(shown.contains("−↕") && shown.contains("› Done ‹"))
  }
}
