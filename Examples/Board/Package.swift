// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Board",
  platforms: [.macOS("26.0")],
  // Handed on to Starling, so that the check builds the house once (Scripts/check).
  traits: [.trait(name: "NATS")],
  dependencies: [
    .package(name: "Starling", path: "../..", traits: [.trait(name: "NATS", condition: .when(traits: ["NATS"]))]),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .executableTarget(
      name: "board",
      dependencies: [
        .product(name: "Starling", package: "Starling"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .testTarget(
      name: "BoardTests",
      dependencies: [
        "board",
        .product(name: "Starling", package: "Starling"),
        .product(name: "StarlingEngine", package: "Starling"),
        .product(name: "StarlingSimulator", package: "Starling"),
      ]),
  ]
)
