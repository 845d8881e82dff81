import StarlingEngine
import StarlingGraph
import StarlingGuard
import StarlingModelTestSupport
import StarlingView
import Testing

@MainActor @Replicated final class Tastes {
  var theme = "light"
  @AppStorage("size", store: Tastes.store) var size = 12
  @Percent var volume = 50

  static let store = MemoryStore()
}

@propertyWrapper struct Percent {
  private var value: Int
  init(wrappedValue: Int) { value = wrappedValue }
  var wrappedValue: Int {
    get { value }
    set { value = min(max(newValue, 0), 100) }
  }
}

private struct SizeView: View {
  let preferences: Tastes
  var body: some View { Text("size \(preferences.size)") }
}

private struct ThemeView: View {
  let preferences: Tastes
  var body: some View { Text("theme \(preferences.theme)") }
}

/// Equal to every other one.
private final class Badge: Equatable, Sendable {
  let number: Int
  init(_ number: Int) { self.number = number }
  static func == (left: Badge, right: Badge) -> Bool { true }
}

@Observable private final class StandardHolder {
  var badge = Badge(1)
}

@Replicated private final class Wearer: Sendable {
  @Local var badge = Badge(1)
}

private struct BadgeView: View {
  let wearer: Wearer
  var body: some View { Text("badge \(wearer.badge.number)") }
}

private struct PersonView: View {
  let person: Person
  var body: some View { Text("\(person.name) \(person.age)") }
}

@Replicated private final class Lap: Sendable {
  var number = 0
}

@MainActor @Suite struct `A model, in full,` {
  @Test func `row 65: compiles on the main actor, whatever the module's isolation is`() async throws {
    let source = """
      import StarlingModel
      @MainActor @Observable final class Form { var name = "" }
      @MainActor @Replicated final class Screen { var title = ""; var form: String { title + "!" } }
      @MainActor func use(_ form: Form, _ screen: Screen) { form.name = screen.form; screen.title += "?" }
      """
    #expect(try await Compiler.errors(in: source).map(\.description) == [])
    #expect(
      try await Compiler.errors(in: source, options: ["-default-isolation", "MainActor"]).map(\.description) == [])
  }

  @Test func `row 68, 175: keeps wrappers that store elsewhere, and shows what others write there`() throws {
    let preferences = try Pair().here.space.model(Tastes.self, named: "preferences")
    let host = HeadlessHost {
      SizeView(preferences: preferences)
      ThemeView(preferences: preferences)
    }
    #expect(host.text == ["size 12", "theme light"])
    Tastes.store.setText("14", for: "size")
    #expect(host.text == ["size 14", "theme light"])
    #expect(host.evaluations(of: SizeView.self) == 2)
    #expect(host.evaluations(of: ThemeView.self) == 1)
    preferences.theme = "dark"
    #expect(host.text == ["size 14", "theme dark"])
    #expect(host.evaluations(of: SizeView.self) == 2)
    preferences.volume = 300
    #expect(preferences.volume == 100)
    #expect(host.evaluations(of: ThemeView.self) == 2)
  }

  @Test(arguments: Writer.all)
  func `row 73: is not evaluated for a thousand equal writes, and sends none`(writer: Writer) async throws {
    let desk = try Desk(Person.self)
    let host = HeadlessHost { PersonView(person: desk.model) }
    #expect(host.text == ["Ravi 30"])
    try await desk.write(by: writer) { person in
      for _ in 0..<1000 {
        person.name = "Ravi"
        person.age = 30
      }
    }
    #expect(host.text == ["Ravi 30"])
    #expect(host.evaluations(of: PersonView.self) == 1)
    #expect(desk.pair.here.handle.takeOutbox().isEmpty)
    #expect(desk.pair.there.handle.takeOutbox().isEmpty)
  }

  @Test func `row 80: tells of an equal object in another's place, as the standard library does not`() {
    let (standard, wearer) = (StandardHolder(), Wearer())
    let heardOfStandard = Guarded(0)
    let heard = Guarded(0)
    withObservationTracking {
      _ = standard.badge
    } onChange: {
      heardOfStandard.withLock { $0 += 1 }
    }
    withObservationTracking {
      _ = wearer.badge
    } onChange: {
      heard.withLock { $0 += 1 }
    }
    let host = HeadlessHost { BadgeView(wearer: wearer) }
    #expect(host.text == ["badge 1"])
    standard.badge = Badge(2)
    wearer.badge = Badge(2)
    #expect(heardOfStandard.withLock { $0 } == 0)
    #expect(heard.withLock { $0 } == 1)
    #expect(host.text == ["badge 2"])
    #expect(host.evaluations(of: BadgeView.self) == 2)
  }

  @Test func `row 81: is written by its own observer one run after the other, never within one`() {
    let lap = Lap()
    let depth = Guarded(0)
    let deepest = Guarded(0)
    let runs = Guarded(0)
    GraphDiagnostics.$collector.withValue(.init { _ in }) {
      let observing = observeAnywhere {
        let here = depth.withLock { depth in
          depth += 1
          return depth
        }
        deepest.withLock { $0 = max($0, here) }
        runs.withLock { $0 += 1 }
        if lap.number < 50 { lap.number += 1 }
        depth.withLock { $0 -= 1 }
      }
      #expect(lap.number == 50)
      observing.cancel()
    }
    #expect(deepest.withLock { $0 } == 1)
    #expect(runs.withLock { $0 } == 51)
  }
}
