import Foundation
import StarlingModelTestSupport
import StarlingView
import Synchronization
import Testing

private enum Tab: String, Codable {
  case home
  case settings
}

private struct Place: Codable, Equatable {
  var page = 1
  var row = 2
}

private struct Pages: View {
  @SceneStorage("page") private var page = 1
  @SceneStorage("tab") private var tab = Tab.home
  @SceneStorage("title") private var title: String?
  @SceneStorage("place") private var place = Place()

  var body: some View {
    Text("\(page) \(tab.rawValue) \(title ?? "untitled") \(place.page)")
    Stepper("Page", value: $page)
    Button("Settings") {
      tab = .settings
      title = "Dune"
      place.page = 9
    }
  }
}

private struct Twin: View {
  @SceneStorage("page") private var page = 1
  var body: some View { Text("twin \(page)") }
}

private struct Large: View {
  @SceneStorage("large") private var text = ""
  var body: some View { Button("Fill") { text = String(repeating: "x", count: 100_000) } }
}

@MainActor @Suite struct `What a scene keeps` {
  @Test func `row 132, 137: begins with its default, and is written through its binding`() throws {
    let host = HeadlessHost { Pages() }
    #expect(host.text.first == "1 home untitled 1")
    try host.increment("Page")
    #expect(host.text.first == "2 home untitled 1")
  }

  @Test func `row 133, 136: is found again by the same scene`() throws {
    let store = MemoryStore()
    let host = HeadlessHost(scene: "one", store: store) { Pages() }
    try host.increment("Page")
    try host.tap("Settings")
    _ = host.text
    #expect(HeadlessHost(scene: "one", store: store) { Pages() }.text.first == "2 settings Dune 9")
  }

  @Test func `row 134: is one value for all who name it`() throws {
    let host = HeadlessHost {
      Pages()
      Twin()
    }
    try host.increment("Page")
    #expect(host.text.last == "twin 2")
    #expect(host.evaluations(of: Twin.self) == 2)
    #expect(host.evaluations(of: Pages.self) == 2)
  }

  @Test func `row 135: is each scene's own`() throws {
    let store = MemoryStore()
    let one = HeadlessHost(scene: "one", store: store) { Pages() }
    let two = HeadlessHost(scene: "two", store: store) { Pages() }
    try one.increment("Page")
    #expect(one.text.first == "2 home untitled 1")
    #expect(two.text.first == "1 home untitled 1")
  }

  @Test func `row 138: goes with the scene`() throws {
    let store = MemoryStore()
    let host = HeadlessHost(scene: "one", store: store) { Pages() }
    let other = HeadlessHost(scene: "two", store: store) { Pages() }
    try host.increment("Page")
    try other.increment("Page")
    host.destroyScene()
    #expect(HeadlessHost(scene: "one", store: store) { Pages() }.text.first == "1 home untitled 1")
    #expect(HeadlessHost(scene: "two", store: store) { Pages() }.text.first == "2 home untitled 1")
  }

  @Test func `row 139: is little, or a diagnostic says so`() throws {
    let host = HeadlessHost { Large() }
    try host.tap("Fill")
    #expect(host.diagnostics.map(\.kind) == [.largeSceneValue])
  }

  @Test func `row 140: is reached by its property alone`() {
    #expect(SceneStorage(wrappedValue: 1, "page").wrappedValue == 1)
  }
}

private struct Greeting: View {
  @AppStorage("greeting") private var greeting = "Hello"
  @AppStorage("count") private var count: Int?
  @AppStorage("tab") private var tab = Tab.home

  var body: some View {
    Text("\(greeting) \(count ?? 0) \(tab.rawValue)")
    Button("Write") {
      greeting = "Hi"
      count = 3
      tab = .settings
    }
    Button("Clear") { count = nil }
  }
}

/// A document as a store: what other processes write arrives as anything in it does.
@Replicated final class Settings: Sendable, ValueStore {
  var texts: ReplicatedDictionary<String, String> = [:]

  func text(for key: String) -> String? { texts[key] }
  func setText(_ text: String?, for key: String) { texts[key] = text }
}

@MainActor @Suite struct `What a program keeps` {
  @Test func `row 142: is shown as it is written, by whomever`() throws {
    let store = MemoryStore()
    let host = HeadlessHost { Greeting().defaultAppStorage(store) }
    #expect(host.text.first == "Hello 0 home")
    store.setText("Good morning", for: "greeting")
    #expect(host.text.first == "Good morning 0 home")
    #expect(host.evaluations(of: Greeting.self) == 2)
    store.setText("else", for: "other")
    #expect(host.evaluations(of: Greeting.self) == 2)
    try host.tap("Write")
    #expect(host.text.first == "Hi 3 settings")
    try host.tap("Clear")
    #expect(host.text.first == "Hi 0 settings")
    #expect(store.text(for: "count") == nil)
  }

  @Test(arguments: Writer.all) func `row 142: may be a replicated document, whoever writes`(
    _ writer: Writer
  ) async throws {
    let desk = try Desk(Settings.self)
    let host = HeadlessHost { Greeting().defaultAppStorage(desk.model) }
    _ = host.text
    try await desk.write(by: writer) { $0.setText("Good morning", for: "greeting") }
    #expect(host.text.first == "Good morning 0 home")
    #expect(host.evaluations(of: Greeting.self) == 2)
  }

  @Test func `row 142: may be the defaults of the system`() throws {
    let name = "starling-tests-\(UInt64.random(in: 0 ... .max))"
    let defaults = try #require(UserDefaults(suiteName: name))
    defer { defaults.removePersistentDomain(forName: name) }
    let host = HeadlessHost { Greeting().defaultAppStorage(defaults) }
    try host.tap("Write")
    #expect(host.text.first == "Hi 3 settings")
    #expect(defaults.string(forKey: "greeting") == "Hi")
  }

  @Test func `is in a file, whole before and after each write`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "starling-\(UInt64.random(in: 0 ... .max))")
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "storage.json")
    let host = HeadlessHost { Greeting().defaultAppStorage(FileStore(url)) }
    try host.tap("Write")
    #expect(host.text.first == "Hi 3 settings")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)) == ["storage.json"])
    let again = HeadlessHost { Greeting().defaultAppStorage(FileStore(url)) }
    #expect(again.text.first == "Hi 3 settings")
    try Data("{ torn".utf8).write(to: url)
    #expect(HeadlessHost { Greeting().defaultAppStorage(FileStore(url)) }.text.first == "Hello 0 home")
  }
}
