// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Twenty",
  platforms: [.macOS("26.0")],
  // Handed on to Starling: with it, StarlingNATS is there to be used. Leave out both lines if it never will be.
  traits: [.trait(name: "NATS")],
  dependencies: [
    .package(name: "Starling", path: "../..", traits: [.trait(name: "NATS", condition: .when(traits: ["NATS"]))])
  ],
  targets: [
    .executableTarget(name: "twenty", dependencies: [.product(name: "Starling", package: "Starling")])
  ]
)
