import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

@Suite struct `An ask that the link did not take` {
  var follower = Follower()

  private mutating func ask() -> UInt32 { follower.follow(follower.first).wants[0].request }

  @Test mutating func `is repeated soon, and later each time`() {
    var request = ask()
    for milliseconds in [20, 40, 80, 160, 320] {
      follower.session.undelivered(request, to: follower.first, now: follower.now)
      #expect(follower.tick(after: .milliseconds(milliseconds - 1)).isEmpty, "after \(milliseconds) ms")
      let wants = follower.tick(after: .milliseconds(1)).wants
      #expect(wants.count == 1, "after \(milliseconds) ms")
      request = wants.first?.request ?? request
    }
    #expect(!follower.session.isIdle, "which never failed to answer")
    // Taken at last, it is waited for as long as any.
    #expect(follower.tick(after: .milliseconds(999)).isEmpty)
  }

  @Test mutating func `counts as silence once it was repeated in vain for long`() {
    for _ in 1...20 {
      let request = follower.session.nextRequest - 1
      if request == 0 { _ = ask() }
      follower.session.undelivered(follower.session.nextRequest - 1, to: follower.first, now: follower.now)
      _ = follower.tick(after: .seconds(1))
    }
    #expect(follower.session.isIdle)
  }

  @Test mutating func `leaves an ask alone that was sent since`() {
    let request = ask()
    follower.session.undelivered(request &+ 1, to: follower.first, now: follower.now)
    #expect(follower.tick(after: .milliseconds(999)).isEmpty)
  }
}
