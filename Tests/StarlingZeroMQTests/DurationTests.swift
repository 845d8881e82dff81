import StarlingTestSupport
import StarlingThread
import Testing

@Suite struct `How long a thread may sleep` {
  @Test func `is rounded up to milliseconds`() {
    let expected: [(Duration, Int32)] = [
      (.seconds(-1), 0), (.zero, 0), (Duration(secondsComponent: 0, attosecondsComponent: 1), 1),
      (.nanoseconds(999_999), 1), (.milliseconds(1), 1), (.nanoseconds(1_000_001), 2), (.seconds(1), 1000),
      (.seconds(86_399) + .nanoseconds(999_000_001), 86_400_000), (.seconds(86_400), 86_400_000),
      (.seconds(1_000_000), 86_400_000),
    ]
    for (duration, milliseconds) in expected { #expect(duration.roundedUpMilliseconds == milliseconds, "\(duration)") }
  }

  @Test func `is what the components say`() {
    var random = Dice(seed: 7)
    for _ in 0..<10_000 {
      let duration = Duration(
        secondsComponent: .random(in: 0..<86_400, using: &random),
        attosecondsComponent: .random(in: 0..<1_000_000_000_000_000_000, using: &random))
      let (seconds, attoseconds) = duration.components
      let milliseconds = seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
      #expect(Int64(duration.roundedUpMilliseconds) == milliseconds, "\(duration), seed 7")
    }
  }
}
