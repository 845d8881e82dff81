import Testing

@Suite struct `In this house` {
  @Test(arguments: Rule.all) func `rules are kept`(_ rule: Rule) {
    for finding in rule.check(.ofThisCheckout) {
      Issue.record(
        "\(finding)",
        sourceLocation: SourceLocation(
          fileID: "Starling/\(finding.path)", filePath: finding.path, line: finding.line, column: 1))
    }
  }

  @Test func `there is something to check`() {
    let house = House.ofThisCheckout
    #expect(house.plan.targets.contains { $0.name == "StarlingCore" })
    #expect(house.plan.targets.contains { $0.name == "HouseTests" })
    #expect(house.swiftFiles.contains { $0.path == "Tests/HouseTests/HouseTests.swift" })
    #expect(house.swiftFiles.contains { $0.target?.name == "StarlingCore" })
  }

  @Test func `few files come near the bound`() {
    let files = House.ofThisCheckout.swiftFiles
    let long = files.filter { $0.lineCount > Rule.lineCountOfNote }
    for file in long {
      print("note: \(file.path) has \(file.lineCount) lines; past \(Rule.lineCountOfNote) it may hold two ideas")
    }
    #expect(long.count * 10 <= files.count, "\(long.count) of \(files.count) files have outgrown one idea")
  }
}
