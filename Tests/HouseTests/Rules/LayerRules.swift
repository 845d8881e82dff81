import Testing

extension Rule {
  /// `Package.swift` reads bottom to top.
  static let modulesAreInOrder = Rule("each target depends only on those above it in Package.swift") { house in
    house.plan.targets.enumerated().flatMap { layer, target in
      target.dependencies.compactMap { dependency in
        guard !dependency.isProduct else { return nil }
        let place = house.plan.index(of: dependency.name)
        if let place, place < layer { return nil }
        return Finding(
          path: "Package.swift", line: target.line,
          what: "\(target.name) depends on \(dependency.name), which "
            + (place == nil ? "is no target of this package" : "stands below it in the file"),
          remedy: place == nil
            ? "Name a target, or a product with its package" : "Move the target up, or turn the dependency round")
      }
    }
  }

  static let importsAreDeclared = Rule("an import is declared as a dependency of its target") { house in
    house.swiftFiles.flatMap { file -> [Finding] in
      guard let target = file.target else { return [] }
      return file.imports.compactMap { module, line in
        guard module != target.name, !target.modules.contains(module), !toolchainModules.contains(module) else {
          return nil
        }
        let isAbove = (house.plan.index(of: target.name) ?? 0) < (house.plan.index(of: module) ?? -1)
        return Finding(
          path: file.path, line: line,
          what: isAbove
            ? "\(target.name) imports \(module), which is built upon it"
            : "\(target.name) imports \(module), which is none of its dependencies",
          remedy: isAbove
            ? "Let the module that is built later call in, or move the code there"
            : "Declare it in Package.swift if the module may know it, or ask a neighbour who does")
      }
    }
  }

  /// SwiftPM lets a test import a program, and compiles the two in no order: a build from nothing fails sometimes.
  static let programsAreNotImported = Rule("what a program and its tests share is a module of its own") { house in
    let programs = Set(house.plan.targets.lazy.filter { $0.kind == .executableTarget }.map(\.moduleName))
    return house.swiftFiles.flatMap { file in
      file.imports.lazy.filter { programs.contains($0.module) }.map { module, line in
        Finding(
          path: file.path, line: line, what: "\(module) is a program, which may not be compiled yet",
          remedy: "Move what is imported to a target between the two")
      }
    }
  }

  /// What comes with Swift and needs no declaration.
  private static let toolchainModules: Set = [
    "Swift", "_Concurrency", "Builtin", "Foundation", "FoundationEssentials", "FoundationNetworking", "Glibc", "Musl",
    "Darwin", "Dispatch", "Synchronization", "Observation", "Testing", "RegexBuilder", "PackageDescription",
    "CompilerPluginSupport", "os", "SwiftUI",
  ]

  /// Which modules another never sees, whatever `Package.swift` says. That one does not gain by
  /// declaring one: it would know something that it works without.
  static let forbiddenImportsStayOut = Rule("a module does not know what it works without") { house in
    let imports = house.swiftFiles.filter { !$0.isTest }.flatMap { file in
      file.imports.map { (moduleName: file.target?.name, module: $0.module, path: file.path, line: $0.line) }
    }
    let declarations = house.plan.targets.flatMap { target in
      target.modules.map { (moduleName: target.name as String?, module: $0, path: "Package.swift", line: target.line) }
    }
    return (imports + declarations).compactMap { use in
      guard let moduleName = use.moduleName, let forbidden = forbiddenImports[moduleName],
        forbidden.modules.contains(use.module)
      else { return nil }
      return Finding(
        path: use.path, line: use.line, what: "\(moduleName) knows \(use.module), but \(forbidden.reason)",
        remedy: "Pass what it needs in as a value or through a port")
    }
  }

  private static let adapters: Set = [
    "StarlingSQLite", "StarlingZeroMQ", "StarlingNATS", "GRDB", "CZeroMQ", "CNATS", "CSodium",
  ]
  private static let moduleNames: Set = [
    "StarlingGuard", "StarlingCore", "StarlingWire", "StarlingSession", "StarlingEngine", "StarlingGraph",
    "StarlingModel", "StarlingBinding", "StarlingTerminal", "StarlingView", "StarlingThread",
  ]

