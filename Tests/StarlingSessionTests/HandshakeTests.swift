import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

@Suite struct `A handshake` {
  func hello(_ versions: ClosedRange<UInt16>, store: UInt64 = 1, epoch: UInt64 = 1) -> Message.Hello {
    Message.Hello(
      lowestVersion: versions.lowerBound, highestVersion: versions.upperBound, store: StoreID(rawValue: store),
      epoch: epoch, agent: "test \(store)", endpoints: [], isDurable: false, relays: false, wantsReply: false)
  }

  @Test func `settles on the highest version that both know`() {
    for lowest in 1...4 as ClosedRange<UInt16> {
      for highest in lowest...4 {
        let verdict = Handshake.judge(hello(lowest...highest, store: 2), ours: hello(2...3))
        if highest < 2 || lowest > 3 {
          guard case .refuse(let refusal) = verdict else { Issue.record("\(lowest)...\(highest)"); continue }
          #expect(refusal.code == .incompatibleVersion)
        } else {
          #expect(verdict == .welcome(version: min(3, highest)))
        }
      }
    }
  }

  @Test func `refuses in words that name both`() {
    guard case .refuse(let refusal) = Handshake.judge(hello(4...5, store: 2), ours: hello(1...3)) else {
      Issue.record("not refused")
      return
    }
    #expect(refusal.explanation.contains("test 1 speaks protocol versions 1 to 3"))
    #expect(refusal.explanation.contains("test 2 4 to 5"))
  }

  @Test func `refuses a range that is upside down`() {
    var theirs = hello(1...1, store: 2)
    theirs.lowestVersion = 3
    guard case .refuse = Handshake.judge(theirs, ours: hello(1...5)) else {
      Issue.record("not refused")
      return
    }
  }

  @Test func `knows itself by store and epoch together`() {
    #expect(Handshake.judge(hello(1...1), ours: hello(1...1)) == .ourselves)
    #expect(Handshake.judge(hello(1...1, epoch: 2), ours: hello(1...1)) == .welcome(version: 1))
    #expect(Handshake.judge(hello(1...1, store: 2), ours: hello(1...1)) == .welcome(version: 1))
  }
}
