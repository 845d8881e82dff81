import Testing

extension Rule {
  /// A vector that no test reads proves nothing. A test target reads one by naming the file, or by naming its folder
  /// and listing what is in it.
  static let vectorsAreRead = Rule("every vector of the protocol is read by a test") { house in
    let vectors = house.files.keys.filter { $0.hasPrefix("Protocol/vectors/") && !$0.hasSuffix(".md") }.sorted()
    let targets = Dictionary(grouping: house.swiftFiles.filter(\.isTest)) { $0.target?.name ?? $0.path }
    let readers = targets.values.map { files in
      (
        // The last part of each path that the target's strings spell.
        names: Set(
          files.flatMap { $0.tokens.filter { $0.kind == .literal } }.compactMap { $0.text.split(separator: "/").last }),
        lists: files.contains { file in listings.contains { !file.lines(of: $0).isEmpty } }
      )
    }
    return vectors.compactMap { vector in
      let parts = vector.split(separator: "/")
      let name = parts.last ?? ""
      let folder = parts.dropFirst(2).dropLast().last ?? "vectors"
      let isRead = readers.contains { $0.names.contains(name) || ($0.lists && $0.names.contains(folder)) }
      guard !isRead else { return nil }
      return Finding(
        path: vector, line: 1, what: "No test reads this vector",
        remedy: "Name it in a decoding test, or let one list \(folder)/")
    }
  }

  private static let listings: [Phrase] = ["contentsOfDirectory", "enumerator", "subpathsOfDirectory"]
}

@Suite struct `The rule of vectors` {
  private func findings(_ test: String) -> [String] {
    Rule.vectorsAreRead.check(
      House([
        "Package.swift": "let package = Package(targets: [.testTarget(name: \"WireTests\")])",
        "Protocol/vectors/accept/one-set.bin": nil, "Protocol/vectors/accept/one-set.json": "{}",
        "Protocol/vectors/reject/short.bin": nil, "Tests/WireTests/Vectors.swift": test,
        "Tests/WireTests/Names.swift": "let isOfNoUseAlone = \"Protocol/vectors\"",
      ])
    ).map(\.path)
  }

  @Test func `refuses a vector that no test reads`() {
    #expect(findings("// accept reject").count == 3)
    #expect(findings("let a = \"Protocol/vectors/reject/short.bin\"").count == 2)
  }

  @Test func `counts a folder as read only where it is listed`() {
    #expect(findings("let a = \"accept\"").count == 3)
    #expect(
      findings("FileManager.default.contentsOfDirectory(at: vectors.appending(path: \"accept\"))") == [
        "Protocol/vectors/reject/short.bin"
      ])
  }
}
