#if NATS
  import StarlingTestSupport
  import Testing

  @testable import StarlingNATS

  @Suite struct `A window of counters` {
    private static let width = ReplayWindow.width

    /// Whether all are admitted, one after the other.
    private func takes(_ counters: [UInt64], from first: UInt64 = 0) -> [Bool] {
      var window = ReplayWindow(from: first)
      return counters.map { counter in
        guard window.admits(counter) else { return false }
        window.note(counter)
        return true
      }
    }

    @Test func `takes each counter once, in whatever order`() {
      #expect(takes([3, 1, 3, 2, 1, 0, 4, 0, 4]) == [true, true, false, true, false, true, true, false, false])
    }

    @Test func `takes nothing from before its beginning`() {
      #expect(takes([9, 12, 10, 8, 0, 11], from: 10) == [false, true, true, false, false, true])
    }

    @Test func `forgets what lies further behind than it is wide, and takes that no more`() {
      let last = 5 * Self.width + 7
      let counters = [0, last, last - Self.width + 1, last - Self.width, 1, last - 1, last - Self.width + 1]
      #expect(takes(counters) == [true, true, true, false, false, true, false])
      #expect(takes([0, .max - 1, .max - 2, .max - 1]) == [true, true, true, false])
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `agrees with a set of all that came`(_ seed: UInt64) {
      var dice = Dice(seed: seed)
      var (window, came, greatest) = (ReplayWindow(from: 0), Set<UInt64>(), UInt64(0))
      for _ in 0..<5000 {
        let reach = Int.random(in: 0..<20, using: &dice) == 0 ? 2 * Self.width : 20
        let counter = UInt64.random(in: greatest - min(greatest, reach)...greatest + reach, using: &dice)
        let isInWindow = counter > greatest || came.isEmpty || greatest - counter < Self.width
        #expect(window.admits(counter) == (isInWindow && !came.contains(counter)), "seed \(seed), counter \(counter)")
        guard window.admits(counter) else { continue }
        window.note(counter)
        came.insert(counter)
        greatest = max(greatest, counter)
      }
    }
  }
#endif
