import StarlingSession
import Testing

@Suite struct `The retry of a log` {
  @Test func `comes after pauses that double up to the longest`() {
    var retry = LogRetry(pauses: .milliseconds(100) ... .seconds(1))
    var now = Duration.seconds(10)
    var pauses: [LogRetry.Verdict] = []
    for _ in 0..<6 {
      let verdict = retry.failed(mayPass: true, now: now)
      pauses.append(verdict)
      guard case .again(let pause) = verdict else { return }
      #expect(!retry.isDue(now + pause - .milliseconds(1)))
      now += pause
      #expect(retry.isDue(now))
    }
    #expect(pauses == [100, 200, 400, 800, 1000, 1000].map { .again(after: .milliseconds($0)) })
  }

  @Test func `tells how long the log refused, and begins again`() {
    var retry = LogRetry(pauses: .milliseconds(100) ... .seconds(1))
    #expect(retry.worked(now: .seconds(1)) == nil)
    _ = retry.failed(mayPass: true, now: .seconds(2))
    _ = retry.failed(mayPass: true, now: .seconds(3))
    #expect(retry.worked(now: .seconds(5)) == .seconds(3))
    #expect(retry.isDue(.seconds(5)))
    #expect(retry.failed(mayPass: true, now: .seconds(6)) == .again(after: .milliseconds(100)))
  }

  @Test func `ends with a failure that cannot pass`() {
    var retry = LogRetry(pauses: .milliseconds(100) ... .seconds(1))
    _ = retry.failed(mayPass: true, now: .zero)
    #expect(retry.failed(mayPass: false, now: .seconds(1)) == .stopped)
    #expect(retry.isStopped && !retry.isDue(.seconds(1000)))
    #expect(retry.failed(mayPass: true, now: .seconds(2)) == .stopped)
    #expect(retry.worked(now: .seconds(3)) == nil)
    retry.hasten()
    #expect(!retry.isDue(.seconds(1000)))
  }

  @Test func `comes at once where there is no later`() {
    var retry = LogRetry(pauses: .seconds(100) ... .seconds(100))
    _ = retry.failed(mayPass: true, now: .seconds(1))
    #expect(!retry.isDue(.seconds(1)))
    retry.hasten()
    #expect(retry.isDue(.seconds(1)))
  }
}
