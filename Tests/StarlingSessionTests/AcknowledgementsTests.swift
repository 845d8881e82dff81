import StarlingCore
import Testing

@testable import StarlingSession

@Suite struct `What is acknowledged` {
  static func version(_ counter: UInt64) -> VersionVector {
    VersionVector([VersionVector.Entry(replica: ReplicaID(rawValue: 1), counter: counter)])
  }

  private func take(
    _ acknowledgements: inout Acknowledgements, _ durable: UInt64, at milliseconds: Int, isLogFailing: Bool = false,
    held: UInt64? = nil
  ) -> VersionVector? {
    acknowledgements.take(
      durable: Self.version(durable), isLogFailing: isLogFailing, now: .milliseconds(milliseconds),
      interval: .milliseconds(20)
    ) { durable in held.map(Self.version) ?? durable }?.statement.version
  }

  @Test func `are told at most once an interval, and once only`() {
    var acknowledgements = Acknowledgements()
    #expect(take(&acknowledgements, 1, at: 100) == nil, "nothing is new")
    acknowledgements.mark()
    #expect(take(&acknowledgements, 1, at: 100) == Self.version(1))
    #expect(take(&acknowledgements, 1, at: 200) == nil)
    acknowledgements.mark()
    #expect(take(&acknowledgements, 2, at: 200) == Self.version(2))
    acknowledgements.mark()
    #expect(take(&acknowledgements, 3, at: 219) == nil)
    #expect(acknowledgements.areDue(isLogFailing: false, durable: Self.version(3)))
    #expect(take(&acknowledgements, 4, at: 220) == Self.version(4))
    #expect(!acknowledgements.areDue(isLogFailing: false, durable: Self.version(4)))
  }

  @Test func `are told again once no more is held back`() {
    var acknowledgements = Acknowledgements()
    acknowledgements.mark()
    #expect(take(&acknowledgements, 5, at: 100, held: 3) == Self.version(3))
    #expect(take(&acknowledgements, 5, at: 120) == Self.version(5))
    #expect(take(&acknowledgements, 5, at: 140) == nil)
  }

  @Test func `are not told while the log fails, nor of nothing`() {
    var acknowledgements = Acknowledgements()
    acknowledgements.mark()
    #expect(take(&acknowledgements, 5, at: 100, isLogFailing: true) == nil)
    #expect(acknowledgements.tell(durable: Self.version(5), isLogFailing: true) { $0 } == nil)
    #expect(take(&acknowledgements, 0, at: 100) == nil)
    #expect(acknowledgements.tell(durable: VersionVector(), isLogFailing: false) { $0 } == nil)
    #expect(take(&acknowledgements, 5, at: 100) == Self.version(5), "what was not told is outstanding")
    #expect(acknowledgements.tell(durable: Self.version(5), isLogFailing: false) { $0 }?.version == Self.version(5))
  }

  @Test func `say of those behind a relay what those beside it do not say themselves`() {
    var acknowledgements = Acknowledgements()
    acknowledgements.stand(behindSide: Self.version(4), behindAll: Self.version(2))
    let statement = acknowledgements.tell(durable: Self.version(5), isLogFailing: false) { $0 }
    #expect(statement?.behind(isBeside: true) == Self.version(4))
    #expect(statement?.behind(isBeside: false) == Self.version(2))
    #expect(acknowledgements.behind == [Self.version(4), Self.version(2)])
  }
}
