import StarlingSession
import Testing

@Suite struct `Equal versions with unequal digests` {
  private let peer = PeerHandle(rawValue: 1)

  @Test(arguments: [true, false]) func `are healed by states first`(isTrusted: Bool) {
    var disagreements = Disagreements()
    func compare(_ isEqual: Bool, _ now: Duration) -> Disagreements.Verdict {
      disagreements.compare(peer, isEqual: isEqual, isTrustedWithState: isTrusted, now: now)
    }
    #expect(compare(true, .seconds(0)) == .goOn)
    #expect(compare(false, .seconds(1)) == (isTrusted ? .takeState : .goOn))
    #expect(compare(false, .seconds(2)) == .goOn, "asked just now")
    #expect(compare(true, .seconds(3)) == .goOn)
    #expect(compare(false, .seconds(100)) == (isTrusted ? .takeState : .goOn), "another time")
    #expect(compare(false, .seconds(103)) == .goOn)
    #expect(compare(false, .seconds(104)) == (isTrusted ? .takeState : .goOn), "what came was of another version")
    #expect(compare(false, .seconds(107)) == .goOn)
    #expect(compare(false, .seconds(115)) == .separate)
    #expect(compare(false, .seconds(116)) == .separate)
    disagreements.forget(peer)
    #expect(compare(false, .seconds(117)) == (isTrusted ? .takeState : .goOn))
  }
}
