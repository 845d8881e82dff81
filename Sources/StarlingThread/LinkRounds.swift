/// What one link has its thread do. All of it runs on that thread.
package protocol LinkLoop: AnyObject {
  /// Does what is to be done now, and waits for nothing.
  func turn()

  /// A descriptor that is watched for it is ready: the next turn deals with it.
  func noteReady(_ token: UInt64)

  /// How long the thread may sleep before the next turn if nothing happens; nil for a turn at once, without a look at the
  /// descriptors. Asked when all have had their turns.
  func rest() -> Duration?

  /// The thread ends.
  func finish()
}

/// The links of one thread, each with its turn: sockets within a site, and a cluster between sites, say.
///
/// ```
///   one round:  turn of each link ─► how long may we rest? ─► sleep until a descriptor is ready,
///                  ▲                                          a wakeup comes or that time has passed
///                  └──────────────── noteReady ───────────────┘
/// ```
package final class LinkRounds: Sendable {
  package let thread: LinkThread
  private let state: ThreadBound<State>

  private final class State {
    var loops: [any LinkLoop] = []
    var watched: WatchedDescriptors

    init(watched: WatchedDescriptors) {
      self.watched = watched
    }
  }

  private init() {
    let thread = LinkThread()
    self.thread = thread
    state = ThreadBound(State(watched: thread.makeWatch()), to: thread)
  }

  /// Starts a thread, which goes round until `thread.end`. Where the system has none left, `thread.isRunning` is false.
  package static func start() -> LinkRounds {
    let rounds = LinkRounds()
    rounds.thread.launch(turn: { rounds.goRound() }, finish: { rounds.finish() })
    return rounds
  }

  /// Gives a link its turns, after those of the links that were added before. Any thread.
  package func add(_ loop: ThreadBound<some LinkLoop>) {
    guard thread.isRunning else { return }
    thread.run { self.state { state in loop { state.loops.append($0) } } }
  }

  // MARK: On the thread

  package func remove(_ loop: any LinkLoop) { state { $0.loops.removeAll { $0 === loop } } }

  /// Has `loop` told when the descriptor is readable, under a name of its own.
  package func watch(_ descriptor: Int32, of loop: any LinkLoop, as token: UInt64) {
    state { $0.watched.add(descriptor, of: loop, as: token) }
  }

  /// Whether it is told as well when the descriptor takes bytes.
  package func setWrites(_ writes: Bool, of loop: any LinkLoop, as token: UInt64) {
    state { $0.watched.setWrites(writes, of: loop, as: token) }
  }

  /// Called before the descriptor is closed.
  package func unwatch(_ token: UInt64, of loop: any LinkLoop) { state { $0.watched.remove(token, of: loop) } }

  private func goRound() {
    state { state in
      for loop in state.loops { loop.turn() }
      guard !thread.hasWork else { return }
      var limit = Duration.seconds(3600)
      for loop in state.loops {
        guard let longest = loop.rest() else { return }
        limit = min(limit, longest)
      }
      state.watched.sleep(timeout: limit)
    }
  }

  private func finish() {
    state { state in
      for loop in state.loops { loop.finish() }
      state.loops = []
    }
  }
}
