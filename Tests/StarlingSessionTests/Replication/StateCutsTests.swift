import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

@Suite struct `States that peers are sent` {
  private var cuts = StateCuts()
  private let cut = StateCut(bytes: [1, 2, 3], version: VersionVector(), statesMerged: 0, madeAt: .zero)

  private func choice(
    of begun: UInt64? = nil, wantsState: Bool = false, isNew: Bool = false, statesMerged: Int = 0,
    isLogLost: Bool = false, now: Duration
  ) -> String {
    var compaction = Compaction()
    for _ in 0..<statesMerged { compaction.merged(adopting: nil) }
    let want = Message.Want(
      document: ValueReplica.document, request: 1, version: VersionVector(), wantsState: wantsState,
      begun: begun.map { Message.BegunState(checksum: $0, byteCount: 1) })
    return switch cuts.choice(for: want, isNew: isNew, compaction, isLogLost: isLogLost, now: now) {
    case .kept: "kept"
    case .underWay: "under way"
    case .new: "new"
    }
  }

  @Test mutating func `are shared while one is written down, and for some seconds`() {
    #expect(choice(now: .zero) == "new")
    let number = cuts.begin(statesMerged: 0)
    #expect(choice(now: .zero) == "under way")
    cuts.made(cut, as: number, now: .seconds(1))
    #expect(choice(now: .seconds(4)) == "kept")
    #expect(choice(now: .seconds(6)) == "new", "it is older than what others get")
    #expect(choice(of: cut.checksum, now: .seconds(6)) == "kept", "whoever has begun with it goes on")
  }

  @Test mutating func `are not those that the log does not go on from`() {
    cuts.made(cut, as: cuts.begin(statesMerged: 0), now: .zero)
    #expect(choice(statesMerged: 1, now: .zero) == "new", "a state was merged since")
    #expect(choice(isLogLost: true, now: .zero) == "new")
    #expect(choice(isNew: true, now: .zero) == "new")
    #expect(choice(wantsState: true, now: .zero) == "new", "the asker lacks what this one lacks too")
  }

  @Test mutating func `are kept as long as parts of them are sent`() {
    cuts.made(cut, as: cuts.begin(statesMerged: 0), now: .zero)
    cuts.noteUse(of: cut.checksum, now: .seconds(20))
    cuts.review(now: .seconds(50))
    #expect(!cuts.isEmpty)
    cuts.noteUse(of: cut.checksum &+ 1, now: .seconds(50))
    cuts.review(now: .seconds(51))
    #expect(cuts.isEmpty)
  }

  @Test mutating func `are waited for as the latest of two that are written down`() {
    let first = cuts.begin(statesMerged: 0)
    _ = cuts.begin(statesMerged: 0)
    cuts.made(cut, as: first, now: .zero)
    #expect(choice(now: .seconds(6)) == "under way")
    cuts.drop()
    #expect(cuts.isEmpty)
  }
}
