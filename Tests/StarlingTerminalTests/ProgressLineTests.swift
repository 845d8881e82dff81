import StarlingTerminal
import Testing

@Suite struct `A line of progress` {
  private let line = ProgressLine("Joining", ProgressLine.Count(250, of: 1000, "operations"))

  @Test func `says nothing of what takes less than two seconds`() {
    #expect(line.text(after: .milliseconds(1999), columns: 80) == nil)
  }

  @Test func `says how far it is, and guesses what is left`() {
    #expect(
      line.text(after: .seconds(4), columns: 120)
        == "Joining ██████░░░░░░░░░░░░░░░░░░ 25% (250 of 1000 operations), 4 s, about 12 s left")
  }

  @Test func `guesses nothing from little, and nothing where all is done`() {
    let early = ProgressLine("Joining", ProgressLine.Count(10, of: 1000, "operations"))
    #expect(early.text(after: .seconds(70), columns: 120)?.hasSuffix("1% (10 of 1000 operations), 1 min 10 s") == true)
    let done = ProgressLine("Joining", ProgressLine.Count(1200, of: 1000, "operations"))
    #expect(done.text(after: .seconds(3), columns: 120)?.hasSuffix("100% (1000 of 1000 operations), 3 s") == true)
  }

  @Test func `says how long it takes where nobody knows how much there is`() {
    #expect(ProgressLine("Waiting").text(after: .seconds(3), columns: 80) == "Waiting, 3 s")
    let none = ProgressLine("Waiting", ProgressLine.Count(0, of: 0, "operations"))
    #expect(none.text(after: .seconds(3), columns: 80) == "Waiting, 3 s")
  }

  @Test func `is never wider than the terminal`() {
    for columns in 0...90 {
      #expect((line.text(after: .seconds(4), columns: columns) ?? "").count < max(1, columns))
    }
  }
}
