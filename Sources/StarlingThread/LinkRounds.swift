/// What one link has its thread do.
package protocol LinkLoop: AnyObject, Sendable {
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
package actor LinkRounds {
  package nonisolated let thread: LinkThread
  private var loops: [any LinkLoop] = []
  private var watched: WatchedDescriptors

  package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  private init() {
    let thread = LinkThread()
    self.thread = thread
    watched = thread.makeWatch()
  }

  /// Starts a thread, which goes round until `thread.end`. Where the system has none left, `thread.isRunning` is false.
  package static func start() -> LinkRounds {
    let rounds = LinkRounds()
    rounds.thread.launch(
      turn: { rounds.assumeIsolated { $0.goRound() } }, finish: { rounds.assumeIsolated { $0.finish() } })
    return rounds
  }

  /// Gives a link its turns, after those of the links that were added before. Any thread.
  package nonisolated func add(_ loop: any LinkLoop) {
    guard thread.isRunning else { return }
    thread.run { self.assumeIsolated { $0.loops.append(loop) } }
  }

  package func remove(_ loop: any LinkLoop) { loops.removeAll { $0 === loop } }

  // MARK: Descriptors

  /// Has `loop` told when the descriptor is readable, under a name of its own.
  package func watch(_ descriptor: Int32, of loop: any LinkLoop, as token: UInt64) {
    watched.add(descriptor, of: loop, as: token)
  }

  /// Whether it is told as well when the descriptor takes bytes.
  package func setWrites(_ writes: Bool, of loop: any LinkLoop, as token: UInt64) {
    watched.setWrites(writes, of: loop, as: token)
  }

  /// Called before the descriptor is closed.
  package func unwatch(_ token: UInt64, of loop: any LinkLoop) { watched.remove(token, of: loop) }

  // MARK: Rounds

  private func goRound() {
    for loop in loops { loop.turn() }
    guard !thread.hasWork else { return }
    var limit = Duration.seconds(3600)
    for loop in loops {
      guard let longest = loop.rest() else { return }
      limit = min(limit, longest)
    }
    watched.sleep(timeout: limit)
  }

  private func finish() {
    for loop in loops { loop.finish() }
    loops = []
  }
}
