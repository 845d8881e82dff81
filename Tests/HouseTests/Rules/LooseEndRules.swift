import Testing

extension Rule {
  static let nothingIsLeftForLater = Rule("nothing is left for later") { house in
    house.swiftFiles.flatMap { file in
      file.comments.sorted { $0.key < $1.key }.flatMap { line, text in
        reminders.filter { reminder in text.split { !$0.isLetter }.contains { $0 == reminder } }.map { reminder in
          Finding(
            path: file.path, line: line, what: "A comment says \(reminder)",
            remedy: "Do it now, or say in the documentation what the program does not do")
        }
      }
        + file.linesOfStubs.map { line in
          Finding(
            path: file.path, line: line, what: "A stub stops the program here", remedy: "Write it, or leave it out")
        }
    }
  }

  private static let reminders = ["TODO", "FIXME", "XXX", "HACK"]

  static let testsRun = Rule("every test runs") { house in
    house.swiftFiles.filter(\.isTest).flatMap { file in file.testsThatCannotFail + file.testsThatHide }
  }

  /// At most this many lines, or the file is refused; a file past the lower bound is named.
  static let lineCountMax = 500
  static let lineCountOfNote = 400

  static let filesStayReadable = Rule("a file is one idea, read from the top") { house in
    house.swiftFiles.filter { $0.lineCount > lineCountMax }.map { file in
      Finding(
        path: file.path, line: lineCountMax, what: "The file has \(file.lineCount) lines",
        remedy: "Move one ability to a file of its own")
    }
  }
}

extension SwiftFile {
  fileprivate var testsThatCannotFail: [Finding] {
    let phrases: [Phrase] = [".disabled", "XCTSkip", "withKnownIssue"]
    return phrases.flatMap { phrase in
      lines(of: phrase).map { line in
        Finding(
          path: path, line: line, what: "`\(phrase.spelling)` keeps a test from failing",
          remedy: "Mend what it found, or delete it")
      }
    }
  }

  fileprivate var testsThatHide: [Finding] {
    lines(of: ".enabled(").filter { !saysWhatItNeeds(at: $0) }.map { line in
      Finding(
        path: path, line: line, what: "`.enabled` keeps a test from running, and does not say what it needs",
        remedy: "Run it everywhere, or say \"needs ...\" as its last argument, which a run prints")
    }
  }

  /// Whether the condition on the line is one of the machine, named in words that a skipped test prints: "needs ...".
  fileprivate func saysWhatItNeeds(at line: Int) -> Bool {
    let condition = tokens.drop { $0.line < line }.drop { $0.text != "enabled" }.prefix { $0.line <= line + 3 }
    guard let reason = condition.firstIndex(where: { $0.kind == .literal && $0.text.hasPrefix("needs ") }) else {
      return false
    }
    return !condition[..<reason].contains { ["false", "true"].contains($0.text) }
  }

  fileprivate var linesOfStubs: [Int] {
    let stops: Set = ["fatalError", "preconditionFailure"]
    let excuses = ["not implemented", "unimplemented", "not yet", "not supported yet"]
    return tokens.indices.compactMap { index in
      guard stops.contains(tokens[index].text), tokens[index].kind == .word, index + 2 < tokens.count,
        tokens[index + 2].kind == .literal
      else { return nil }
      let message = tokens[index + 2].text.lowercased()
      return excuses.contains { message.hasPrefix($0) } ? tokens[index].line : nil
    }
  }
}

@Suite struct `The rules of loose ends` {
  private func house(_ code: String) -> House {
    House(["Tests/ATests/A.swift": code])
  }

  @Test(arguments: ["// TODO: later", "/* FIXME */", "fatalError(\"not implemented\")", "let a = 1  // XXX"])
  func `refuse what is left for later`(_ code: String) {
    #expect(Rule.nothingIsLeftForLater.check(house(code)).count == 1)
  }

  @Test(arguments: ["let text = \"TODO\"", "// TODOS is a table", "fatalError(\"The slot \\(slot) met \\(other).\")"])
  func `accept words that only look alike`(_ code: String) {
    #expect(Rule.nothingIsLeftForLater.check(house(code)) == [])
  }

  @Test func `refuse a test that cannot fail`() {
    #expect(Rule.testsRun.check(house("@Test(.disabled(\"flaky\")) func a() {}")).map(\.line) == [1])
  }

  @Test(arguments: [
    "@Test(.enabled(if: hasDisk)) func a() {}", "@Test(.enabled(if: false, \"needs a disk\")) func a() {}",
    "@Test(.enabled(if: hasDisk, \"flaky\")) func a() {}", "@Test(.enabled(\"flaky\") { hasDisk }) func a() {}",
  ])
  func `refuse a test that runs only sometimes, and says not why`(_ code: String) {
    #expect(Rule.testsRun.check(house(code)).map(\.line) == [1])
  }

  @Test func `accept a test that says what it needs`() {
    #expect(Rule.testsRun.check(house("@Test(.enabled(if: hasDisk(\"/dev\"), \"needs a disk\")) func a() {}")) == [])
  }

  @Test func `refuse a file past the bound, and only past it`() {
    #expect(Rule.filesStayReadable.check(house(String(repeating: "\n", count: Rule.lineCountMax))).isEmpty)
    #expect(Rule.filesStayReadable.check(house(String(repeating: "\n", count: Rule.lineCountMax + 1))).count == 1)
  }
}
