import Foundation
import StarlingTerminal
import StarlingView
import Testing

private struct Library: View {
  @State private var sought = ""
  @State private var ended = 0

  var body: some View {
    Titles(sought: sought)
      .searchable(text: $sought, prompt: "Find a title")
      .onSubmit(of: .search) { ended += 1 }
    Text("Ended \(ended)")
  }
}

private struct Titles: View {
  let sought: String
  @Environment(\.isSearching) private var isSearching
  @Environment(\.dismissSearch) private var dismissSearch

  var body: some View {
    ForEach(["Dune", "Emma"].filter { sought.isEmpty || $0.contains(sought) }, id: \.self) { Text($0) }
    if isSearching { Button("Stop") { dismissSearch() } }
  }
}

@MainActor @Suite struct `A search` {
  @Test func `filters by what is typed, and is dismissed`() throws {
    let host = HeadlessHost { Library() }
    #expect(host.text == ["Find a title:", "Dune", "Emma", "Ended 0"])
    try host.type("Du", into: "Find a title")
    #expect(host.text == ["Find a title: Du", "Dune", "Stop", "Ended 0"])
    host.press(.return)
    #expect(host.text.last == "Ended 1")
    try host.tap("Stop")
    #expect(host.text == ["Find a title:", "Dune", "Emma", "Ended 1"])
  }

  @Test func `is begun with a slash in a terminal`() {
    let host = Screenshots { Library() }
    host.press(Key("/"))
    host.press(Key("E"))
    #expect(!host.lines.joined(separator: "\n").contains("Dune"))
  }
}

private struct Appointment: View {
  @State private var date = Date(timeIntervalSince1970: 1_700_000_000)

  var body: some View {
    DatePicker("When", selection: $date)
    DatePicker("Day", selection: $date, in: ...Date(timeIntervalSince1970: 1_800_000_000), displayedComponents: .date)
    Text("\(Int(date.timeIntervalSince1970))")
  }
}

@MainActor @Suite struct `A date picker` {
  private let host = HeadlessHost { Appointment().environment(\.timeZone, TimeZone(secondsFromGMT: 0)!) }

  @Test func `takes dates that are typed, and refuses what is none`() throws {
    #expect(host.text == ["When: 2023-11-14 22:13", "Day: 2023-11-14", "1700000000"])
    try host.type("2024-02-29 08:00", into: "When")
    #expect(host.text[1] == "Day: 2024-02-29")
    try host.type("2024-02-30 08:00", into: "When")
    try host.type("tomorrow", into: "When")
    #expect(host.text[0] == "When: 2024-02-29 08:00")
  }

  @Test func `keeps the time of a day that is typed, and stays within its range`() throws {
    try host.type("2024-01-01", into: "Day")
    #expect(host.text[0] == "When: 2024-01-01 22:13")
    try host.type("2100-01-01", into: "Day")
    #expect(host.text[1] == "Day: 2024-01-01")
    try host.increment("Day")
    #expect(host.text[1] == "Day: 2024-01-02")
  }
}
