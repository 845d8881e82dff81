import Logging
import StarlingCore
import StarlingGuard
import Testing

@testable import Starling
@testable import StarlingReplica

@Suite struct `What an engine reports` {
  private final class Moment: Sendable {
    private let state = Guarded(Duration.zero)
    var now: Duration {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }
  }

  private let moment = Moment()
  private let lines = LoggedLines()

  private func eventLog() -> EventLog {
    EventLog(logger: Logger(label: "test") { [lines] _ in lines }) { [moment] in moment.now }
  }

  @Test func `fills no log, whatever peers say and however often`() {
    let log = eventLog()
    for number in 0..<5000 { log.note(.refused(nil, explanation: "refusal \(number)")) }
    log.note(.left(StoreID(rawValue: 1)))
    #expect(lines.all.count == LineThrottle<EventLog.Line>.lineCountMax + 1)
    moment.now = .seconds(60)
    log.note(.left(StoreID(rawValue: 1)))
    #expect(lines.all.contains("refused: and 4,980 more like it."))
  }

  @Test func `reaches no terminal but as text`() {
    let log = eventLog()
    log.note(.joined(StoreID(rawValue: 1), agent: "\u{1B}[2J\u{202E}evil\n2026 error: all is lost"))
    log.note(.refused(nil, explanation: "\u{9B}31m" + String(repeating: "x", count: 60_000)))
    #expect(lines.all.first?.contains("\\u001b[2J\\u202eevil\\n2026 error: all is lost joined") == true)
    #expect(lines.all.last?.contains("\\u009b31mxxx") == true)
    #expect(lines.all.allSatisfy { $0.utf8.count < 2100 })
  }
}
