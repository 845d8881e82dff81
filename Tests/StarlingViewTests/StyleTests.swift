import StarlingView
import Testing

private struct Loud: ButtonStyle {
  @Environment(\.isEnabled) private var isEnabled

  func makeBody(configuration: Configuration) -> some View {
    configuration.label
    Text(isEnabled ? "!" : "?")
  }
}

private struct Twice: PrimitiveButtonStyle {
  func makeBody(configuration: Configuration) -> some View {
    Button("Twice") {
      configuration.trigger()
      configuration.trigger()
    }
  }
}

private struct Checklist: ToggleStyle {
  func makeBody(configuration: Configuration) -> some View {
    Button(configuration.isOn ? "Undo" : "Do") { configuration.isOn.toggle() }
    configuration.label
  }
}

private struct Swapped: LabelStyle {
  func makeBody(configuration: Configuration) -> some View {
    configuration.title
    configuration.icon
  }
}

private struct InTenths: ProgressViewStyle {
  func makeBody(configuration: Configuration) -> some View {
    Text("Done: \(Int((configuration.fractionCompleted ?? 0) * 10)) of 10")
    ProgressView(configuration)
  }
}

private struct Styled: View {
  @State private var count = 0
  @State private var isDone = false

  var body: some View {
    Text("\(count) \(isDone ? "done" : "open")")
    Button("Add") { count += 1 }.buttonStyle(Loud())
    Button("Off") { count += 1 }.buttonStyle(Loud()).environment(\.isEnabled, false)
    Button("Add") { count += 1 }.buttonStyle(Twice())
    Toggle("Task", isOn: $isDone).toggleStyle(Checklist())
    HStack { Label("Star", systemImage: "star") }.labelStyle(Swapped())
    ProgressView("Work", value: 0.5).progressViewStyle(InTenths())
    Label("Trash", systemImage: "trash").labelStyle(.iconOnly)
  }
}

@MainActor @Suite struct `A style` {
  private let host = HeadlessHost { Styled() }

  @Test func `draws controls, which act as before`() throws {
    #expect(
      host.text == [
        "0 open", "Add !", "Off ?", "Twice", "Do", "Task", "Star", "star", "Done: 5 of 10", "Work: 50%", "Trash",
      ])
    try host.tap("Add !")
    try host.tap("Twice")
    try host.tap("Do")
    #expect(host.text[0] == "3 done")
    #expect(host.text[4] == "Undo")
  }
}

@MainActor @Suite struct `What has no effect` {
  @Test func `is reported by its name, once`() {
    let reports = Reports()
    for _ in 0..<2 { _ = HeadlessHost { Text("A").minimumScaleFactor(0.5) }.text }
    #expect(reports.messages.filter { $0.hasPrefix("minimumScaleFactor ") }.count == 1)
  }
}
