// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Board",
  platforms: [.macOS("26.0")],
  dependencies: [
    .package(name: "Starling", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .executableTarget(
      name: "board",
      dependencies: [
        .product(name: "Starling", package: "Starling"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ])
  ]
)
