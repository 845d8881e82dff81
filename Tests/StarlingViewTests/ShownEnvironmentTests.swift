import StarlingView
import Testing

private final class Catalogue1: Sendable {}

@Observable private final class City {
  var name = "Oslo"
  var count = 1
}

private enum Size { case small, large }

private struct Defaults {
  static let shared = Catalogue1()
}

private struct Act {
  var run: () -> Void = {}
}

extension EnvironmentValues {
  @Entry fileprivate var literal = 7
  @Entry fileprivate var size = Size.small
  @Entry fileprivate var maybe: String?
  @Entry fileprivate var shared = Defaults.shared
  @Entry fileprivate var act = Act()
  @Entry fileprivate var unrelated = 0
}

private struct DefaultsReader: View {
  @Environment(\.literal) private var literal
  @Environment(\.size) private var size
  @Environment(\.maybe) private var maybe
  @Environment(\.shared) private var shared
  var body: some View { Text("\(literal) \(size) \(maybe ?? "none") \(shared === Defaults.shared)") }
}

private struct SystemReader: View {
  @Environment(\.openURL) private var openURL
  @Environment(\.dismiss) private var dismiss
  @Environment(\.refresh) private var refresh

  var body: some View {
    let _ = (openURL, dismiss)
    Text(refresh == nil ? "no refresh" : "refresh")
  }
}

private struct ActReader: View {
  @Environment(\.act) private var act
  var body: some View { Button("Act") { act.run() } }
}

private struct Unread: View {
  @Environment(City.self) private var city
  var body: some View { Text("unread") }
}

private struct CityReader: View {
  @Environment(City.self) private var city
  var body: some View { Text(city.name) }
}

private struct Surrounding: View {
  @State private var number = 0
  @State private var city = City()
  let acted: Count

  var body: some View {
    VStack {
      DefaultsReader()
      SystemReader()
      ActReader()
      Unread()
      CityReader()
    }
    .environment(\.unrelated, number)
    .environment(city)
    Button("Number") { number += 1 }
    Button("Rename") { city.name += "!" }
    Button("Move") { city = City() }
  }
}

private struct Acting: View {
  @State private var isSecond = false
  let acted: Diary

  var body: some View {
    let (isSecond, acted) = (isSecond, acted)
    ActReader().environment(\.act, Act { acted.note(isSecond ? "second" : "first") })
    Button("Other") { self.isSecond = true }
  }
}

@MainActor @Suite struct `The environment, in full,` {
  @Test func `row 113, 115, 117, 119: costs nothing where something else is written`() throws {
    let host = HeadlessHost { Surrounding(acted: Count()) }
    #expect(host.text.prefix(2) == ["7 small none true", "no refresh"])
    for _ in 0..<5 { try host.tap("Number") }
    _ = host.text
    #expect(host.evaluations(of: Surrounding.self) == 6)
    #expect(host.evaluations(of: DefaultsReader.self) == 1)
    #expect(host.evaluations(of: SystemReader.self) == 1)
    #expect(host.evaluations(of: ActReader.self) == 1)
    #expect(host.evaluations(of: CityReader.self) == 1)
    try host.tap("Rename")
    try host.tap("Move")
    #expect(host.text.contains("Oslo"))
    #expect(host.evaluations(of: CityReader.self) == 3)
    #expect(host.evaluations(of: Unread.self) == 1)
  }

  @Test func `row 113: hands on a closure that is written again`() throws {
    let diary = Diary()
    let host = HeadlessHost { Acting(acted: diary) }
    try host.tap("Act")
    try host.tap("Other")
    try host.tap("Act")
    #expect(diary.entries == ["first", "second"])
  }
}