  private static let forbiddenImports: [String: (modules: Set<String>, reason: String)] = [
    "StarlingGuard": (moduleNames.subtracting(["StarlingGuard"]), "it is the one lock and nothing else"),
    "StarlingCore": (moduleNames.subtracting(["StarlingCore"]), "what a change means depends on nothing above it"),
    "StarlingWire": (
      moduleNames.subtracting(["StarlingWire", "StarlingCore"]), "bytes are written from what the core decides alone"
    ),
    "StarlingSession": (
      moduleNames.subtracting(["StarlingSession", "StarlingWire", "StarlingCore"]),
      "it decides what to say and performs nothing"
    ),
    "StarlingEngine": (
      adapters.union(["Observation", "StarlingModel", "StarlingView"]), "it reaches disk and network through its ports"
    ),
    "StarlingSQLite": (
      ["CZeroMQ", "StarlingZeroMQ", "CNATS", "StarlingNATS", "StarlingModel", "StarlingGraph"],
      "it is a log and nothing else"
    ),
    "StarlingThread": (
      moduleNames.subtracting(["StarlingThread", "StarlingGuard"]).union(adapters),
      "it gives links their turns, whatever they carry"
    ),
    "StarlingZeroMQ": (
      moduleNames.subtracting(["StarlingEngine", "StarlingGuard", "StarlingThread"]).union(adapters).subtracting([
        "StarlingZeroMQ", "CZeroMQ",
      ]),
      "it carries frames it cannot read"
    ),
    "StarlingNATS": (
      moduleNames.subtracting(["StarlingEngine", "StarlingCore", "StarlingGuard", "StarlingThread"]).union(adapters)
        .subtracting(["StarlingNATS", "CNATS", "CSodium"]),
      "it carries frames and keeps records that it cannot read"
    ),
    "StarlingGraph": (moduleNames.subtracting(["StarlingGraph", "StarlingGuard"]), "it only knows who read what"),
    "StarlingMacros": (moduleNames.union(["Starling"]), "an expansion is text, not a call into us"),
    "StarlingModel": (
      adapters.union(["StarlingWire", "StarlingSession"]), "models present what the engine holds, not how it travels"
    ),
    "StarlingBinding": (
      adapters.union(["StarlingEngine", "StarlingSession", "StarlingWire", "StarlingCore", "StarlingView"]),
      "a binding leads to a property, not to how that is stored"
    ),
    "StarlingTerminal": (
      moduleNames.subtracting(["StarlingTerminal", "StarlingGuard", "StarlingThread"]).union(adapters)
        .union(["Foundation", "FoundationEssentials", "Dispatch", "Observation"]),
      "it knows cells and keys, not what they show"
    ),
    "StarlingView": (
      adapters.union(["StarlingEngine", "StarlingSession", "StarlingWire", "StarlingCore"]), "views show models"
    ),
    "StarlingSimulator": (adapters, "its disk and its network are simulated"),
    "StarlingReplica": (
      ["CZeroMQ", "CNATS", "Observation", "StarlingGraph", "StarlingModel", "SwiftSyntax"],
      "a replica that only keeps and relays is built without models and their macro"
    ),
    "StarlingConsole": (
      adapters.union(["Starling", "Observation", "StarlingGraph", "StarlingModel", "StarlingView", "SwiftSyntax"]),
      "it shows documents without models, and knows no disk or network but its own server"
    ),
    "starlingd": (
      moduleNames.union(adapters).union(["Starling", "Observation"]),
      "it runs a replica without models, and adds no rules"
    ),
    "Starling": (
      [
        "CZeroMQ", "CNATS", "StarlingNATS", "CThread", "CFutex", "SwiftSyntax", "SwiftSyntaxMacros", "StarlingBinding",
        "StarlingView",
      ],
      "it composes modules, not their tools, and has none of SwiftUI's names"
    ),
  ]

  static let targetsUseTheHouseSettings = Rule("every Swift target is built with the house settings") { house in
    house.plan.targets.compactMap { target in
      guard target.kind != .systemLibrary, target.kind != .plugin, !target.hasHouseSettings,
        house.holdsSwift(target)
      else { return nil }
      return Finding(
        path: "Package.swift", line: target.line, what: "\(target.name) is built without the house settings",
        remedy: "Add swiftSettings: house")
    }
  }

  static let foldersAreTargets = Rule("every Swift file belongs to a target that is built") { house in
    house.swiftFiles.compactMap { file in
      guard file.target == nil, file.path.hasPrefix("Sources/") || file.path.hasPrefix("Tests/") else { return nil }
      return Finding(
        path: file.path, line: 1, what: "No target of Package.swift holds this file",
        remedy: "Declare its folder as a target, or delete it")
    }
  }

  /// The modules that a change passes through (Documentation/HowItWorks.md). What one hands on of others may lie
  /// beside its folders.
  static let foldersShowThePlan = Rule("a file of a module with folders stands in one of them") { house in
    let moduleNames = ["StarlingCore", "StarlingSession", "StarlingEngine", "StarlingModel"].map { "Sources/\($0)/" }
    return house.swiftFiles.compactMap { file in
      guard let moduleName = moduleNames.first(where: file.path.hasPrefix) else { return nil }
      let rest = file.path.dropFirst(moduleName.count)
      guard !rest.contains("/"), rest != "Exports.swift" else { return nil }
      return Finding(
        path: file.path, line: 1, what: "The file stands in no folder of its module",
        remedy: "Move it to the folder of the part that it belongs to")
    }
  }
}

extension House {
  fileprivate func holdsSwift(_ target: ModulePlan.Target) -> Bool {
    swiftFiles.contains { $0.target?.name == target.name }
  }
}

