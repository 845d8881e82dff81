import Testing

extension Rule {
  /// Nobody here runs the other systems at every commit; what can be seen in the text is seen at once.
  static let systemsAreEqual = Rule("a source that asks the system compiles on all systems") { house in
    house.swiftFiles.filter { $0.path.hasPrefix("Sources/") }.flatMap { file in
      file.importsWithoutAlternative.map { line in
        Finding(
          path: file.path, line: line, what: "The file imports one system's C library",
          remedy: "Import Glibc, Musl or Darwin, by #if canImport")
      }
        + file.linuxAlone.map { name, line in
          Finding(
            path: file.path, line: line, what: "`\(name)` is there on Linux alone",
            remedy: "Call what POSIX has, or stand within #if os(Linux) beside what the others do")
        }
    }
  }

  /// What an application for a telephone is built of stands on nothing that only desktops and servers have.
  static let guestsStandOnNoDesktop = Rule("what runs on all of Apple's systems asks for nothing that some lack") {
    house in
    let plan = ModulePlan((house.files["Package.swift"] ?? nil) ?? "")
    let known = Dictionary(plan.targets.map { ($0.name, $0) }) { first, _ in first }
    var modules: Set<String> = []
    var rest = Rule.onAllOfApples.filter { known[$0] != nil }
    while let name = rest.popLast() {
      guard modules.insert(name).inserted, known[name]?.kind != .macro else { continue }
      rest += (known[name]?.dependencies ?? []).map(\.name).filter { known[$0] != nil }
    }
    let libraries = plan.targets.filter { modules.contains($0.name) && $0.kind == .systemLibrary }.map { target in
      Finding(
        path: "Package.swift", line: target.line, what: "\(target.name) is not there on all of Apple's systems",
        remedy: "Let no module depend on it that \(Rule.onAllOfApples.joined(separator: ", ")) stand on")
    }
    let folders = plan.targets.filter { modules.contains($0.name) && $0.kind == .target }.map { $0.folder + "/" }
    let sources = house.swiftFiles.filter { file in folders.contains { file.path.hasPrefix($0) } }
    return libraries
      + sources.flatMap { file in
        file.tokens.filter { token in
          token.kind == .word && Rule.desktopNames.contains(token.text)
            && !file.conditions(at: token.line).contains { $0.contains("macOS") || $0.contains("Linux") }
        }.map {
          Finding(
            path: file.path, line: $0.line, what: "`\($0.text)` is not there on all of Apple's systems",
            remedy: "Do without, or stand within #if os(macOS) || os(Linux) beside what the others do")
        }
      }
  }

  /// The modules that an application on any of Apple's systems imports (Documentation/ApplePlatforms.md).
  fileprivate static let onAllOfApples = ["StarlingBinding", "StarlingModel", "StarlingSQLite", "StarlingSimulator"]
  /// What is unavailable on iOS, tvOS, watchOS or visionOS.
  fileprivate static let desktopNames: Set = [
    "Process", "homeDirectoryForCurrentUser", "gethostuuid", "vfork", "execve", "execv", "posix_spawn", "popen",
    "sigaltstack", "trashItem", "AppKit", "NSApplication",
  ]

  /// How names begin that other systems do not have.
  fileprivate static let linuxNames = [
    "epoll_", "EPOLL", "eventfd", "EFD_", "accept4", "pipe2", "SOCK_CLOEXEC", "SOCK_NONBLOCK", "MSG_NOSIGNAL", "O_PATH",
    "getrandom", "fdatasync", "inotify_", "signalfd", "timerfd_", "prctl", "gettid", "memfd_create",
  ]
  fileprivate static let linuxFolders = ["/proc/", "/sys/"]
}

extension SwiftFile {
  /// Lines that import a C library in a file that does not say what the other systems import instead.
  fileprivate var importsWithoutAlternative: [Int] {
    let libraries: Set = ["Glibc", "Musl", "Darwin"]
    let found = imports.filter { libraries.contains($0.module) }
    // One that is meant for one system says so, and leaves the others out.
    let stray = found.filter { conditions(at: $0.line).isEmpty }
    guard stray.isEmpty, found.contains(where: { $0.module != "Darwin" }) else { return stray.map(\.line) }
    return Set(found.map(\.module)) == libraries ? [] : found.map(\.line)
  }

  /// Names and paths that only Linux has, where nothing says that this is for Linux.
  fileprivate var linuxAlone: [(name: String, line: Int)] {
    tokens.filter { token in
      switch token.kind {
      case .word: Rule.linuxNames.contains { token.text.hasPrefix($0) }
      case .literal: Rule.linuxFolders.contains { token.text.hasPrefix($0) }
      case .mark: false
      }
    }.filter { token in
      !conditions(at: token.line).contains { $0.contains("Linux") || $0.contains("Glibc") || $0.contains("Musl") }
    }.map { ($0.text, $0.line) }
  }

