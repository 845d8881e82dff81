import StarlingCore
import Testing

@Suite struct `Merging` {
  @Test(arguments: Family.all)
  func `leads to one state in every causal order and by state at every cut`(_ family: Family) {
    var enumeration = WorldEnumeration(family)
    enumeration.run()
    print(
      "\(family.name): \(enumeration.worldCount) worlds, \(enumeration.orderingCount) orderings, "
        + "\(enumeration.stateMergeCount) state merges")
    #expect(enumeration.worldCount > 100)
    #expect(
      enumeration.failures.isEmpty,
      "\(enumeration.failures.count) failures, the first: \(enumeration.failures.first ?? "")")
  }
}
