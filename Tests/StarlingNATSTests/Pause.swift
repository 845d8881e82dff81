#if NATS
  import StarlingNATS
  import StarlingTestSupport

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