  /// What has to hold for the line to be compiled: the words of each `#if` or `#elseif` around it, the
  /// outermost first. An `#else` holds nothing: it is for whoever is left.
  fileprivate func conditions(at line: Int) -> [Set<String>] {
    var conditions: [Set<String>] = []
    for (index, token) in tokens.enumerated() where token.text == "#" && token.kind == .mark {
      guard token.line < line, index + 1 < tokens.count else { break }
      let words = tokens[(index + 1)...].prefix { $0.line == token.line }.map(\.text)
      switch words.first {
      case "if": conditions.append(Set(words))
      case "elseif", "else":
        if !conditions.isEmpty { conditions[conditions.count - 1] = words.first == "else" ? [] : Set(words) }
      case "endif": conditions = conditions.dropLast()
      default: break
      }
    }
    return conditions
  }
}

@Suite struct `The rule of systems` {
  private func findings(_ code: String, at path: String = "Sources/A/A.swift") -> [Finding] {
    Rule.systemsAreEqual.check(House(["Package.swift": "", path: code]))
  }

  private static let everywhere = "#if canImport(Glibc)\nimport Glibc\n#elseif canImport(Musl)\nimport Musl\n"

  @Test(arguments: [
    "import Glibc", "import Darwin", "#if canImport(Glibc)\nimport Glibc\n#endif", everywhere + "#endif",
    everywhere + "#endif\nimport Darwin",
  ])
  func `refuses one system's library`(_ code: String) {
    #expect(!findings(code).isEmpty)
  }

  @Test(arguments: [
    everywhere + "#else\nimport Darwin\n#endif", "#if canImport(Darwin)\nimport Darwin\n#endif", "import Foundation",
    "// import Glibc",
  ])
  func `accepts a library for each, or for one that is named`(_ code: String) {
    #expect(findings(code) == [])
  }

  @Test(arguments: [
    "let e = epoll_create1(0)", "eventfd_write(bell, 1)", "accept4(a, nil, nil, 0)", "pipe2(&ends, 0)",
    "let flags = SOCK_CLOEXEC", "let text = read(\"/proc/self/status\")",
    "#if os(Linux)\n#else\npipe2(&ends, 0)\n#endif",
    "#if os(Linux)\n#endif\npipe2(&ends, 0)", "#if DEBUG\npipe2(&ends, 0)\n#endif",
  ])
  func `refuses what Linux alone has`(_ code: String) {
    #expect(findings(code).count == 1)
  }

  @Test(arguments: [
    "#if os(Linux)\npipe2(&ends, 0)\n#endif", "#if canImport(Glibc)\nlet flags = SOCK_CLOEXEC\n#endif",
    "#if os(Linux)\n#if DEBUG\npipe2(&ends, 0)\n#endif\n#endif", "#if DEBUG\n#elseif os(Linux)\npipe2()\n#endif",
    "// accept4 is Linux's", "pipe(&ends)",
  ])
  func `accepts it where it is meant for Linux, and what all have`(_ code: String) {
    #expect(findings(code) == [])
  }

  @Test func `leaves tests alone`() {
    #expect(findings("import Glibc\npipe2(&ends, 0)", at: "Tests/ATests/A.swift") == [])
  }

  private func desktopFindings(_ manifest: String, _ code: String) -> [Finding] {
    Rule.guestsStandOnNoDesktop.check(House(["Package.swift": manifest, "Sources/StarlingModel/A.swift": code]))
  }

  private static let manifest = """
    let package = Package(targets: [
      .systemLibrary(name: "CZeroMQ"), .target(name: "StarlingCore"), .target(name: "Link", dependencies: ["CZeroMQ"]),
      .target(name: "StarlingModel", dependencies: ["StarlingCore"]),
    ])
    """

  @Test func `refuses a library that Apple's smaller systems lack, below their modules`() {
    #expect(desktopFindings(Self.manifest, "") == [])
    let below = Self.manifest.replacing("[\"StarlingCore\"]", with: "[\"StarlingCore\", \"Link\"]")
    #expect(desktopFindings(below, "").map(\.path) == ["Package.swift"])
  }

  @Test func `refuses what they lack, where no other system is meant`() {
    #expect(desktopFindings(Self.manifest, "gethostuuid(&bytes, &patience)").count == 1)
    #expect(desktopFindings(Self.manifest, "#if canImport(Darwin)\nlet program = Process()\n#endif").count == 1)
    #expect(desktopFindings(Self.manifest, "#if os(macOS)\ngethostuuid(&bytes, &patience)\n#endif") == [])
  }
}
