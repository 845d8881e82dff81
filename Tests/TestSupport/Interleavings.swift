#if os(Linux)
  import CFutex
  import Dispatch
  import Foundation

  /// Every order in which a few threads can pass their locks, with at most so many switches from a thread that could have
  /// continued: one after the other, each in a world of its own.
  ///
  /// ```
  ///   thread 1   ─ lock ─ open ─ lock ─│              │─ open ─
  ///   thread 2                         │─ lock ─ open ─│
  ///                        stepped: one runs, the others stand before a lock
  /// ```
  ///
  /// What lies between two locks runs as one step, so a race past all locks is for the thread sanitizer. Faults that
  /// need more switches than two are seldom.
  package struct Interleavings {
    /// What was decided in one order, and how many could have been chosen in place of each.
    private struct Choice {
      var taken: Int
      var count: Int
    }

    /// Why an order ended before all threads did.
    package struct Deadlock: Error, CustomStringConvertible {
      package let description: String
    }

    private let switchCountMax: Int
    /// How many orders were tried.
    package private(set) var count = 0

    package init(switches switchCountMax: Int) {
      self.switchCountMax = switchCountMax
    }

    /// Tries all of them.
    ///
    /// - Parameter world: makes one, and returns what its threads do and what is looked at when they have.
    /// - Throws: what `check` throws, and `Deadlock`.
    package mutating func tryAll(
      _ world: () throws -> (threads: [@Sendable () -> Void], check: () throws -> Void)
    ) throws {
      var choices: [Choice] = []
      while true {
        let (threads, check) = try world()
        let run = SteppedRun(threads)
        var place = 0
        var switches = 0
        while let options = try run.options() {
          // The one that ran goes first; another in its place is a switch.
          let isFree = options[0] != run.current
          let allowed = isFree || switches < switchCountMax ? options.count : 1
          if place == choices.count { choices.append(Choice(taken: 0, count: allowed)) }
          // Worlds may differ a little: what the process makes once takes locks in the first one alone.
          choices[place].count = allowed
          choices[place].taken = min(choices[place].taken, allowed - 1)
          let taken = choices[place].taken
          if !isFree, taken > 0 { switches += 1 }
          place += 1
          run.step(options[taken])
        }
        choices.removeLast(choices.count - place)
        count += 1
        try check()
        while let last = choices.last, last.taken + 1 == last.count { choices.removeLast() }
        guard !choices.isEmpty else { return }
        choices[choices.count - 1].taken += 1
      }
    }
  }

  /// A few threads, one of them running at a time.
  private final class SteppedRun: @unchecked Sendable {
    // Sendable: one of the threads and the one that steps them run at a time, handed over by semaphores.
    private final class Stepped: @unchecked Sendable {
      // Sendable: as the run that it belongs to.
      let mayRun = DispatchSemaphore(value: 0)
      /// The lock or the event that it stands at.
      var word: UnsafeRawPointer?
      var awaits = false
      var hasEnded = false
      unowned let run: SteppedRun

      init(_ run: SteppedRun) { self.run = run }
    }

    private var stepped: [Stepped] = []
    private var holders: Set<UnsafeRawPointer> = []
    private var happened: Set<UnsafeRawPointer> = []
    private let hasStopped = DispatchSemaphore(value: 0)
    private(set) var current: Int?

    init(_ bodies: [@Sendable () -> Void]) {
      for body in bodies {
        let thread = Stepped(self)
        stepped.append(thread)
        Thread.detachNewThread { [self] in
          thread.mayRun.wait()
          starling_step_by(
            { context, word, step in
              Unmanaged<Stepped>.fromOpaque(context).takeUnretainedValue().run.pass(word, step, context)
            }, Unmanaged.passUnretained(thread).toOpaque())
          body()
          starling_step_by(nil, nil)
          thread.hasEnded = true
          hasStopped.signal()
        }
      }
    }

    /// The threads that could run, the one that ran first; nil once all have ended.
    func options() throws -> [Int]? {
      let able = stepped.indices.filter { index in
        let thread = stepped[index]
        guard !thread.hasEnded else { return false }
        guard let word = thread.word else { return true }
        return thread.awaits ? happened.contains(word) : !holders.contains(word)
      }
      guard !able.isEmpty else {
        if stepped.allSatisfy(\.hasEnded) { return nil }
        throw Interleavings.Deadlock(description: "Every thread waits for another.")
      }
      return able.filter { $0 == current } + able.filter { $0 != current }
    }

    /// Lets one run until it stands at a lock, or ends.
    func step(_ index: Int) {
      let thread = stepped[index]
      current = index
      if let word = thread.word, !thread.awaits { holders.insert(word) }
      thread.word = nil
      thread.mayRun.signal()
      hasStopped.wait()
    }

    /// On the thread that runs.
    private func pass(_ word: UnsafeRawPointer, _ step: Int32, _ context: UnsafeMutableRawPointer) {
      switch Int(step) {
      case Int(STARLING_OPENED): holders.remove(word)
      case Int(STARLING_HAPPENED): happened.insert(word)
      default:
        let thread = Unmanaged<Stepped>.fromOpaque(context).takeUnretainedValue()
        thread.word = word
        thread.awaits = Int(step) == Int(STARLING_AWAITS)
        if thread.awaits { happened.remove(word) }
        hasStopped.signal()
        thread.mayRun.wait()
      }
    }
  }
#endif
