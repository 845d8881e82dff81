import ArgumentParser
import Foundation
import StarlingView

/// One run of the demonstration, from the first process to the verdict.
struct DemoRun {
  private let names: [String]
  private let edits: Int
  private let seed: UInt64
  private let withDaemon: Bool

  init(_ options: RunOptions) {
    names = Array(Conductor.cast.prefix(options.peers))
    edits = options.edits
    seed = options.seed ?? UInt64.random(in: 1...999_999)
    withDaemon = options.withDaemon
  }

  // MARK: Told

  /// Plays the acts, and prints them line by line and the verdict, or the verdict alone as JSON.
  func told(asJSON isJSON: Bool) async throws {
    let stage = Stage(manner: isJSON ? .silent : .lines)
    let start = ContinuousClock.now
    let verdict = try await reportingErrors {
      let group = try await makeGroup(stage, isWatched: false)
      do {
        let conductor = Conductor(group: group, edits: edits, stage: stage)
        try await conductor.startAll()
        let isEqual = try await conductor.playActs()
        let verdict = makeVerdict(isEqual, try await group.finish(), since: start)
        await group.close()
        return verdict
      } catch {
        await group.close()
        throw error
      }
    }
    print(isJSON ? try verdict.json() : verdict.story)
    if !verdict.isGood { throw ExitCode.failure }
  }

  // MARK: Watched

  /// Plays the acts in a picture, and then what the person at the keys asks for, until they quit; prints the verdict.
  ///
  /// - Parameter readingTime: How long a caption stands before it goes on; nil: until a key goes on.
  @MainActor func watched(readingTime: Duration?) async throws {
    let start = ContinuousClock.now
    // A process that somebody kills is written to before one knows.
    signal(SIGPIPE, SIG_IGN)
    let (commands, sender) = AsyncStream.makeStream(of: HandCommand.self)
    let screen = Screen(Picture(names: names, hasDaemon: withDaemon), size: Terminal.size()) { sender.yield($0) }
    let pace = Pace(screen: screen, readingTime: readingTime)
    let stage = Stage(manner: .picture(screen)) { try await pace.wait() }
    let host = TerminalHost(mouse: true) { PictureView(screen: screen) }
    let verdict = try await reportingErrors {
      let group = try await makeGroup(stage, isWatched: true)
      do {
        let play = try await watch(group, screen, stage, pace, host, commands)
        print("Bringing everybody back and waiting until all are equal …")
        let (isEqual, standings) = try await play.finish()
        await group.close()
        return makeVerdict(isEqual, standings, since: start)
      } catch {
        await group.close()
        throw error
      }
    }
    print(verdict.story)
    if !verdict.isGood { throw ExitCode.failure }
  }

  /// Shows the picture until the person quits or the processes do not start.
  @MainActor private func watch(
    _ group: PeerGroup, _ screen: Screen, _ stage: Stage, _ pace: Pace, _ host: TerminalHost,
    _ commands: AsyncStream<HandCommand>
  ) async throws -> Play {
    let conductor = Conductor(group: group, edits: edits, stage: stage)
    let play = Play(group: group, conductor: conductor, screen: screen, stage: stage, pace: pace, seed: seed)
    let starting = Task {
      do {
        try await conductor.startAll()
      } catch {
        host.stop()
        throw error
      }
      await play.beginActs()
    }
    let taking = Task {
      for await command in commands {
        if command == .quit { host.stop() } else { await play.take(command) }
      }
    }
    let ticking = Task {
      while !Task.isCancelled {
        screen.advance(to: screen.age, size: Terminal.size())
        try? await Task.sleep(for: Self.tick)
      }
    }
    do {
      try await host.run()
    } catch {
      starting.cancel()
      taking.cancel()
      ticking.cancel()
      throw error
    }
    taking.cancel()
    ticking.cancel()
    try await starting.value
    return play
  }

  private static let tick = Duration.milliseconds(100)

  // MARK: Both

  private func makeGroup(_ stage: Stage, isWatched: Bool) async throws -> PeerGroup {
    try await PeerGroup(names: names, seed: seed, withDaemon: withDaemon, isWatched: isWatched, stage: stage)
  }

  private func makeVerdict(
    _ isEqual: Bool, _ standings: [(name: String, last: Standing, past: [Standing])],
    since start: ContinuousClock.Instant
  ) -> Verdict {
    Verdict(
      standings: standings, converged: isEqual, seconds: (ContinuousClock.now - start) / .seconds(1), seed: seed,
      editsEach: edits)
  }

  private func reportingErrors(_ body: () async throws -> Verdict) async throws -> Verdict {
    do {
      return try await body()
    } catch {
      FileHandle.standardError.write(Data("sync-demo: \(error)\n".utf8))
      throw ExitCode.failure
    }
  }
}
