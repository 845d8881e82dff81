// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "FeatureFlags",
  platforms: [.macOS("26.0")],
  // Handed on to Starling: with it, StarlingNATS is there to be used. Leave out both lines if it never will be.
  traits: [.trait(name: "NATS")],
  dependencies: [
    .package(name: "Starling", path: "../..", traits: [.trait(name: "NATS", condition: .when(traits: ["NATS"]))]),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    .executableTarget(
      name: "feature-flags",
      dependencies: [
        .product(name: "Starling", package: "Starling"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    .testTarget(
      name: "FeatureFlagsTests",
      dependencies: [
        "feature-flags",
        .product(name: "Starling", package: "Starling"),
        .product(name: "StarlingEngine", package: "Starling"),
        .product(name: "StarlingSimulator", package: "Starling"),
      ]),
  ]
)
