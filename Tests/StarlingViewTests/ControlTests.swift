import Foundation
import StarlingView
import Testing

private enum Flavor: String, CaseIterable, Identifiable {
  case chocolate
  case vanilla

  var id: Self { self }
}

private struct Chore: Identifiable, Equatable {
  let id: Int
  var title: String
}

private struct SettingsForm: View {
  @State private var isOn = false
  @State private var name = ""
  @State private var secret = ""
  @State private var price = 12
  @State private var count = 1
  @State private var volume = 0.5
  @State private var flavor = Flavor.chocolate

  var body: some View {
    Form {
      Section("General") {
        Toggle("Sound", isOn: $isOn)
        TextField("Name", text: $name, prompt: Text("Who?"))
        SecureField("Secret", text: $secret)
        TextField("Price", value: $price, format: .number)
      }
      Section {
        Stepper("Count: \(count)", value: $count, in: 0...2)
        Slider(value: $volume, in: 0...1) { Text("Volume") }
        Picker("Flavor", selection: $flavor) {
          ForEach(Flavor.allCases) { Text($0.rawValue) }
        }
      } footer: {
        ProgressView("Done", value: volume)
      }
    }
  }
}

private struct Tasks: View {
  @State private var tasks = [Chore(id: 1, title: "Read"), Chore(id: 2, title: "Write")]
  @State private var selection: Int?

  var body: some View {
    List(selection: $selection) {
      ForEach($tasks) { $task in TextField("Title \(task.id)", text: $task.title) }
    }
    Text("\(tasks.map(\.title).joined(separator: ",")) \(selection ?? 0)")
    Button("First") { tasks.insert(Chore(id: 0, title: "Wake"), at: 0) }
    Button("Drop") { tasks.removeFirst() }
  }
}

private struct Pictures: View {
  var body: some View {
    HStack {
      Image(systemName: "star").foregroundStyle(.yellow).accessibilityLabel("Starred")
      AsyncImage(url: URL(string: "https://example.org/cover.png")) {
        $0.resizable()
      } placeholder: {
        ProgressView()
      }
      Label("Settings", systemImage: "gear")
    }
    .padding().background(.blue).scaleEffect(2)
    Text("Hidden").hidden()
    Circle().fill(.red)
    Spacer()
    Divider()
    Text("Bold").bold() + Text(" and plain") + Text(3, format: .number)
  }
}

private struct Tabs: View {
  @State private var tab = 1

  var body: some View {
    TabView(selection: $tab) {
      Text("Books").tabItem { Label("Library", systemImage: "books") }.tag(1)
      Text("Looks").tabItem { Text("Settings") }.tag(2)
    }
    Text("tab \(tab)")
  }
}

private struct Stack: View {
  var body: some View {
    NavigationStack {
      NavigationLink("Go") { Text("There") }
        .navigationTitle("Here")
    }
  }
}

private struct Scrolling: View {
  var body: some View {
    ScrollViewReader { proxy in
      ScrollView {
        ForEach(1..<4) { Text("row \($0)") }
      }
      Button("Last") { proxy.scrollTo(3) }
    }
  }
}

private struct Alerting: View {
  @State private var isAsked = false
  @State private var answer = "none"

  var body: some View {
    Button("Ask") { isAsked = true }
      .alert("Really?", isPresented: $isAsked) {
        Button("Yes") { answer = "yes" }
        Button("No", role: .cancel) {}
      } message: {
        Text("It cannot be undone.")
      }
    Text(answer)
  }
}

@MainActor @Suite struct `A control` {
  @Test func `row 152: drives its binding`() throws {
    let host = HeadlessHost { SettingsForm() }
    #expect(
      host.text == [
        "General", "[ ] Sound", "Name: Who?", "Secret:", "Price: 12", "Count: 1", "Volume: 0.5", "Flavor: chocolate",
        "Done: 50%",
      ])
    try host.toggle("Sound")
    try host.type("Maria", into: "Name")
    try host.type("pst", into: "Secret")
    try host.type("15", into: "Price")
    for count in 1...2 { try host.increment("Count: \(count)") }
    try host.slide("Volume", to: 7)
    try host.choose("vanilla", in: "Flavor")
    #expect(
      host.text == [
        "General", "[x] Sound", "Name: Maria", "Secret: •••", "Price: 15", "Count: 2", "Volume: 1.0",
        "Flavor: vanilla", "Done: 100%",
      ])
    try host.type("dear", into: "Price")
    #expect(host.text.contains("Price: 15"))
  }

  @Test func `row 40, 41: of a list's element follows the element`() throws {
    let host = HeadlessHost { Tasks() }
    try host.tap("First")
    try host.type("Read on", into: "Title 1")
    #expect(host.text.contains("Wake,Read on,Write 0"))
    try host.tap("Drop")
    try host.tap("Drop")
    #expect(host.text.contains("Write 0"))
    #expect(host.text.first == "Title 2: Write")
  }

  @Test func `row 153: that Apple draws has words here`() {
    let host = HeadlessHost { Pictures() }
    #expect(host.text == ["Starred", "…", "gear", "Settings", "Bold and plain3"])
  }

  @Test func `of tabs shows one, and all keep their state`() throws {
    let host = HeadlessHost { Tabs() }
    #expect(host.text == ["Library", "Settings", "Books", "tab 1"])
    try host.tap("Settings")
    #expect(host.text == ["Library", "Settings", "Looks", "tab 2"])
  }

  @Test func `of navigation leads there and back`() throws {
    let host = HeadlessHost { Stack() }
    #expect(host.text == ["Here", "Go"])
    try host.tap("Go")
    #expect(host.text == ["There", "Back"])
    try host.tap("Back")
    #expect(host.text == ["Here", "Go"])
  }

  @Test func `of scrolling brings an element into sight`() throws {
    let host = HeadlessHost { Scrolling() }
    #expect(host.scrollTarget == nil)
    try host.tap("Last")
    #expect(host.scrollTarget == AnyHashable(3))
    #expect(
      host.outline == """
        scroll 'row 1 row 2 row 3'
          text 'row 1'
          text 'row 2'
          text 'row 3'
        button 'Last'
          text 'Last'

        """)
  }

  @Test func `of an alert answers and closes it`() throws {
    let host = HeadlessHost { Alerting() }
    try host.tap("Ask")
    #expect(host.text == ["Ask", "Really?", "It cannot be undone.", "Yes", "No", "none"])
    try host.tap("Yes")
    #expect(host.text == ["Ask", "yes"])
  }
}

@MainActor @Suite struct `Layers` {
  @Test func `keep the order in which they are put on`() throws {
    let padded = HeadlessHost { Text("a").padding(8).background(.red) }
    let inside = try #require(padded.tree.elements.first)
    #expect(inside.style.padding.top == 8)
    #expect(inside.style.background == .red)
    let filled = HeadlessHost { Text("a").background(.red).padding(8) }
    let outside = try #require(filled.tree.elements.first)
    #expect(outside.style.background == nil)
    #expect(outside.style.padding.top == 8)
    #expect(outside.children.first?.style.background == .red)
    withExtendedLifetime((padded, filled)) {}
  }
}
