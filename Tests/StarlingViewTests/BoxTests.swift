import Foundation
import StarlingView
import Testing

@MainActor @Suite struct `Content under a name` {
  private struct Settings: View {
    @State private var isAsking = false
    @State private var answer = "nothing yet"

    var body: some View {
      GroupBox("Account") {
        LabeledContent("Plan", value: "Free")
      }
      DisclosureGroup("More") {
        Text("Seldom needed")
      }
      Menu("Actions") {
        Button("Remove") { isAsking = true }
      }
      Text(answer)
        .confirmationDialog("Remove it?", isPresented: $isAsking) {
          Button("Yes") { answer = "removed" }
        }
    }
  }

  @Test func `is shown with it`() {
    let text = HeadlessHost { Settings() }.text
    #expect(text.contains("Account"))
    #expect(text.contains("Plan"))
    #expect(text.contains("Free"))
  }

  @Test func `is shown and hidden by a tap where it is disclosed`() throws {
    let host = HeadlessHost { Settings() }
    #expect(!host.text.contains("Seldom needed"))
    try host.tap("More")
    #expect(host.text.contains("Seldom needed"))
    try host.tap("More")
    #expect(!host.text.contains("Seldom needed"))
  }

  @Test func `does what a menu and then a question say`() throws {
    let host = HeadlessHost { Settings() }
    try host.tap("Actions")
    try host.tap("Remove")
    #expect(host.text.contains("Remove it?"))
    try host.tap("Yes")
    #expect(host.text.contains("removed"))
    #expect(!host.text.contains("Remove it?"))
  }

  @Test func `leads where a link says`() throws {
    let opened = Opened()
    let host = HeadlessHost {
      Link("Manual", destination: URL(string: "https://example.org/manual")!)
        .environment(
          \.openURL,
          OpenURLAction { url in
            opened.urls.append(url)
            return .handled
          })
    }
    try host.tap("Manual")
    #expect(opened.urls.map(\.absoluteString) == ["https://example.org/manual"])
  }

  private final class Opened {
    var urls: [URL] = []
  }

  @Test func `stands in the colours that are asked for`() {
    struct Named: View {
      @Environment(\.colorScheme) private var scheme
      var body: some View { Text(scheme == .dark ? "dark" : "light") }
    }
    #expect(HeadlessHost { Named().preferredColorScheme(.dark) }.text == ["dark"])
    #expect(HeadlessHost { Named().preferredColorScheme(nil) }.text == ["light"])
  }
}
