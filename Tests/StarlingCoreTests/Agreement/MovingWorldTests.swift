import Foundation
import StarlingWorlds
import Testing

/// Worlds in which objects move between parents (Tests/Worlds/World+Moving.swift).
@Suite struct `Objects that move in drawn worlds` {
  @Test func `stand where the rules say, at one place each, reached from the root`() {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["STARLING_WORLDS"].flatMap { UInt64($0) } ?? 1_500
    let seed = environment["STARLING_SEED"].flatMap { UInt64($0) } ?? 1
    let found = (seed..<seed + count).compactMap { World(movingIn: $0).finding() }
    for finding in found.prefix(2) { print(finding.shrunk()) }
    #expect(found.isEmpty, "\(found.count) of \(count) worlds break a law")
  }
}
