import StarlingCore
import Testing

@testable import StarlingSession

@Suite struct `The compaction of a log` {
  static func version(_ counter: UInt64) -> VersionVector {
    VersionVector([VersionVector.Entry(replica: ReplicaID(rawValue: 1), counter: counter)])
  }

  func snapshot(_ counter: UInt64, byteCount: Int) -> StoredSnapshot {
    StoredSnapshot(version: Self.version(counter), bytes: [UInt8](repeating: 0, count: byteCount))
  }

  // MARK: Compactions

  @Test func `is due once the records outweigh the bound and twice the snapshot`() {
    let policy = Compaction.Policy(compactionByteCountMin: 100)
    var compaction = Compaction()
    compaction.accepted(byteCount: 100)
    #expect(!compaction.isDue(policy))
    compaction.accepted(byteCount: 1)
    #expect(compaction.isDue(policy) && !compaction.isDue(Compaction.Policy()))
    compaction.compacted(into: snapshot(1, byteCount: 80), states: 0)
    #expect(compaction.logStart == Self.version(1) && compaction.recordByteCount == 0)
    compaction.accepted(byteCount: 160)
    #expect(!compaction.isDue(policy))
    compaction.accepted(byteCount: 1)
    #expect(compaction.isDue(policy))
  }

  @Test func `is due in any case for a state that is in no record`() {
    var compaction = Compaction()
    compaction.merged(adopting: nil)
    #expect(compaction.mustCompact && compaction.isDue(Compaction.Policy()))
    compaction.compacted(into: snapshot(1, byteCount: 1), states: 0)
    #expect(compaction.mustCompact, "it was merged after the state was taken")
    compaction.compacted(into: snapshot(1, byteCount: 1), states: 1)
    #expect(!compaction.mustCompact)
  }

  @Test func `counts what stands behind a checkpoint, which was not read`() {
    let compaction = Compaction(logStart: Self.version(3), stateByteCount: 10, tailByteCount: 5, historyByteCount: 70)
    #expect(
      compaction.recordByteCount == 75 && compaction.snapshotByteCount == 10 && compaction.logStart == Self.version(3))
  }

  // MARK: States of the past

  @Test func `takes a state of the past that stands above the snapshot and below what is merged`() {
    var compaction = Compaction(logStart: Self.version(2))
    #expect(compaction.beginAging() == true)
    #expect(compaction.beginAging() == false, "one is being made")
    compaction.aged(snapshot(4, byteCount: 1))
    #expect(compaction.takeAged(version: Self.version(3)) == nil, "it holds what was taken back")
    #expect(!compaction.isAged)
    compaction.aged(snapshot(2, byteCount: 1))
    #expect(compaction.takeAged(version: Self.version(9)) == nil, "another compaction came in between")
    compaction.aged(snapshot(4, byteCount: 7))
    #expect(compaction.takeAged(version: Self.version(9)) == snapshot(4, byteCount: 7))
    compaction.putBack(aged: snapshot(4, byteCount: 7))
    #expect(compaction.isAged)
    compaction.compacted(intoAged: snapshot(4, byteCount: 7))
    #expect(compaction.logStart == Self.version(4) && compaction.snapshotByteCount == 7)
    compaction.merged(adopting: nil)
    #expect(compaction.beginAging() == false, "another state goes first")
  }

  // MARK: Checkpoints

  let policy = Compaction.Policy(checkpointByteCountMin: 100)

  private func step(
    _ compaction: inout Compaction, durable: UInt64 = 9, isHeld: Bool = false, isLast: Bool = false, isCut: Bool = true,
    _ policy: Compaction.Policy? = nil
  ) -> String? {
    let step = compaction.checkpointStep(
      policy ?? self.policy, durable: Self.version(durable), isHeld: isHeld, isLast: isLast
    ) { isCut ? Document().cut() : nil }
    switch step {
    case nil: return nil
    case .write: return "write"
    case .store(let state, let byteCount): return "store \(state.bytes.count) for \(byteCount)"
    }
  }

  @Test func `has a checkpoint written down and stored once the records outweigh the last`() {
    var compaction = Compaction()
    compaction.accepted(byteCount: 100)
    #expect(step(&compaction) == nil)
    compaction.accepted(byteCount: 1)
    #expect(step(&compaction, isCut: false) == nil)
    #expect(step(&compaction, isHeld: true) == nil)
    #expect(step(&compaction, Compaction.Policy()) == nil)
    #expect(step(&compaction) == "write")
    compaction.accepted(byteCount: 200)
    #expect(step(&compaction) == nil, "one is under way")
    compaction.checkpointWritten(snapshot(5, byteCount: 60))
    #expect(step(&compaction, durable: 4) == nil, "it may hold writes whose records are still to come")
    #expect(step(&compaction, isHeld: true) == nil)
    #expect(step(&compaction) == "store 60 for 101")
    #expect(step(&compaction) == nil)
    compaction.checkpoints.ended(isStored: true)
    #expect(compaction.checkpoints.tailByteCount == 200)
    #expect(step(&compaction) == "write")
  }

  @Test func `tries a checkpoint that was refused again once there is twice as much`() {
    var compaction = Compaction()
    compaction.accepted(byteCount: 150)
    #expect(step(&compaction) == "write")
    compaction.checkpointWritten(snapshot(1, byteCount: 10))
    #expect(step(&compaction) == "store 10 for 150")
    compaction.checkpoints.ended(isStored: false)
    compaction.accepted(byteCount: 150)
    #expect(step(&compaction) == nil)
    compaction.accepted(byteCount: 1)
    #expect(step(&compaction) == "write")
  }

  @Test func `makes nothing of a checkpoint beside which a state was merged`() {
    var compaction = Compaction()
    compaction.accepted(byteCount: 101)
    #expect(step(&compaction) == "write")
    compaction.merged(adopting: nil)
    compaction.checkpointWritten(snapshot(1, byteCount: 1))
    #expect(step(&compaction) == nil)
    compaction.compacted(into: snapshot(2, byteCount: 1), states: 1)
    #expect(step(&compaction) == nil, "the compaction has everything")
  }

  @Test func `makes a checkpoint at once in place of one that cannot be read`() {
    var compaction = Compaction(stateByteCount: 500, tailByteCount: 1, isCheckpointUnreadable: true)
    #expect(step(&compaction) == "write")
  }

  @Test func `writes a last checkpoint where that is quick and spares much`() {
    var compaction = Compaction(tailByteCount: 16 << 10)
    #expect(step(&compaction, isLast: true) == nil, "little is replayed as fast")
    compaction.accepted(byteCount: 1)
    #expect(step(&compaction, isLast: true) == "write")
    var heavy = Compaction(stateByteCount: 16 << 20 + 1, tailByteCount: 16 << 20)
    #expect(step(&heavy, isLast: true) == nil, "nobody is to wait for it")
  }
}
