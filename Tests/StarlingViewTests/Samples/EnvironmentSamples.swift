import StarlingView
import Testing

private struct Theme: Equatable {
  var name: String
  static let `default` = Theme(name: "plain")
}

extension EnvironmentValues {
  @Entry fileprivate var accentTheme: Theme = .default
  @Entry fileprivate var submit: SubmitAction = SubmitAction()
}

/// Does one thing; a struct that can be compared, where a closure cannot.
private struct SubmitAction: Equatable {
  var name = "nobody"

  func callAsFunction(_ diary: Diary) async { await diary.note("submitted by \(name)") }
}

private struct ThemedView: View {
  @Environment(\.accentTheme) private var theme

  var body: some View {
    Text("Theme: \(theme.name)")
  }
}

private struct SubmitButton: View {
  @Environment(\.submit) private var submit
  let diary: Diary

  var body: some View {
    Button("Submit") {
      Task { await submit(diary) }
    }
  }
}

private struct SchemeView: View {
  @Environment(\.colorScheme) private var colorScheme

  var body: some View {
    Text(colorScheme == .dark ? "Dark" : "Light")
  }
}

private struct ReactiveView: View {
  var number: Int
  @State private var story = "Nothing happened"

  var body: some View {
    Text(story)
      .onChange(of: number) { oldValue, newValue in
        story = "Changed from \(oldValue) to \(newValue)"
      }
  }
}

private struct Counting: View {
  @State private var number = 1

  var body: some View {
    ReactiveView(number: number)
    Button("More") { number += 1 }
  }
}

private struct ParentView: View {
  @State private var isSelected = false

  var body: some View {
    ChildView(isSelected: $isSelected)
    Text(isSelected ? "Selected" : "Not selected")
  }
}

private struct ChildView: View {
  @Binding var isSelected: Bool

  var body: some View {
    Button("Select") { isSelected.toggle() }
  }
}

@MainActor @Suite struct `The environment in the samples` {
  @Test func `row 178: is not needed where a binding does`() throws {
    let host = HeadlessHost { ParentView() }
    try host.tap("Select")
    #expect(host.text == ["Select", "Selected"])
    #expect(host.evaluations(of: ChildView.self) == 1)
  }

  @Test func `row 181: is not needed to react to an input`() throws {
    let host = HeadlessHost { Counting() }
    try host.tap("More")
    #expect(host.text.first == "Changed from 1 to 2")
  }

  @Test func `row 182: themes a view`() {
    #expect(HeadlessHost { ThemedView() }.text == ["Theme: plain"])
    #expect(HeadlessHost { ThemedView().environment(\.accentTheme, Theme(name: "ocean")) }.text == ["Theme: ocean"])
  }

  @Test func `row 183: hands actions down`() async throws {
    let diary = Diary()
    let host = HeadlessHost { SubmitButton(diary: diary).environment(\.submit, SubmitAction(name: "Maria")) }
    try host.tap("Submit")
    await host.settle()
    #expect(diary.entries == ["submitted by Maria"])
  }

  @Test func `row 190: is dark or light`() {
    #expect(HeadlessHost { SchemeView() }.text == ["Light"])
    #expect(HeadlessHost { SchemeView().environment(\.colorScheme, .dark) }.text == ["Dark"])
  }
}
