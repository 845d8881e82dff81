import Foundation
import Testing

/// What does not compile: each line that ends with the number of a row and a few words is an error of those words.
private let mistakes = """
  import StarlingView

  final class Counter: ObservableObject {
    @Published var count = 0
  }

  @Observable final class Library {
    var name = "city"
  }

  extension EnvironmentValues {
    @Entry var theme = "plain"
  }

  struct NotHashable {}

  struct Child: View {
    let number: Int
    @Environment(\\.theme) private var theme
    var body: some View {
      Text(theme)
    }
    #if MISTAKE
      func write() {
        number = 2  // row 10: cannot assign
      }
      func paint() {
        theme = "dark"  // row 101: cannot assign
      }
    #endif
  }

  struct Observer: View {
    #if MISTAKE
      @ObservedObject var library: Library  // row 95: requires that 'Library' conform to 'ObservableObject'
    #else
      @Bindable var library: Library
    #endif
    var body: some View { Text("") }
  }

  struct Focused: View {
    #if MISTAKE
      @FocusState private var field: NotHashable?  // row 121: requires that 'NotHashable' conform to 'Hashable'
    #else
      @FocusState private var field: Int?
    #endif
    var body: some View { Text("") }
  }

  #if ELSEWHERE
    func state(_ object: StateObject<Counter>) -> Int {
      object.wrappedValue.count  // row 100: main actor-isolated
    }
    func observed(_ object: ObservedObject<Counter>) -> Int {
      object.wrappedValue.count  // row 100: main actor-isolated
    }
    func injected(_ object: EnvironmentObject<Counter>) -> Int {
      object.wrappedValue.count  // row 100: main actor-isolated
    }
  #else
    @MainActor func state(_ object: StateObject<Counter>) -> Int { object.wrappedValue.count }
    @MainActor func observed(_ object: ObservedObject<Counter>) -> Int { object.wrappedValue.count }
    @MainActor func injected(_ object: EnvironmentObject<Counter>) -> Int { object.wrappedValue.count }
  #endif
  """

private struct Mistake {
  let line: Int
  let row: Int
  let words: String

  static let all: [Mistake] = lines.enumerated().compactMap { index, line in
    line.firstMatch(of: /\/\/ row ([0-9]+): (.*)$/).flatMap { match in
      Int(match.1).map { Mistake(line: index + 1, row: $0, words: String(match.2)) }
    }
  }

  private static var lines: [Substring] { mistakes.split(separator: "\n", omittingEmptySubsequences: false) }

  /// What the compiler says of them, asked once: of mistakes in types, and of those that are only looked for where the
  /// types are right.
  static let errors = Task {
    let ofTypes = try await Compiler.errors(in: mistakes, defining: ["MISTAKE"])
    return ofTypes + (try await Compiler.errors(in: mistakes, defining: ["ELSEWHERE"]))
  }
}

/// Holds the mistakes of a row to being refused, each in its line.
private func expectRefused(row: Int) async throws {
  let errors = try await Mistake.errors.value
  let ofRow = Mistake.all.filter { $0.row == row }
  #expect(!ofRow.isEmpty)
  for mistake in ofRow {
    let said = errors.filter { $0.line == mistake.line }.map(\.message)
    #expect(said.contains { $0.contains(mistake.words) }, "line \(mistake.line): \(said)")
  }
}

@Suite struct `A mistake with wrappers` {
  @Test func `is what the samples are refused for, and nothing else`() async throws {
    #expect(try await Compiler.errors(in: mistakes).map(\.description) == [])
    let lines = Set(Mistake.all.map(\.line))
    #expect(try await Mistake.errors.value.filter { !lines.contains($0.line) }.map(\.description) == [])
  }

  @Test func `row 10: is a write of a value that was handed down`() async throws { try await expectRefused(row: 10) }

  @Test func `row 95: is to observe what says nothing before it changes`() async throws {
    try await expectRefused(row: 95)
  }

  @Test func `row 100: is to use an object's wrapper off the main actor`() async throws {
    try await expectRefused(row: 100)
  }

  @Test func `row 101: is a write of what the environment says`() async throws { try await expectRefused(row: 101) }

  @Test func `row 121: is a focus in what cannot be told apart`() async throws { try await expectRefused(row: 121) }
}

@Suite struct `The page about wrappers` {
  @Test func `row 157, 159, 160: shows a program that compiles`() async throws {
    let samples = try Page.named("Documentation/Wrappers.md").samples
    #expect(samples.count == 4)
    #expect(try await Compiler.errors(in: samples.joined(separator: "\n")).map(\.description) == [])
  }

  @Test func `row 157: leads to every wrapper that a view can have`() throws {
    let page = try Page.named("Documentation/Wrappers.md")
    let chart = try #require(page.text.split(separator: "```").first { $0.contains("Who owns the value?") })
    for wrapper in Page.wrappers {
      #expect(chart.contains("@\(wrapper) "), "\(wrapper) is missing")
    }
  }
}

/// A page of this checkout, read where it stands even if the tests were reached through a link.
private struct Page {
  let text: String

  static func named(_ name: String) throws -> Page {
    let here = URL(filePath: #filePath).resolvingSymlinksInPath()
    let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return Page(text: try String(contentsOf: root.appending(path: name), encoding: .utf8))
  }

  /// The Swift that it shows.
  var samples: [String] {
    text.matches(of: /```swift\n((?:[^`]|`(?!``))*)```/).map { String($0.1) }
  }

  static let wrappers = [
    "State", "StateObject", "ObservedObject", "EnvironmentObject", "Environment", "Binding", "Bindable", "FocusState",
    "FocusedValue", "AppStorage", "SceneStorage",
  ]
}
