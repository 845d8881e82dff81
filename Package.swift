// swift-tools-version: 6.2
// The plan: targets stand bottom to top, and each depends only on those above it in this file.
// Tests/HouseTests reads this file and holds the sources to it.
import CompilerPluginSupport
import PackageDescription

let house: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let database: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let sqlite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let services: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let metrics: Target.Dependency = .product(name: "Metrics", package: "swift-metrics")
let tracing: Target.Dependency = .product(name: "Tracing", package: "swift-distributed-tracing")
let http: Target.Dependency = .product(name: "FlyingFox", package: "FlyingFox")
let sockets: Target.Dependency = .product(name: "FlyingSocks", package: "FlyingFox")
let signals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let configuration: Target.Dependency = .product(name: "Configuration", package: "swift-configuration")
let nats: Target.Dependency = .target(name: "CNATS", condition: .when(traits: ["NATS"]))
let sodium: Target.Dependency = .target(name: "CSodium", condition: .when(traits: ["NATS"]))

// Homebrew keeps headers where no compiler looks by itself; its packages say where. On Linux they are in place, and
// what libzmq's says of its own needs is refused with a warning at every build.
#if os(macOS)
  let homebrew: String? = "libzmq"
#else
  let homebrew: String? = nil
#endif

let package = Package(
  name: "Starling",
  // On Apple's other systems: models, engine and store; there is no libzmq there (Documentation/ApplePlatforms.md).
  platforms: [.macOS("26.0"), .iOS("26.0"), .tvOS("26.0"), .watchOS("26.0"), .visionOS("26.0")],
  products: [
    .library(name: "Starling", targets: ["Starling"]),
    .library(name: "StarlingView", targets: ["StarlingView"]),
    // Bindings and what writes carry, for programs without views; StarlingView brings them.
    .library(name: "StarlingBinding", targets: ["StarlingBinding"]),
    // Models over an engine that the program sets up itself, for systems without libzmq.
    .library(name: "StarlingModel", targets: ["StarlingModel"]),
    // A replica without models, for programs that relay and keep.
    .library(name: "StarlingReplica", targets: ["StarlingReplica"]),
    .library(name: "StarlingEngine", targets: ["StarlingEngine"]),
    .library(name: "StarlingSimulator", targets: ["StarlingSimulator"]),
    // The modules below the macro, for programs that do without it and for Benchmarks/.
    .library(name: "StarlingCore", targets: ["StarlingCore"]),
    .library(name: "StarlingWire", targets: ["StarlingWire"]),
    .library(name: "StarlingGraph", targets: ["StarlingGraph"]),
    .library(name: "StarlingZeroMQ", targets: ["StarlingZeroMQ"]),
    .library(name: "StarlingSQLite", targets: ["StarlingSQLite"]),
    // Empty without the trait.
    .library(name: "StarlingNATS", targets: ["StarlingNATS"]),
    .executable(name: "starlingd", targets: ["starlingd"]),
    .executable(name: "starling", targets: ["StarlingCommand"]),
    .executable(name: "sync-demo", targets: ["sync-demo"]),
  ],
  traits: [
    .trait(name: "NATS", description: "StarlingNATS, a link and a log over NATS. Needs libnats and its headers.")
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
  ],
  targets: [
    // Foundations
    .systemLibrary(
      name: "CZeroMQ", pkgConfig: homebrew, providers: [.apt(["libzmq3-dev"]), .brew(["zeromq"])]),
    .systemLibrary(name: "CNATS", providers: [.apt(["libnats-dev"]), .brew(["cnats"])]),
    .systemLibrary(name: "CSodium", providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
    .target(name: "CThread"),
    .target(name: "CFutex"),
    .target(name: "StarlingGuard", dependencies: ["CFutex"], swiftSettings: house),

    // Deciding modules: values only
    .target(name: "StarlingCore", swiftSettings: house),
    .target(name: "StarlingWire", dependencies: ["StarlingCore"], swiftSettings: house),
    .target(name: "StarlingSession", dependencies: ["StarlingCore", "StarlingWire"], swiftSettings: house),

    // Performing modules
    .target(
      name: "StarlingEngine",
      dependencies: ["StarlingCore", "StarlingWire", "StarlingSession", "StarlingGuard"],
      swiftSettings: house),
    .target(
      name: "StarlingSQLite", dependencies: ["StarlingEngine", "StarlingCore", database, sqlite],
      swiftSettings: house),
    .target(name: "StarlingThread", dependencies: ["StarlingGuard", "CThread"], swiftSettings: house),
    .target(
      name: "StarlingZeroMQ", dependencies: ["StarlingEngine", "StarlingGuard", "StarlingThread", "CZeroMQ"],
      swiftSettings: house),
    .target(
      name: "StarlingNATS",
      dependencies: ["StarlingEngine", "StarlingCore", "StarlingGuard", "StarlingThread", nats, sodium],
      swiftSettings: house),
    .target(
      name: "StarlingSimulator",
      dependencies: ["StarlingCore", "StarlingWire", "StarlingSession", "StarlingGuard", "StarlingEngine"],
      swiftSettings: house),

    // What is counted, as text
    .target(name: "StarlingExposition", swiftSettings: house),

    // A replica without models, and the daemon, which needs no more
    .target(
      name: "StarlingReplica",
      dependencies: [
        "StarlingGuard", "StarlingCore", "StarlingWire", "StarlingSession", "StarlingEngine", "StarlingSQLite",
        "StarlingZeroMQ", "StarlingNATS", "StarlingExposition", services, log, metrics, tracing,
      ], swiftSettings: house),
    .target(
      name: "StarlingConsole",
      dependencies: [
        "StarlingGuard", "StarlingCore", "StarlingSession", "StarlingEngine", "StarlingReplica", services, http,
        sockets,
      ],
      swiftSettings: house),
    .executableTarget(
      name: "starlingd",
      dependencies: ["StarlingReplica", "StarlingConsole", arguments, configuration, log, services, signals, http],
      swiftSettings: house),

    // Presenting modules
    .target(name: "StarlingGraph", dependencies: ["StarlingGuard", "CThread"], swiftSettings: house),
    .macro(
      name: "StarlingMacros",
      dependencies: [
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
      ], swiftSettings: house),
    .target(
      name: "StarlingModel",
      dependencies: ["StarlingCore", "StarlingEngine", "StarlingGuard", "StarlingGraph", "StarlingMacros", "CThread"],
      swiftSettings: house),
    .target(
      name: "StarlingBinding", dependencies: ["StarlingGuard", "StarlingGraph", "StarlingModel"],
      swiftSettings: house),
    .target(name: "StarlingTerminal", dependencies: ["StarlingGuard", "StarlingThread"], swiftSettings: house),
    .target(
      name: "StarlingView",
      dependencies: ["StarlingGuard", "StarlingGraph", "StarlingModel", "StarlingBinding", "StarlingTerminal"],
      swiftSettings: house),

    // Products
    .target(
      name: "Starling",
      dependencies: [
        "StarlingGuard", "StarlingCore", "StarlingEngine", "StarlingGraph", "StarlingModel", "StarlingReplica",
        services, log, metrics,
      ], swiftSettings: house),
    // The module's name must differ from Starling's by more than case.
    .executableTarget(
      name: "StarlingCommand",
      dependencies: ["Starling", "StarlingReplica", "StarlingSQLite", "StarlingTerminal", arguments, log, signals],
      swiftSettings: house),
    .target(
      name: "SyncDemo", dependencies: ["Starling", "StarlingView", "StarlingTerminal", arguments, log],
      swiftSettings: house),
    .executableTarget(name: "sync-demo", dependencies: ["SyncDemo", arguments], swiftSettings: house),

    // Tests, one folder a module; what several of them need
    .target(
      name: "StarlingTestSupport", dependencies: ["CFutex"], path: "Tests/TestSupport", swiftSettings: house),
    .target(
      name: "StarlingWorlds", dependencies: ["StarlingCore", "StarlingTestSupport"], path: "Tests/Worlds",
      swiftSettings: house),
    .executableTarget(
      name: "worlds", dependencies: ["StarlingWorlds"], path: "Tests/WorldRunner", swiftSettings: house),
    // The disk below the real log, for tests.
    .target(
      name: "StarlingSimulatedDisk", dependencies: ["StarlingSQLite", "StarlingGuard", database, sqlite],
      path: "Tests/SimulatedDisk", swiftSettings: house),
    .target(
      name: "StarlingDrawnDisks",
      dependencies: [
        "StarlingSQLite", "StarlingEngine", "StarlingCore", "StarlingTestSupport", "StarlingSimulatedDisk",
      ],
      path: "Tests/DrawnDisks", swiftSettings: house),
    .executableTarget(
      name: "disks", dependencies: ["StarlingDrawnDisks"], path: "Tests/DiskRunner", swiftSettings: house),
    // Simulated groups whose logs are the real one, on such disks.
    .target(
      name: "StarlingSimulatedStores",
      dependencies: [
        "StarlingGuard", "StarlingCore", "StarlingEngine", "StarlingSQLite", "StarlingSimulator",
        "StarlingSimulatedDisk",
      ],
      path: "Tests/SimulatedStores", swiftSettings: house),
    .target(
      name: "StarlingSoak",
      dependencies: ["StarlingSimulator", "StarlingGuard", "StarlingTerminal", "StarlingSimulatedStores"],
      path: "Tests/Soak", swiftSettings: house),
    .executableTarget(
      name: "soak", dependencies: ["StarlingSoak", "StarlingSimulator"], path: "Tests/SimulationRunner",
      swiftSettings: house),
    .executableTarget(
      name: "crash-writer", dependencies: ["Starling"], path: "Tests/CrashWriter", swiftSettings: house),
    .executableTarget(
      name: "shard-programs", dependencies: ["Starling", "StarlingEngine", "StarlingGuard"],
      path: "Tests/ShardPrograms",
      swiftSettings: house),
    .target(
      name: "StarlingLogTestSupport", dependencies: ["StarlingEngine", "StarlingCore", "StarlingTestSupport"],
      path: "Tests/LogTestSupport", swiftSettings: house),
    .target(
      name: "StarlingModelTestSupport",
      dependencies: [
        "StarlingModel", "StarlingEngine", "StarlingWire", "StarlingCore", "StarlingGuard", "StarlingTestSupport",
      ],
      path: "Tests/ModelTestSupport", swiftSettings: house),
    .testTarget(name: "StarlingGuardTests", dependencies: ["StarlingGuard"], swiftSettings: house),
    .testTarget(
      name: "StarlingCoreTests", dependencies: ["StarlingCore", "StarlingWorlds", "StarlingTestSupport"],
      swiftSettings: house),
    .testTarget(
      name: "StarlingWireTests", dependencies: ["StarlingWire", "StarlingCore", "StarlingTestSupport"],
      swiftSettings: house),
    .testTarget(
      name: "StarlingSessionTests", dependencies: ["StarlingSession", "StarlingWire", "StarlingCore"],
      swiftSettings: house),
    .testTarget(
      name: "StarlingEngineTests",
      dependencies: [
        "StarlingEngine", "StarlingSession", "StarlingWire", "StarlingCore", "StarlingGuard", "StarlingTestSupport",
      ],
      swiftSettings: house),
    .testTarget(
      name: "StarlingSQLiteTests",
      dependencies: [
        "StarlingSQLite", "StarlingEngine", "StarlingCore", "StarlingGuard", database, "StarlingTestSupport",
        "StarlingLogTestSupport", "StarlingSimulatedDisk", "StarlingDrawnDisks",
      ],
      swiftSettings: house),
    .testTarget(
      name: "StarlingZeroMQTests",
      dependencies: ["StarlingZeroMQ", "StarlingEngine", "StarlingThread", "StarlingGuard", "StarlingTestSupport"],
      swiftSettings: house),
    .testTarget(
      name: "StarlingNATSTests",
      dependencies: [
        "StarlingNATS", "StarlingReplica", "StarlingEngine", "StarlingCore", "StarlingThread", "StarlingGuard",
        "StarlingTestSupport", "StarlingLogTestSupport", "StarlingSQLite", "StarlingZeroMQ", "starlingd",
        "StarlingCommand",
      ],
      swiftSettings: house),
    .testTarget(
      name: "SimulationTests",
      dependencies: [
        "StarlingSimulator", "StarlingEngine", "StarlingSession", "StarlingCore", "StarlingSoak",
        "StarlingSimulatedStores",
      ],
      swiftSettings: house),
    .testTarget(
      name: "StarlingGraphTests", dependencies: ["StarlingGraph", "StarlingGuard", "StarlingTestSupport"],
      swiftSettings: house),
    .testTarget(
      name: "StarlingModelTests",
      dependencies: [
        "StarlingModel", "StarlingBinding", "StarlingEngine", "StarlingGraph", "StarlingCore", "StarlingGuard",
        "StarlingTestSupport", "StarlingModelTestSupport",
      ],
      swiftSettings: house),
    .testTarget(
      name: "StarlingTerminalTests", dependencies: ["StarlingTerminal", "StarlingTestSupport"], swiftSettings: house),
    .testTarget(
      name: "StarlingViewTests",
      dependencies: [
        "StarlingView", "StarlingTerminal", "StarlingBinding", "StarlingModel", "StarlingEngine", "StarlingGraph",
        "StarlingCore", "StarlingGuard", "StarlingTestSupport", "StarlingModelTestSupport",
      ], swiftSettings: house),
    .testTarget(name: "StarlingExpositionTests", dependencies: ["StarlingExposition"], swiftSettings: house),
    .testTarget(
      name: "StarlingReplicaTests", dependencies: ["StarlingReplica", "StarlingGuard"], swiftSettings: house),
    .testTarget(
      name: "StarlingConsoleTests",
      dependencies: [
        "StarlingConsole", "StarlingReplica", "StarlingEngine", "StarlingSession", "StarlingCore", log,
      ],
      swiftSettings: house),
    .testTarget(
      name: "StarlingTests",
      dependencies: [
        "Starling", "StarlingReplica", "StarlingGuard", "StarlingCore", "StarlingEngine", "StarlingZeroMQ",
        "StarlingExposition", "StarlingTestSupport", "StarlingModelTestSupport", log, metrics, tracing,
        .product(name: "MetricsTestKit", package: "swift-metrics"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
      ], swiftSettings: house),
    // Starling in a program of SwiftUI, whose names the stand-in has.
    .target(name: "SwiftUIStandIn", path: "Tests/SwiftUIStandIn", swiftSettings: house),
    .testTarget(
      name: "GuestTests",
      dependencies: ["Starling", "StarlingModel", "StarlingEngine", "StarlingCore", "SwiftUIStandIn"],
      swiftSettings: house),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "Starling", "StarlingZeroMQ", "StarlingEngine", "StarlingWire", "StarlingCore", "starlingd", "StarlingCommand",
        "sync-demo", "StarlingTestSupport",
      ],
      swiftSettings: house),
    // Its decoders are those of Fuzzing/, which a fuzzer feeds.
    .testTarget(
      name: "FuzzTests",
      dependencies: [
        "StarlingGuard", "StarlingCore", "StarlingWire", "StarlingSession", "StarlingEngine", "StarlingSQLite",
        "StarlingZeroMQ", "StarlingNATS", "StarlingReplica", "StarlingWorlds", database,
      ],
      swiftSettings: house),
    .testTarget(
      name: "SyncDemoTests", dependencies: ["SyncDemo", "StarlingView", "StarlingTerminal"],
      exclude: ["recorded.jsonl"], swiftSettings: house),
    .testTarget(name: "HouseTests", dependencies: [], swiftSettings: house),
    .testTarget(
      name: "StarlingMacrosTests",
      dependencies: [
        "StarlingMacros",
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
      ], swiftSettings: house),
  ]
)
