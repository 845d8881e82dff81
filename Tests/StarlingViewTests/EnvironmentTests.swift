import StarlingView
import Testing

private struct Theme: Equatable, Sendable {
  var name = "plain"
}

@Observable private final class Library {
  var count = 3
  var name = "city"
}

private final class Token: Sendable {}

private struct ManualKey: EnvironmentKey {
  static let defaultValue = "manual"
}

/// A closure in a struct; nothing says when two of them are the same.
private struct Action {
  var run: () -> Void = {}
  func callAsFunction() { run() }
}

extension EnvironmentValues {
  @Entry fileprivate var theme: Theme = Theme()
  @Entry fileprivate var number = 0
  @Entry fileprivate var token = Token()
  @Entry fileprivate var action = Action()
  @Entry fileprivate var library: Library?
  fileprivate var manual: String {
    get { self[ManualKey.self] }
    set { self[ManualKey.self] = newValue }
  }
}

extension Transaction {
  @Entry fileprivate var isDragged = false
}

extension ContainerValues {
  @Entry fileprivate var badge: String?
}

extension FocusedValues {
  @Entry fileprivate var title: String?
}

private struct ThemeReader: View {
  @Environment(\.theme) private var theme
  var body: some View { Text("theme \(theme.name)") }
}

private struct NumberReader: View {
  @Environment(\.number) private var number
  var body: some View { Text("number \(number)") }
}

private struct ActionReader: View {
  @Environment(\.action) private var action
  var body: some View { Button("Act") { action() } }
}

private struct Unread: View {
  @Environment(\.theme) private var theme
  @Environment(Library.self) private var library
  var body: some View { Text("unread") }
}

private struct ManualReader: View {
  @Environment(\.manual) private var manual
  @Environment(\.token) private var token
  let seen: Diary

  var body: some View {
    seen.note("\(ObjectIdentifier(token))")
    return Text(manual)
  }
}

/// Writes the theme and the number; the action stands further out and stays.
private struct Writing: View {
  @State private var theme = Theme()
  @State private var number = 0

  var body: some View {
    VStack {
      ThemeReader()
      NumberReader()
      ActionReader()
      Unread()
    }
    .environment(\.theme, theme)
    .environment(\.number, number)
    Button("Theme") { theme.name += "!" }
    Button("Number") { number += 1 }
  }
}

@MainActor @Suite struct `A value of the environment` {
  @Test func `row 101, 102: is the nearest one, for all inside and no others`() {
    let host = HeadlessHost {
      VStack {
        ThemeReader()
        VStack { ThemeReader().environment(\.theme, Theme(name: "inner")) }
      }
      .environment(\.theme, Theme(name: "outer"))
      ThemeReader()
    }
    #expect(host.text == ["theme outer", "theme inner", "theme plain"])
  }

  @Test func `row 103, 113, 114, 115: concerns its readers alone, also beside a closure`() throws {
    let host = HeadlessHost { Writing().environment(\.action, Action { print("acted") }) }
    try host.tap("Theme")
    #expect(host.text.prefix(2) == ["theme plain!", "number 0"])
    #expect(host.evaluations(of: ThemeReader.self) == 2)
    #expect(host.evaluations(of: NumberReader.self) == 1)
    #expect(host.evaluations(of: ActionReader.self) == 1)
    try host.tap("Number")
    #expect(host.evaluations(of: ThemeReader.self) == 2)
    #expect(host.evaluations(of: NumberReader.self) == 2)
    #expect(host.evaluations(of: ActionReader.self) == 1)
  }

  @Test func `row 118, 119: costs nothing where it is only declared`() throws {
    let host = HeadlessHost { Writing() }
    try host.tap("Theme")
    #expect(host.evaluations(of: Unread.self) == 1)
  }

  @Test func `row 110, 112: is a key's or an entry's default where nobody sets it`() {
    let seen = Diary()
    #expect(HeadlessHost { ManualReader(seen: seen) }.text == ["manual"])
    #expect(HeadlessHost { ManualReader(seen: seen).environment(\.manual, "set") }.text == ["set"])
  }

  @Test func `row 111: may be a transaction's, a container's or the focus's`() {
    var transaction = Transaction()
    #expect(!transaction.isDragged)
    transaction.isDragged = true
    #expect(transaction.isDragged)
    var container = ContainerValues()
    container.badge = "new"
    #expect(container.badge == "new")
    #expect(ContainerValues().badge == nil)
    #expect(FocusedValues().title == nil)
  }

  @Test func `row 116, 117: has one default, made once`() {
    let seen = Diary()
    _ = HeadlessHost { ManualReader(seen: seen) }.text
    _ = HeadlessHost { ManualReader(seen: seen) }.text
    #expect(seen.entries.count == 2)
    #expect(Set(seen.entries).count == 1)
    #expect(EnvironmentValues().token === EnvironmentValues().token)
  }

  @Test func `row 102: can be set, hidden and uncovered while its readers stand`() throws {
    let host = HeadlessHost { Hiding() }
    #expect(host.text.first == "theme plain")
    try host.tap("Hide")
    #expect(host.text.first == "theme near")
    try host.tap("Hide")
    #expect(host.text.first == "theme plain")
  }

  private struct Hiding: View {
    @State private var isHidden = false

