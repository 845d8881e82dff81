import Foundation
import StarlingCore
import Testing

@Suite struct `Merging` {
  /// Another one in each run, so that all orders of names have their turn.
  private static let seed =
    ProcessInfo.processInfo.environment["STARLING_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0..<1_000_000)

  @Test(arguments: Family.all)
  func `leads to one state in every causal order and by state at every cut`(_ family: Family) {
    var enumeration = WorldEnumeration(family, seed: Self.seed)
    enumeration.run()
    let names = enumeration.replicas.map { String($0.rawValue) }.joined(separator: ", ")
    print(
      "\(family.name): \(enumeration.worldCount) worlds, \(enumeration.orderingCount) orderings, "
        + "\(enumeration.stateMergeCount) state merges; STARLING_SEED=\(Self.seed): writers \(names)")
    #expect(enumeration.worldCount > 100)
    #expect(
      enumeration.failures.isEmpty,
      """
      \(enumeration.failures.count) failures with STARLING_SEED=\(Self.seed), the first: \
      \(enumeration.failures.first ?? "")
      """)
  }

  @Test func `is tried with every order of the writers' names`() {
    let orders = (0..<100 as Range<UInt64>).map { seed in
      let replicas = WorldEnumeration(.registers, seed: seed).replicas
      return replicas.map { replica in replicas.filter { $0 < replica }.count }
    }
    #expect(Set(orders).count == 6)
  }
}
