import StarlingCore
import Testing

@Suite struct `Merging` {
  @Test(arguments: Family.all)
  func `leads to one state in every causal order and by state at every cut`(_ family: Family) {
    var enumeration = WorldEnumeration(family, seed: Group.seed)
    enumeration.run()
    let names = enumeration.replicas.map { String($0.rawValue) }.joined(separator: ", ")
    print(
      "\(family.name): \(enumeration.worldCount) worlds, \(enumeration.orderingCount) orderings, "
        + "\(enumeration.stateMergeCount) state merges; STARLING_SEED=\(Group.seed): writers \(names)")
    #expect(enumeration.worldCount > 100)
    #expect(
      enumeration.failures.isEmpty,
      """
      \(enumeration.failures.count) failures with STARLING_SEED=\(Group.seed), the first: \
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