@Suite struct `The rules of the module plan` {
  /// Two layers; `low` and `high` are the source of a file on each.
  private func house(low: String = "", high: String = "", lowDependencies: String = "[]") -> House {
    House([
      "Package.swift": """
      let house: [SwiftSetting] = []
      let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
      let package = Package(name: "Fixture", products: [.library(name: "High", targets: ["High"])], targets: [
        .target(name: "Low", dependencies: \(lowDependencies), swiftSettings: house),
        .target(
          name: "High", dependencies: ["Low", log, .product(name: "GRDB", package: "GRDB.swift")],
          swiftSettings: house),
      ])
      """,
      "Sources/Low/Low.swift": low,
      "Sources/High/High.swift": high,
    ])
  }

  @Test func `read dependencies as names, constants and products`() throws {
    let plan = house().plan
    #expect(plan.targets.map(\.name) == ["Low", "High"])
    #expect(try #require(plan.target(named: "High")).dependencies.map(\.name) == ["Low", "Logging", "GRDB"])
    #expect(try #require(plan.target(named: "High")).line == 5)
  }

  @Test func `refuse a dependency that stands lower in the file`() {
    #expect(Rule.modulesAreInOrder.check(house()).isEmpty)
    let findings = Rule.modulesAreInOrder.check(house(lowDependencies: "[\"High\"]"))
    #expect(findings.map(\.description).first?.contains("Low depends on High, which stands below it") == true)
  }

  @Test func `refuse a dependency that is nowhere`() {
    #expect(Rule.modulesAreInOrder.check(house(lowDependencies: "[\"Cellar\"]")).count == 1)
  }

  @Test func `refuse an import that points up`() {
    let findings = Rule.importsAreDeclared.check(house(low: "// why\npublic import High\n"))
    #expect(findings.map(\.line) == [2])
    #expect(findings.first?.what == "Low imports High, which is built upon it")
  }

  @Test func `refuse an import of a program, which has the name of its module there`() {
    let house = House([
      "Package.swift": """
      let package = Package(targets: [
        .executableTarget(name: "run-it", path: "Sources/RunIt"), .target(name: "Running"),
        .testTarget(name: "RunTests", dependencies: ["run-it", "Running"]),
      ])
      """,
      "Tests/RunTests/RunTests.swift": "import Running\n@testable import run_it",
    ])
    #expect(Rule.programsAreNotImported.check(house).map(\.line) == [2])
  }

  @Test(arguments: [
    "import GRDB", "@testable import Logging", "import struct Logging.Logger", "package import Nowhere",
  ])
  func `refuse an import that is not declared`(_ code: String) {
    #expect(Rule.importsAreDeclared.check(house(low: code)).count == 1)
  }

  @Test func `accept what is declared, what comes with Swift, and words in comments and strings`() {
    let code = """
      import Foundation
      @preconcurrency public import Low
      internal import Logging
      /* import Nowhere */ let text = "import Nowhere"
      """
    #expect(Rule.importsAreDeclared.check(house(high: code)).isEmpty)
  }

  @Test func `refuse a forbidden import, in the sources and in the plan`() {
    let house = House([
      "Package.swift": """
      let package = Package(targets: [
        .target(name: "CZeroMQ"),
        .target(name: "StarlingEngine", dependencies: ["CZeroMQ"]),
      ])
      """,
      "Sources/StarlingEngine/Engine.swift": "import Observation",
    ])
    #expect(
      Rule.forbiddenImportsStayOut.check(house).map(\.path).sorted() == [
        "Package.swift", "Sources/StarlingEngine/Engine.swift",
      ])
  }

  @Test func `refuse a Swift target without the house settings, and only a Swift target`() {
    let house = House([
      "Package.swift": """
      let package = Package(targets: [.target(name: "CThing"), .testTarget(name: "ThingTests")])
      """,
      "Sources/CThing/include/thing.h": "", "Tests/ThingTests/Thing.swift": "",
    ])
    #expect(
      Rule.targetsUseTheHouseSettings.check(house).map(\.what) == ["ThingTests is built without the house settings"])
  }

  @Test func `refuse a file that no target builds`() {
    let house = House(["Package.swift": "", "Sources/Attic/Old.swift": "", "Benchmarks/Package.swift": ""])
    #expect(Rule.foldersAreTargets.check(house).map(\.path) == ["Sources/Attic/Old.swift"])
  }

  @Test func `refuse a file beside the folders of its module`() {
    let house = House([
      "Package.swift": "let package = Package(targets: [.target(name: \"StarlingCore\")])",
      "Sources/StarlingCore/Loose.swift": "", "Sources/StarlingCore/Changes/Change.swift": "",
      "Sources/StarlingCore/Exports.swift": "", "Sources/StarlingGraph/Cell.swift": "",
    ])
    #expect(Rule.foldersShowThePlan.check(house).map(\.path) == ["Sources/StarlingCore/Loose.swift"])
  }
}
