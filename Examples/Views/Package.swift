// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Views",
  platforms: [.macOS("26.0")],
  // Handed on to Starling: with it, StarlingNATS is there to be used. Leave out both lines if it never will be.
  traits: [.trait(name: "NATS")],
  dependencies: [
    .package(name: "Starling", path: "../..", traits: [.trait(name: "NATS", condition: .when(traits: ["NATS"]))])
  ],
  targets: [
    .executableTarget(
      name: "book-reader", dependencies: [.product(name: "StarlingView", package: "Starling")]),
    .executableTarget(
      name: "shared-form",
      dependencies: [
        .product(name: "Starling", package: "Starling"), .product(name: "StarlingView", package: "Starling"),
      ]),
    .executableTarget(
      name: "shared-board",
      dependencies: [
        .product(name: "Starling", package: "Starling"), .product(name: "StarlingView", package: "Starling"),
      ]),
  ]
)
