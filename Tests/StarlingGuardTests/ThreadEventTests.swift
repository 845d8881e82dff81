import Foundation
import StarlingGuard
import Testing

@Suite struct `An event` {
  @Test func `that has happened is not waited for`() {
    let event = ThreadEvent()
    event.signal()
    #expect(event.wait(timeout: .zero))
  }

  @Test func `that does not happen is waited for as long as was said`() {
    let begin = ContinuousClock.now
    #expect(!ThreadEvent().wait(timeout: .milliseconds(5)))
    #expect(ContinuousClock.now - begin >= .milliseconds(5))
  }

  @Test func `wakes the thread that waits for it`() {
    for _ in 0..<1_000 {
      let event = ThreadEvent()
      Thread.detachNewThread { event.signal() }
      #expect(event.wait(timeout: .seconds(60)))
    }
  }
}
