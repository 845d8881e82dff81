import StarlingGraph
import StarlingModelTestSupport
import StarlingView
import Testing

@Replicated @MainActor private final class Atlas {
  var title = "Dune"
  var pages = 412
  var isLong: Bool { derived { $0.pages > 300 } }
}

private struct AtlasView: View {
  let atlas: Atlas

  var body: some View {
    Text(atlas.title)
    if atlas.isLong { Text("Long") }
  }
}

private struct AtlasShelf: View {
  let atlas: Atlas
  @State private var isOpen = false

  var body: some View {
    Toggle("Open", isOn: $isOpen)
    if isOpen { Text("Here") }
    AtlasView(atlas: atlas)
    AtlasAction { _ = isOpen }
  }
}

private struct AtlasAction: View {
  let run: () -> Void
  var body: some View { Text("Act") }
}

/// The samples of Documentation/WhyDidThisBodyRun.md.
@MainActor @Suite struct `The page about bodies` {
  private let atlas = Atlas()

  @Test func `shows which changes run a body, and how often`() {
    // ----
    let host = HeadlessHost { AtlasView(atlas: atlas) }
    atlas.title = "Dune"  // equal: no run
    atlas.pages += 1  // `isLong` comes out equal: no run
    #expect(host.evaluations(of: AtlasView.self) == 1)
    withTransaction {
      atlas.title = "Emma"
      atlas.pages = 200
    }  // two changes, one run
    #expect(host.evaluations(of: AtlasView.self) == 2)
    // ----
    #expect(host.text == ["Emma"])
  }

  @Test func `gives each property an observer of its own`() {
    var seen: [String] = []
    func print(_ label: String, _ value: some Any) { seen.append("\(label) \(value)") }
    // ----
    let observers = [
      observe { print("title:", atlas.title) },
      observe { print("isLong:", atlas.isLong) },
    ]
    // ----
    #expect(seen == ["title: Dune", "isLong: true"])
    for observer in observers { observer.cancel() }
  }

  @Test func `tells that a closure makes a view differ each time its parent runs`() throws {
    let host = HeadlessHost { AtlasShelf(atlas: atlas) }
    #expect(host.evaluations(of: AtlasAction.self) == 1)
    try host.toggle("Open")
    #expect(host.evaluations(of: AtlasView.self) == 1)
    #expect(host.evaluations(of: AtlasAction.self) == 2)
  }
}
