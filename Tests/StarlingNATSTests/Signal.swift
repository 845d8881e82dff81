#if NATS
  import StarlingNATS

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #else
    import Darwin
  #endif

  /// Lets one thread stand still until another says go on: for tests in which a thread must not run.
  final class Signal: Sendable {
    /// A pipe: reading it blocks until something was written.
    private let ends: (Int32, Int32)

    init() {
      var ends: [Int32] = [0, 0]
      pipe(&ends)
      self.ends = (ends[0], ends[1])
    }

    deinit {
      close(ends.0)
      close(ends.1)
    }

    func raise() {
      var byte: UInt8 = 1
      write(ends.1, &byte, 1)
    }

    /// Blocks the thread.
    func wait() {
      var byte: UInt8 = 0
      read(ends.0, &byte, 1)
    }
  }

  /// A stretch in which a link's queue does nothing.
  final class Pause: Sendable {
    private actor Sleeper {
      nonisolated let unownedExecutor: UnownedSerialExecutor
      /// Kept, and with it the executor.
      private let link: NATSLink

      init(on link: NATSLink) {
        self.link = link
        unownedExecutor = link.executor.asUnownedSerialExecutor()
      }

      func stand(_ isPaused: Signal, _ goOn: Signal) {
        isPaused.raise()
        goOn.wait()
      }
    }

    private let sleeper: Sleeper
    private let isPaused = Signal()
    private let goOn = Signal()

    init(of link: NATSLink) {
      sleeper = Sleeper(on: link)
    }

    /// Returns once the queue stands still.
    func begin() async {
      Task.detached { [sleeper, isPaused, goOn] in await sleeper.stand(isPaused, goOn) }
      await Task.detached { [isPaused] in isPaused.wait() }.value
    }

    func end() {
      goOn.raise()
    }
  }
#endif
