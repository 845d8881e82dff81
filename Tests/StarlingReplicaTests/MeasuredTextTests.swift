import StarlingGuard
import Testing

@testable import StarlingReplica

@Suite struct `The text of what is measured` {
  private final class State: Sendable {
    private let moment = Guarded(Duration.zero)
    private let count = Guarded(0)
    var now: Duration {
      get { moment.withLock { $0 } }
      set { moment.withLock { $0 = newValue } }
    }
    func make() -> Int {
      count.withLock { count in
        count += 1
        return count
      }
    }
  }

  @Test func `is made once a second, however many ask`() async {
    let state = State()
    let measured = MeasuredText(uptime: { state.now }) { "text \(state.make())" }
    let texts = await withTaskGroup(of: String.self) { group in
      for _ in 0..<100 { group.addTask { await measured.text } }
      return await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(texts == ["text 1"])
    state.now = .milliseconds(999)
    #expect(await measured.text == "text 1")
    state.now = .seconds(1)
    #expect(await measured.text == "text 2")
    #expect(state.make() == 3)
  }
}
