// swift-tools-version: 6.2
// Its own package, so that nobody who uses Starling builds it. StarlingBenchmarks takes only products that do not reach
// the macro: swift-syntax in release is ten times the rest. StarlingModelBenchmarks measures what applications call, as
// one more package that uses Starling, and is built only when one of its cases is asked for.
import Foundation
import PackageDescription

// The benchmarks measure modules, some of which are `package`: they are compiled as part of the house, whose package
// name is that of the folder it was cloned into.
let checkout = URL(filePath: Context.packageDirectory).deletingLastPathComponent().lastPathComponent
let packageName = String(checkout.lowercased().map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })

let house: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .unsafeFlags(["-package-name", packageName]),
]

func capacity(_ name: String) -> Target.Dependency { .product(name: name, package: "Starling") }

let package = Package(
  name: "StarlingBenchmarks",
  platforms: [.macOS("26.0")],
  // Handed on to Starling, so that the check builds the house once (Scripts/check).
  traits: [.trait(name: "NATS")],
  dependencies: [
    .package(name: "Starling", path: "..", traits: [.trait(name: "NATS", condition: .when(traits: ["NATS"]))]),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    .systemLibrary(name: "CRawZeroMQ"),
    .systemLibrary(name: "CRedis", providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]),
    .systemLibrary(name: "CRawNATS", providers: [.apt(["libnats-dev"]), .brew(["cnats"])]),
    .systemLibrary(name: "CRawSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CAllocator"),
    .target(name: "Measuring", packageAccess: false, swiftSettings: house),
    .target(
      name: "Counting", dependencies: ["Measuring", capacity("StarlingCore"), capacity("StarlingEngine")],
      packageAccess: false,
      swiftSettings: house),
    .executableTarget(
      name: "StarlingModelBenchmarks",
      dependencies: [
        "Counting", "Measuring", capacity("Starling"), capacity("StarlingEngine"), capacity("StarlingGraph"),
        capacity("StarlingZeroMQ"),
        "CRawZeroMQ", "CRedis", "CRawSQLite", .product(name: "Logging", package: "swift-log"),
        .target(name: "CRawNATS", condition: .when(traits: ["NATS"])),
        .product(name: "StarlingNATS", package: "Starling", condition: .when(traits: ["NATS"])),
      ],
      packageAccess: false, swiftSettings: house),
    .executableTarget(
      name: "StarlingBenchmarks",
      dependencies: [
        "Counting", "Measuring",
        capacity("StarlingCore"), capacity("StarlingWire"), capacity("StarlingGraph"), capacity("StarlingEngine"),
        capacity("StarlingZeroMQ"), capacity("StarlingReplica"), capacity("StarlingSQLite"), "CAllocator",
        .product(name: "Logging", package: "swift-log"),
      ],
      packageAccess: false,
      swiftSettings: house),
  ]
)
