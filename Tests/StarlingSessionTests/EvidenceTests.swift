import StarlingCore
import Testing

@testable import StarlingSession

@Suite struct `Changes that two relays hold` {
  private let ada = ReplicaID(rawValue: 7)

  private func remove(_ key: String) -> Operation {
    Operation(object: .root, key: .name(key), action: .remove(replacing: [], clearing: nil))
  }

  private func change(
    _ first: UInt64, _ operations: [Operation], by replica: ReplicaID? = nil, stamp: UInt64 = 1
  ) -> Change {
    Change(
      replica: replica ?? ada, firstCounter: first, stamp: Stamp(rawValue: stamp), frontier: [], objects: [],
      operations: operations)
  }

  @Test func `show who removed two things under one name`() {
    let ours = [change(1, [remove("a"), remove("b")]), change(3, [remove("c")], by: ReplicaID(rawValue: 8))]
    let theirs = [change(1, [remove("a"), remove("x")]), change(3, [remove("c")], by: ReplicaID(rawValue: 8))]
    #expect(Evidence.equivocations(in: theirs, against: ours) == [Dot(ada, 2)])
    #expect(Evidence.equivocations(in: [change(2, [remove("b")], stamp: 2)], against: ours) == [Dot(ada, 2)])
  }

  @Test func `are compared from the first of each writer that the other told`() {
    let bob = ReplicaID(rawValue: 8)
    let version = VersionVector([
      VersionVector.Entry(replica: ada, counter: 9), VersionVector.Entry(replica: bob, counter: 4),
    ])
    let theirs = [change(6, [remove("a")]), change(7, [remove("b")])]
    let comparison = Evidence.Comparison(of: theirs, in: DocumentID("library")!, at: version)
    #expect(comparison.writers == [ada])
    #expect(comparison.version[ada] == 5 && comparison.version[bob] == 4)
  }

  @Test func `are alike where they were packed otherwise, or are not in both`() {
    let ours = [change(1, [remove("a"), remove("b")])]
    var packed = [change(1, [remove("a")]), change(2, [remove("b")])]
    packed[0].frontier = [Dot(ReplicaID(rawValue: 8), 1)]
    packed[1].message = "why"
    #expect(Evidence.equivocations(in: packed + [change(3, [remove("z")])], against: ours).isEmpty)
  }
}
