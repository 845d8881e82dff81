import StarlingGuard
import Testing

@Suite struct `A guard` {
  /// A count that is read and written in two steps, so that a lost exclusion loses counts.
  private final class Count: @unchecked Sendable {
    // Sendable: `value` is guarded by `lock`, which is what is tried here.
    let lock = Guard()
    var value = 0
    var effort = 0
  }

  @Test func `lets one thread in at a time`() async {
    let count = Count()
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<5_000 { count.lock.withLock { count.value += 1 } }
        }
      }
    }
    #expect(count.value == 40_000)
  }

  /// Held for longer than anybody waits awake, so that nearly every turn is somebody's sleep; one that nobody ends
  /// hangs the test.
  @Test func `wakes the thread that sleeps at it`() async {
    let count = Count()
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<2_000 {
            count.lock.lock()
            let before = count.value
            for _ in 0..<4_000 { count.effort &+= before }
            count.value = before + 1
            count.lock.unlock()
          }
        }
      }
    }
    #expect(count.value == 8_000)
  }

  @Test func `is reached through a raw pointer as it is in place`() async {
    struct Place: @unchecked Sendable {
      // Sendable: the lock guards the value.
      let lock = UnsafeMutablePointer<Guard>.allocate(capacity: 1)
      let value = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    }
    let place = Place()
    place.lock.initialize(to: Guard())
    place.value.initialize(to: 0)
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<5_000 {
            place.lock.pointee.lock()
            place.value.pointee += 1
            place.lock.pointee.unlock()
          }
        }
      }
    }
    #expect(place.value.pointee == 20_000)
    place.lock.deinitialize(count: 1)
    place.lock.deallocate()
    place.value.deallocate()
  }

  @Test func `is open again after a body that throws`() {
    struct Refusal: Error {}
    let lock = Guard()
    #expect(throws: Refusal.self) { try lock.withLock { throw Refusal() } }
    #expect(lock.withLock { 7 } == 7)
  }

  @Test func `takes a word`() {
    #expect(MemoryLayout<Guard>.size == 4)
  }
}

@Suite struct `A guarded state` {
  private final class Ledger: Sendable {
    let totals = Guarded([String: Int]())
  }

  @Test func `is changed by one thread at a time`() async {
    let ledger = Ledger()
    await withTaskGroup { group in
      for writer in 0..<8 {
        group.addTask {
          for _ in 0..<2_000 { ledger.totals.withLock { $0["\(writer % 2)", default: 0] += 1 } }
        }
      }
    }
    #expect(ledger.totals.withLock { $0 } == ["0": 8_000, "1": 8_000])
  }

  @Test func `holds what cannot be copied`() {
    struct Ticket: ~Copyable {
      var uses = 0
    }
    let ticket = Guarded(Ticket())
    ticket.withLock { $0.uses += 1 }
    #expect(ticket.withLock { $0.uses } == 1)
  }

  @Test func `hands on what the body throws`() {
    struct Refusal: Error {}
    let state = Guarded(1)
    #expect(throws: Refusal.self) {
      try state.withLock { (state: inout sending Int) throws(Refusal) in
        state = 2
        throw Refusal()
      }
    }
    #expect(state.withLock { $0 } == 2)
  }
}
