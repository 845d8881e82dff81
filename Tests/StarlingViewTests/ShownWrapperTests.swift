import Foundation
import StarlingEngine
import StarlingGraph
import StarlingGuard
import StarlingModelTestSupport
import StarlingView
import Testing

@MainActor @Suite struct `A wrapper, in full,` {
  @Test func `row 90, 130: that is private cannot be set from outside; one that is not can`() async throws {
    func source(_ access: String) -> String {
      """
      import StarlingView
      final class Model: ObservableObject {}
      struct Own: View {
        @StateObject \(access) var model = Model()
        var body: some View { Text("") }
      }
      struct Field: View {
        @FocusState \(access) var isFocused: Bool
        var body: some View { Text("") }
      }
      @MainActor func make(_ focus: FocusState<Bool>) -> (Own, Field) {
        (Own(model: Model()),
         Field(isFocused: focus))
      }
      """
    }
    let refused = try await Compiler.errors(in: source("private"))
    #expect(refused.contains { $0.line == 12 }, "\(refused)")
    #expect(refused.contains { $0.line == 13 }, "\(refused)")
    // The trap: nothing stops it but the rule that the house checks.
    #expect(try await Compiler.errors(in: source("")).map(\.description) == [])
  }

  @Test func `row 140: of a scene shows its value, and nothing of where it is kept`() async throws {
    let errors = try await Compiler.errors(
      in: """
        import StarlingView
        struct Pages: View {
          @SceneStorage("page") private var page = 1
          var body: some View { Stepper("\\(page)", value: $page) }
          func look() {
            _ = _page.key
            _ = _page.store
            _ = _page.stored
          }
        }
        """)
    #expect(errors.map(\.line) == [6, 7, 8], "\(errors)")
  }

  #if os(Linux)
    @Test func `row 133: is found again after the process was killed`() async throws {
      let mark = "STARLING_SCENE_TO_CRASH"
      if let path = ProcessInfo.processInfo.environment[mark] {
        let host = HeadlessHost(scene: "one", store: FileStore(URL(filePath: path))) { ScenePage() }
        try host.increment("Page")
        try host.increment("Page")
        kill(getpid(), SIGKILL)
      }
      let folder = FileManager.default.temporaryDirectory.appending(path: "scene-\(UInt64.random(in: 0 ... .max))")
      defer { try? FileManager.default.removeItem(at: folder) }
      let file = folder.appending(path: "storage.json")
      let test = try #require(Test.current)
      let process = Process()
      process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      let place = test.sourceLocation
      let name = NSRegularExpression.escapedPattern(for: "/\(place.fileName):\(place.line):\(place.column)")
      process.arguments = ["--testing-library", "swift-testing", "--filter", name]
      process.environment = ProcessInfo.processInfo.environment.merging([mark: file.path(percentEncoded: false)]) { $1 }
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      await withCheckedContinuation { continuation in
        process.terminationHandler = { _ in continuation.resume() }
        do { try process.run() } catch {
          Issue.record(error)
          continuation.resume()
        }
      }
      #expect(process.terminationReason == .uncaughtSignal)
      #expect(HeadlessHost(scene: "one", store: FileStore(file)) { ScenePage() }.text.first == "page 3")
      #expect(HeadlessHost(scene: "two", store: FileStore(file)) { ScenePage() }.text.first == "page 1")
    }
  #endif
}

private struct ScenePage: View {
  @SceneStorage("page") private var page = 1

  var body: some View {
    Text("page \(page)")
    Stepper("Page", value: $page)
  }
}

// MARK: Transactions

private struct Animating: View {
  let person: Person
  let diary: Diary

  var body: some View {
    Text("\(person.name) \(person.age) \(person.isMember)")
      .transaction { diary.note($0.animation == .easeInOut(duration: 1) ? "animated" : "at once") }
    Button("Animate") {
      let result = withAnimation(.easeInOut(duration: 1)) {
        person.name = "Maria"
        person.age = 31
        person.isMember = true
        return "returned"
      }
      diary.note(result)
    }
  }
}

private struct Noted: ViewModifier, @MainActor Animatable {
  var animatableData: Double
  let seen: Values

