import Foundation
import Testing

extension Rule {
  /// A row without a test is a hope, and a test that is named and not there is worse.
  static let faultsAreTested = Rule(
    "each fault that the table lists is shown by a test that is there"
  ) {
    house in
    FaultRow.all(in: house).flatMap { row in row.findings(in: house) }
  }
}

/// One row of a table of `Documentation/Faults.md`: the fault, what is seen of it, and what shows it.
///
/// ```
///   | fault | what you see | *A suite* a test; another ([File](../Tests/File.swift)). `Scripts/name` (“part”) |
/// ```
private struct FaultRow {
  static let page = "Documentation/Faults.md"

  let line: Int
  let cells: [String]

  static func all(in house: House) -> [FaultRow] {
    let lines = ((house.files[page] ?? nil) ?? "").split(separator: "\n", omittingEmptySubsequences: false)
    return lines.enumerated().compactMap { index, line in
      guard line.hasPrefix("|"), !line.hasPrefix("|---"), !line.hasPrefix("| Fault |") else { return nil }
      // Between two bars; code may have none.
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
      return FaultRow(line: index + 1, cells: cells.map { $0.trimmingCharacters(in: .whitespaces) })
    }
  }

  func findings(in house: House) -> [Finding] {
    guard cells.count == 3, !cells.contains("") else {
      return [finding("this row has not a fault, what is seen of it, and what shows it", "Fill all three cells")]
    }
    let form = /\*([^*]+)\*,? (.*?) \(\[[^\]]+\]\(\.\.\/([^)]+)\)\)/
    let suites = cells[2].matches(of: form)
    let scripts = cells[2].matches(of: /`(Scripts\/[^`]+)`/)
    // A script runs where somebody calls it; a test runs with every other.
    guard !suites.isEmpty else { return [finding("no test shows this fault", "Name one")] }
    var found: [Finding] = []
    for suite in suites {
      guard let text = house.files[String(suite.3)] ?? nil else {
        found.append(finding("\(suite.3) is not there", "Name the file that has the test"))
        continue
      }
      for name in [suite.1] + suite.2.split(separator: "; ") where !text.contains("`\(name)`") {
        found.append(finding("\(suite.3) has no '\(name)'", "Name a test that it has"))
      }
    }
    for script in scripts where house.files[String(script.1)] == nil {
      found.append(finding("\(script.1) is not there", "Name a script that is"))
    }
    return found
  }

  private func finding(_ what: String, _ remedy: String) -> Finding {
    Finding(path: Self.page, line: line, what: what, remedy: remedy)
  }
}

@Suite struct `The rule of the fault table` {
  private func findings(_ row: String) -> [String] {
    let house = House([
      "Documentation/Faults.md": "| Fault | What you see | Test |\n|---|---|---|\n\(row)\n",
      "Tests/A/A.swift": "@Suite struct `A thing` { @Test func `holds`() {}; @Test func `lasts (for a while)`() {} }",
      "Scripts/crash": "",
    ])
    return Rule.faultsAreTested.check(house).map(\.what)
  }

  @Test(arguments: [
    "| a | b | *A thing* holds ([A](../Tests/A/A.swift)) |",
    "| a | b | *A thing* lasts (for a while); holds ([A](../Tests/A/A.swift)). `Scripts/crash` (“writer”) |",
  ])
  func `accepts what is there`(_ row: String) {
    #expect(findings(row) == [])
  }

  @Test(arguments: [
    "| a | b | |", "| a | b |", "| a | b | it is known to hold |", "| a | b | `Scripts/crash` |",
    "| a | b | *A thing* breaks ([A](../Tests/A/A.swift)) |",
    "| a | b | *Another* holds ([A](../Tests/A/A.swift)) |",
    "| a | b | *A thing* holds ([A](../Tests/A/B.swift)) |",
    "| a | b | *A thing* holds ([A](../Tests/A/A.swift)). `Scripts/gone` |",
    "| a | b | *A thing* holds; breaks ([A](../Tests/A/A.swift)) |",
  ])
  func `refuses a row without a test that is there`(_ row: String) {
    #expect(findings(row).count == 1)
  }
}
