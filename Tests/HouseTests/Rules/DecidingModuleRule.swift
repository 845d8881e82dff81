import Testing

extension Rule {
  /// The rooms whose functions give the same answer to the same arguments, on every machine, for ever.
  private static let decidingModules: Set = ["StarlingCore", "StarlingWire", "StarlingSession"]

  static let decidersDecide = Rule("deciding rooms receive time and chance, hold no lock, perform nothing") { house in
    house.swiftFiles.filter { decidingModules.contains($0.target?.name ?? "") }.flatMap { file in
      file.imports.filter { performers.contains($0.module) }.map { module, line in
        Finding(
          path: file.path, line: line, what: "A deciding room imports \(module)",
          remedy: "Take what it would have told as an argument")
      }
        + forbidden.flatMap { reason, remedy, phrases in
          phrases.flatMap { phrase in
            file.lines(of: phrase).map { line in
              Finding(path: file.path, line: line, what: "`\(phrase.spelling)` \(reason)", remedy: remedy)
            }
          }
        }
        + file.linesOfUngivenChance.map { line in
          Finding(
            path: file.path, line: line, what: "Chance is drawn here", remedy: "Take `using generator: inout` instead")
        }
    }
  }

  private static let performers: Set = [
    "Foundation", "FoundationEssentials", "FoundationNetworking", "Glibc", "Musl", "Darwin", "Dispatch",
    "Synchronization", "Observation", "os", "Logging", "Metrics",
  ]

  private static let forbidden: [(reason: String, remedy: String, phrases: [Phrase])] = [
    (
      "reads a clock", "Take the time as an argument",
      [
        "ContinuousClock", "SuspendingClock", "Date(", "DispatchTime", "clock_gettime", "gettimeofday",
        "mach_absolute_time",
      ]
    ),
    (
      "draws chance", "Take a generator as an argument",
      ["SystemRandomNumberGenerator", "arc4random", "arc4random_uniform", "getrandom", "getentropy"]
    ),
    ("is a lock", "Leave locking to the room that shares the value", ["Mutex", "Guard", "Guarded", "Atomic"]),
    (
      "touches the world", "Return what should happen and let the engine do it",
      [
        .call("print"), .call("debugPrint"), .call("dump"), .call("readLine"), .call("open"), .call("fopen"),
        .call("getenv"), "FileManager", "FileHandle", "ProcessInfo",
      ]
    ),
    ("waits", "Return what is awaited as an outcome", ["await", "async", "Task", "withTaskGroup"]),
  ]
}

extension SwiftFile {
  /// Lines that call `random`, `randomElement`, `shuffle` or `shuffled` without passing a generator.
  fileprivate var linesOfUngivenChance: [Int] {
    let draws: Set = ["random", "randomElement", "shuffle", "shuffled"]
    return tokens.indices.compactMap { index in
      guard tokens[index].kind == .word, draws.contains(tokens[index].text), index + 1 < tokens.count,
        tokens[index + 1].text == "("
      else { return nil }
      var depth = 0
      for token in tokens[(index + 1)...] where token.kind != .literal {
        if token.text == "using" { return nil }
        if token.text == "(" { depth += 1 }
        if token.text == ")" { depth -= 1 }
        if depth == 0 { break }
      }
      return tokens[index].line
    }
  }
}

@Suite struct `The rule of deciding rooms` {
  private func findings(_ code: String, in moduleName: String = "StarlingSession") -> [Finding] {
    Rule.decidersDecide.check(
      House([
        "Package.swift": "let package = Package(targets: [.target(name: \"\(moduleName)\")])",
        "Sources/\(moduleName)/File.swift": code,
      ]))
  }

  @Test(arguments: [
    "import Foundation", "#if canImport(Glibc)\nimport Glibc\n#endif", "let now = ContinuousClock().now",
    "let now = Date()", "clock_gettime(CLOCK_MONOTONIC, &now)", "let id = UInt64.random(in: 0...9)",
    "let one = all.randomElement()", "var chance = SystemRandomNumberGenerator()", "let state = Mutex(0)",
    "let state = Guarded(0)", "print(state)", "let text = \"\\(await value)\"", "func ask() async {}",
    "Task { work() }", "let file = open(path, O_RDONLY)", "FileManager.default",
  ])
  func `refuses`(_ code: String) {
    #expect(findings(code).isEmpty == false)
  }

  @Test(arguments: [
    "guard let value else { return }", "func random(using generator: inout some RandomNumberGenerator) {}",
    "let id = UInt64.random(in: 0...9, using: &generator)", "// await the Task", "let text = \"print(async)\"",
    "case date(Double)", "mutating func open(_ document: DocumentID) {}", "session.open(document)",
    "let asynchronous = 1",
    "func received(_ message: Message, at now: Duration) -> Outcome",
    "#\"await \"# + \"\"\"\n  Mutex \"await\"\n  \"\"\"",
  ])
  func `accepts`(_ code: String) {
    #expect(findings(code) == [])
  }

  @Test func `leaves performing rooms alone`() {
    #expect(findings("import Foundation\nlet now = Date()", in: "StarlingEngine") == [])
  }

  @Test func `names the line`() {
    #expect(findings("/*\n\n*/ let a = 1\n\nlet b = await c").map(\.line) == [5])
  }
}