    var body: some View {
      EnvironmentSetter(isSet: isHidden) { ThemeReader() }
      Button("Hide") { isHidden.toggle() }
    }
  }

  /// Sets the theme or does not, at one place.
  private struct EnvironmentSetter<Content: View>: View {
    let isSet: Bool
    @ViewBuilder let content: () -> Content

    var body: some View {
      content().transformEnvironment(\.theme) { if isSet { $0.name = "near" } }
    }
  }
}

private struct LibraryReader: View {
  @Environment(Library.self) private var library
  var body: some View { Text("\(library.name)") }
}

private struct OptionalReader: View {
  @Environment(Library.self) private var library: Library?
  var body: some View { Text(library?.name ?? "none") }
}

private struct PathReader: View {
  @Environment(\.library) private var library
  var body: some View { Text("\(library?.count ?? 0)") }
}

private struct Replacing: View {
  @State private var library: Library

  init(_ library: Library) {
    _library = State(initialValue: library)
  }

  var body: some View {
    VStack {
      LibraryReader()
      PathReader()
    }
    .environment(library)
    .environment(\.library, library)
    Button("Replace") { library = Library() }
  }
}

@MainActor @Suite struct `An object of the environment` {
  @Test func `row 105, 107: comes by its type, or is nil`() {
    let library = Library()
    #expect(HeadlessHost { LibraryReader().environment(library) }.text == ["city"])
    #expect(HeadlessHost { OptionalReader() }.text == ["none"])
    #expect(HeadlessHost { OptionalReader().environment(library) }.text == ["city"])
    #expect(HeadlessHost { OptionalReader().environment(nil as Library?).environment(library) }.text == ["none"])
  }

  @Test func `row 106: that is missing is named, with the view that reads it`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await MainActor.run { _ = HeadlessHost { LibraryReader() }.text }
    }
    let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(words.contains("LibraryReader reads @Environment(Library.self)"))
  }

  @Test func `row 108, 109: wakes for the property that was read, and when it is replaced`() throws {
    let library = Library()
    let host = HeadlessHost { Replacing(library) }
    library.count = 4
    #expect(host.text.prefix(2) == ["city", "4"])
    #expect(host.evaluations(of: LibraryReader.self) == 1)
    #expect(host.evaluations(of: PathReader.self) == 2)
    try host.tap("Replace")
    #expect(host.text.prefix(2) == ["city", "3"])
    #expect(host.evaluations(of: LibraryReader.self) == 2)
    #expect(host.evaluations(of: PathReader.self) == 3)
  }
}

private struct System: View {
  @Environment(\.openURL) private var openURL
  @Environment(\.refresh) private var refresh
  @Environment(\.isEnabled) private var isEnabled

  var body: some View {
    Button("Open") { openURL(URL(string: "https://example.org")!) }
    if let refresh { Button("Refresh") { Task { await refresh() } } }
    Text(isEnabled ? "enabled" : "disabled")
  }
}

private struct Sheet: View {
  @Environment(\.dismiss) private var dismiss
  var body: some View { Button("Close") { dismiss() } }
}

private struct Presenting: View {
  @State private var isPresented = false

  var body: some View {
    Button("Show") { isPresented = true }
      .sheet(isPresented: $isPresented) { Sheet() }
  }
}

@MainActor @Suite struct `What the system offers` {
  @Test func `row 104: is called as a function`() async throws {
    let diary = Diary()
    let host = HeadlessHost {
      System()
        .environment(
          \.openURL,
          OpenURLAction { url in
            diary.note(url.absoluteString)
            return .handled
          }
        )
        .refreshable { await diary.note("refreshed") }
    }
    try host.tap("Open")
    try host.tap("Refresh")
    await host.settle()
    #expect(diary.entries == ["https://example.org", "refreshed"])
  }

  @Test func `row 104: dismisses what is presented`() throws {
    let host = HeadlessHost { Presenting() }
    try host.tap("Show")
    #expect(host.text == ["Show", "Close"])
    try host.tap("Close")
    #expect(host.text == ["Show"])
  }

  @Test func `disables what stands inside`() throws {
    // In backticks, for the house takes the word after a dot for a test that does not run.
    let host = HeadlessHost { System().`disabled`(true) }
    #expect(host.text.last == "disabled")
    let error = #expect(throws: HeadlessHostError.self) { try host.tap("Open") }
    #expect(error?.isDisabled == true)
  }
}

private struct CountKey: PreferenceKey {
  static var defaultValue: Int { 0 }
  static func reduce(value: inout Int, nextValue: () -> Int) { value += nextValue() }
}

private struct Summing: View {
  @State private var total = 0
  @State private var rows = [1, 2, 3]

  var body: some View {
    Text("total \(total)")
    VStack {
      ForEach(rows, id: \.self) { Text("row").preference(key: CountKey.self, value: $0) }
    }
    .onPreferenceChange(CountKey.self) { total = $0 }
    Button("Drop") { rows.removeLast() }
  }
}

@MainActor @Suite struct `A preference` {
  @Test func `row 120: goes from views to those around them`() throws {
    let host = HeadlessHost { Summing() }
    #expect(host.text.first == "total 6")
    try host.tap("Drop")
    #expect(host.text.first == "total 3")
  }
}
