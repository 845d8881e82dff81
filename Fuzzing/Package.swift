// swift-tools-version: 6.2
// Its own package: the modules are compiled once more, with what a fuzzer needs to see where an input leads. Nobody who
// uses or tests Starling builds it; Scripts/fuzz does.
//
//   Modules  -> ../Sources                     as they are
//   Decoders -> ../Tests/FuzzTests/Decoders    what is fuzzed; the tests replay what was found
import Foundation
import PackageDescription

/// The trait of the root's, which cannot be passed on to sources that are taken.
let hasNATS = Context.environment["STARLING_NATS"] == "1"

/// Of the same toolchain: `libclang_rt.fuzzer_no_main`, whose driver the program calls.
let runtime = Context.environment["STARLING_FUZZER_RUNTIME"] ?? "libclang_rt.fuzzer_no_main.a"

let house: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    // Invariants and assertions are checked: a fuzzer finds them broken long before it finds what comes of that.
    .define("DEBUG"),
    .unsafeFlags(["-enable-testing", "-assert-config", "Debug"]),
  ] + (hasNATS ? [.define("NATS")] : [])

let watched: [SwiftSetting] = house + [.unsafeFlags(["-sanitize=fuzzer"])]

/// - Parameter isFast: whether it is optimized. Of the modules above the wire what is fuzzed is short, and to build
///   them takes longer than they save.
func module(_ name: String, _ modules: [Target.Dependency] = [], isFast: Bool = false) -> Target {
  let settings = isFast ? watched : watched + [.unsafeFlags(["-Onone"])]
  return .target(name: name, dependencies: modules, path: "Modules/\(name)", swiftSettings: settings)
}

let package = Package(
  name: "Fuzzing",
  platforms: [.macOS("26.0")],
  dependencies: [
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .systemLibrary(name: "CZeroMQ", path: "Modules/CZeroMQ"),
    .target(name: "CFutex", path: "Modules/CFutex"),
    .target(name: "CThread", path: "Modules/CThread"),
    module("StarlingGuard", ["CFutex"], isFast: true),
    module("StarlingCore", isFast: true),
    module("StarlingWire", ["StarlingCore"], isFast: true),
    module("StarlingSession", ["StarlingCore", "StarlingWire"]),
    module("StarlingEngine", ["StarlingCore", "StarlingWire", "StarlingSession", "StarlingGuard"]),
    module(
      "StarlingSQLite",
      [
        "StarlingEngine", "StarlingCore", .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ]),
    module("StarlingThread", ["StarlingGuard", "CThread"]),
    module("StarlingZeroMQ", ["StarlingEngine", "StarlingGuard", "StarlingThread", "CZeroMQ"]),
    module(
      "StarlingNATS",
      ["StarlingEngine", "StarlingCore", "StarlingGuard", "StarlingThread"] + (hasNATS ? ["CNATS", "CSodium"] : [])),
    module("StarlingExposition", isFast: true),
    module(
      "StarlingReplica",
      [
        "StarlingGuard", "StarlingCore", "StarlingWire", "StarlingSession", "StarlingEngine", "StarlingSQLite",
        "StarlingZeroMQ", "StarlingNATS", "StarlingExposition",
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Logging", package: "swift-log"), .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ]),
    .target(name: "StarlingTestSupport", dependencies: ["CFutex"], path: "TestSupport", swiftSettings: house),
    .target(
      name: "StarlingWorlds", dependencies: ["StarlingCore", "StarlingTestSupport"], path: "Worlds",
      swiftSettings: house),
    .target(
      name: "Decoders",
      dependencies: [
        "StarlingGuard", "StarlingCore", "StarlingWire", "StarlingSession", "StarlingEngine", "StarlingSQLite",
        "StarlingZeroMQ", "StarlingNATS", "StarlingReplica", "StarlingWorlds",
        .product(name: "GRDB", package: "GRDB.swift"),
      ], path: "Decoders", swiftSettings: house + [.unsafeFlags(["-Onone"])]),
    .target(name: "CFuzzer"),
    .executableTarget(
      name: "fuzz", dependencies: ["Decoders", "CFuzzer"], swiftSettings: house,
      linkerSettings: [.unsafeFlags([runtime]), .linkedLibrary("stdc++")]),
  ] + (hasNATS ? ["CNATS", "CSodium"].map { .systemLibrary(name: $0, path: "Modules/\($0)") } : [])
)
