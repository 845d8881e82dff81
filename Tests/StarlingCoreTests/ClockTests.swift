import StarlingCore
import Testing

@Suite struct `A hybrid clock` {
  @Test func `follows the wall clock`() {
    var clock = HybridClock()
    #expect(clock.next(now: 10) == Stamp(milliseconds: 10))
    #expect(clock.next(now: 20) == Stamp(milliseconds: 20))
  }

  @Test func `goes on when the wall clock does not, or turns back`() {
    var clock = HybridClock()
    let first = clock.next(now: 10)
    let second = clock.next(now: 10)
    let third = clock.next(now: 3)
    #expect(second == first.successor)
    #expect(third == second.successor)
  }

  @Test func `comes after what it has seen, up to the bound`() {
    var clock = HybridClock(boundMilliseconds: 100)
    clock.observe(Stamp(milliseconds: 90))
    #expect(clock.next(now: 10) == Stamp(milliseconds: 90).successor)
    clock.observe(Stamp(milliseconds: 5_000))
    #expect(clock.next(now: 10) == Stamp(milliseconds: 110))
    #expect(clock.next(now: 10) == Stamp(milliseconds: 110).successor)
    #expect(clock.next(now: 4_950) == Stamp(milliseconds: 5_000).successor)
    #expect(clock.seen == Stamp(milliseconds: 5_000).successor)
  }

  @Test func `knows what lies too far ahead`() {
    let clock = HybridClock(boundMilliseconds: 100)
    #expect(!clock.isFarFuture(Stamp(milliseconds: 110), now: 10))
    #expect(clock.isFarFuture(Stamp(milliseconds: 111), now: 10))
    #expect(!clock.isFarFuture(Stamp(rawValue: .max), now: .max))
  }

  @Test func `stays at the greatest stamp once it is there`() {
    var clock = HybridClock()
    #expect(clock.next(now: .max) == Stamp(milliseconds: .max))
    clock.observe(Stamp(rawValue: .max))
    #expect(clock.next(now: .max) == Stamp(rawValue: .max))
    #expect(clock.next(now: 0) == Stamp(rawValue: .max))
  }
}