  final class Values {
    var all: [Double] = []
  }

  func body(content: Content) -> some View {
    seen.all.append(animatableData)
    return content.offset(x: animatableData)
  }
}

private struct Above: View {
  @State private var isLarge = false
  let above = Noted.Values()
  let below = Noted.Values()

  var body: some View {
    VStack {
      VStack {
        Text("inside").modifier(Noted(animatableData: isLarge ? 100 : 0, seen: below))
      }
    }
    .modifier(Noted(animatableData: isLarge ? 10 : 0, seen: above))
    Button("Animate") { withAnimation(.linear(duration: 1)) { isLarge.toggle() } }
  }
}

@MainActor @Suite struct `An animation, in full,` {
  @Test func `row 146: is one change, one evaluation, and never half of it elsewhere`() throws {
    let pair = Pair()
    let (here, there) = try pair.models(Person.self)
    let diary = Diary()
    let seen = Guarded<[String]>([])
    let observing = observeAnywhere {
      let words = "\(there.name) \(there.age) \(there.isMember)"
      seen.withLock { $0.append(words) }
    }
    let host = HeadlessHost { Animating(person: here, diary: diary) }
    #expect(host.text.first == "Ravi 30 false")
    try host.tap("Animate")
    #expect(host.text.first == "Maria 31 true")
    #expect(host.evaluations(of: Animating.self) == 2)
    #expect(diary.entries.contains("returned"))
    #expect(diary.entries.last == "animated")
    let changes = pair.here.handle.takeOutbox()
    #expect(changes.count == 1)
    pair.there.handle.merge(changes)
    #expect(seen.withLock { $0 } == ["Ravi 30 false", "Maria 31 true"])
    observing.cancel()
  }

  @Test func `row 149: moves what depends on the value above the view as well as in it`() throws {
    let view = Above()
    let (above, below) = (view.above, view.below)
    let host = HeadlessHost { view }
    _ = host.text
    try host.tap("Animate")
    host.advance(by: .milliseconds(500))
    #expect(above.all.contains { abs($0 - 5) < 0.01 }, "\(above.all)")
    #expect(below.all.contains { abs($0 - 50) < 0.01 }, "\(below.all)")
    host.advance(by: .milliseconds(600))
    #expect(above.all.last == 10)
    #expect(below.all.last == 100)
  }
}

// MARK: The page

private struct Converted: View {
  @Binding var name: String
  var body: some View { TextField("Name", text: $name) }
}

private struct ByPath: View {
  @Bindable var person: Person
  var body: some View {
    Text("\(person.age)")
    Converted(name: $person.name)
  }
}

private struct ByClosure: View {
  let person: Person
  var body: some View {
    Text("\(person.age)")
    Converted(name: Binding(get: { [person] in person.name }, set: { [person] in person.name = $0 }))
  }
}

@MainActor @Suite struct `The page about wrappers, in full,` {
  @Test func `row 159, 160: says to prefer Observable classes on the main actor, and key paths to closures`() throws {
    let here = URL(filePath: #filePath).resolvingSymlinksInPath()
    let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "Documentation/Wrappers.md"), encoding: .utf8)
      .replacing("\n", with: " ")
    #expect(page.contains("wakes every view that holds it, whatever of it changed"))
    #expect(page.contains("@Observable @MainActor final class"))
    #expect(page.contains("A binding made by a key path or a subscript is a place"))
    #expect(page.contains("closures are for what has to be converted"))
  }

  @Test func `row 160: has a reason: a closure's receiver is evaluated with its parent, a path's is not`() throws {
    let person = try Desk(Person.self).model
    let (byPath, byClosure) = (HeadlessHost { ByPath(person: person) }, HeadlessHost { ByClosure(person: person) })
    _ = (byPath.text, byClosure.text)
    for age in 31...35 {
      person.age = age
      _ = (byPath.text, byClosure.text)
    }
    #expect(byPath.evaluations(of: ByPath.self) == 6)
    #expect(byPath.evaluations(of: Converted.self) == 1)
    #expect(byClosure.evaluations(of: Converted.self) == 6)
  }
}
