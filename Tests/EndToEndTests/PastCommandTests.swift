import Starling
import Testing

@Suite(.serialized, .timeLimit(.minutes(10))) struct `The past of a document, read by the operator's command,` {
  /// A title that was written, then renamed; a chapter that went, and a number that came.
  private func served() async throws -> Served {
    let served = try await Served()
    try await served.fill()
    for arguments in [
      ["desk/title", "--string", "Emma"], ["desk/chapters/0", "--remove"], ["desk/year", "1815"],
    ] {
      let outcome = try await served.starling(["set", "test"] + arguments)
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    return served
  }

  /// The oldest first.
  private func changes(_ served: borrowing Served) async throws -> [JSONValue] {
    let history = try await served.starling("history", "test", "--json")
    return try history.output.split(separator: "\n").map { try JSONValue(parsing: String($0)) }.reversed()
  }

  private func text(_ value: JSONValue?) throws -> String {
    guard case .string(let text)? = value else { throw CancellationError() }
    return text
  }

  @Test func `is printed as it stood after a change, by its id in the history`() async throws {
    let served = try await served()
    let changes = try await changes(served)
    #expect(changes.count == 4)
    let first = try text(changes.first?["id"])
    let lines = try await served.starling("history", "test").output.split(separator: "\n")
    #expect(lines.last?.contains("  \(first)  ") == true, "\(lines)")
    let title = try await served.starling("get", "test", "desk/title", "--at", first)
    #expect(title.output == "\"Dune\"\n", "\(title.errors)")
    #expect(try await served.starling("get", "test", "desk/title", "--raw", "--at", first).output == "Dune\n")
    #expect(
      try await served.starling("get", "test", "desk", "--json", "--at", first).output
        == "{\"chapters\":[{\"title\":\"One\"},{\"title\":\"Two\"}],\"copies\":3,\"title\":\"Dune\"}\n")
    #expect(try await served.starling("get", "test", "desk/title").output == "\"Emma\"\n")
    let missing = try await served.starling("get", "test", "desk/year", "--at", first)
    #expect(missing.status == 1 && missing.errors.contains("chapters, copies, title"), "\(missing.errors)")
  }

  @Test func `is printed as it stood at a time, by the writers' clocks`() async throws {
    let served = try await served()
    let changes = try await changes(served)
    let time = try text(changes[1]["time"])
    #expect(try await served.starling("get", "test", "desk/title", "--at", time).output == "\"Emma\"\n")
    #expect(
      try await served.starling("get", "test", "desk/chapters", "--json", "--at", time).output
        == "[{\"title\":\"One\"},{\"title\":\"Two\"}]\n")
    // Before anything was written.
    #expect(try await served.starling("get", "test", "--json", "--at", "2020-01-31").output == "{}\n")
  }

  @Test func `is compared with a later moment, place by place`() async throws {
    let served = try await served()
    let changes = try await changes(served)
    let ids = try changes.map { try text($0["id"]) }
    let all = try await served.starling("diff", "test", ids[0])
    #expect(all.status == 0, "\(all.errors)")
    #expect(
      Set(all.output.split(separator: "\n")) == [
        "desk/title: \"Dune\" → \"Emma\"", "desk/chapters/0: {\"title\":\"One\"} → nothing",
        "desk/year: nothing → 1815",
      ])
    #expect(
      try await served.starling("diff", "test", ids[0], ids[1]).output == "desk/title: \"Dune\" → \"Emma\"\n")
    #expect(
      try await served.starling("diff", "test", ids[1], ids[0], "--json").output
        == "{\"change\":\"changed\",\"new\":\"Dune\",\"old\":\"Emma\",\"path\":\"/desk/title\"}\n")
    #expect(
      try await served.starling("diff", "test", ids[0], "--path", "desk/year").output == "desk/year: nothing → 1815\n")
    let same = try await served.starling("diff", "test", ids[1], ids[1])
    #expect(same.output.isEmpty && same.errors.contains("nothing differs there"), "\(same.errors)")
  }

  @Test func `is told change by change, with what each changed`() async throws {
    let served = try await served()
    let lines = try await served.starling("history", "test", "--changes", "--path", "desk/title").output
      .split(separator: "\n")
    #expect(lines.contains("    desk/title: \"Dune\" → \"Emma\""), "\(lines)")
  }

  @Test func `is refused in words where nobody knows the moment`() async throws {
    let served = try await served()
    let unknown = try await served.starling("get", "test", "--at", "00000000:7")
    #expect(unknown.status == 1 && unknown.errors.contains("No change '00000000:7'"), "\(unknown.errors)")
    #expect(try await served.starling("get", "test", "--at", "yesterday").status == 64)
  }
}
