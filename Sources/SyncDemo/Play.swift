import Foundation

/// The demonstration as one watches it: the acts first, then what the person at the keys asks for, while the processes
/// go on editing.
actor Play {
  private let group: PeerGroup
  private let conductor: Conductor
  private let screen: Screen
  private let stage: Stage
  private let pace: Pace
  private var acts: Task<Void, Never>?
  private var strokes: Task<Void, Never>?
  private var random: SplitMix64
  /// A command at a time: each finds the processes as the one before left them.
  private var last: Task<Void, Never>?

  init(group: PeerGroup, conductor: Conductor, screen: Screen, stage: Stage, pace: Pace, seed: UInt64) {
    self.group = group
    self.conductor = conductor
    self.screen = screen
    self.stage = stage
    self.pace = pace
    random = SplitMix64(state: seed)
  }

  /// Plays the acts; the keys lead when they are over.
  func beginActs() {
    acts = Task {
      await screen.update { $0.lead = .acts }
      do {
        try await group.bringBack()
        _ = try await conductor.playActs()
        await handOver("The acts are over: now it is yours", Self.hint)
      } catch is CancellationError {
        await handOver("You lead", Self.hint)
      } catch {
        await stage.say("The acts stopped: \(error)")
        await handOver("The acts stopped", "\(error)")
      }
    }
  }

  private static let hint =
    "Cut one off, edit the title on both sides, and heal it: a conflict. Kill one and restart it: nothing is lost."

  private func handOver(_ title: String, _ text: String) async {
    await screen.update {
      $0.lead = .keys
      $0.setCaption(Caption(title: title, text: text))
    }
    beginStrokes()
  }

  /// Ends the acts and the edits, brings everybody back and lets them report.
  func finish() async throws -> (isEqual: Bool, standings: [(name: String, last: Standing, past: [Standing])]) {
    acts?.cancel()
    await acts?.value
    strokes?.cancel()
    await strokes?.value
    await last?.value
    try await group.bringBack()
    let isEqual = try await group.untilEqual()
    return (isEqual, try await group.finish())
  }

  // MARK: Keys

  func take(_ command: HandCommand) {
    let before = last
    switch command {
    case .next: pace.goOn()
    case .toggleActs: toggleActs()
    default:
      last = Task {
        await before?.value
        await perform(command)
      }
    }
  }

  private func toggleActs() {
    guard strokes == nil else {
      strokes?.cancel()
      let ending = strokes
      strokes = nil
      Task {
        await ending?.value
        beginActs()
      }
      return
    }
    acts?.cancel()
  }

  private func perform(_ command: HandCommand) async {
    do {
      switch command {
      case .cut(let name):
        guard let peer = group.peer(name) else { return }
        try await group.setOnline(false, peer)
        await stage.say("\(name) is cut off, and goes on by itself.")
      case .heal(let name):
        guard let peer = group.peer(name) else { return }
        try await group.setOnline(true, peer)
        await stage.say("\(name) is linked again: both sides fetch what they lack.")
      case .kill(let name):
        guard let peer = group.peer(name) else { return }
        await group.kill(peer)
        await stage.say("\(name) is killed with -9.")
      case .restart(let name):
        guard let peer = group.peer(name), await !peer.isRunning else { return }
        try await group.start(peer)
      case .rename(let name, let title):
        try await group.peer(name)?.perform(.rename(title: title))
        await stage.say("\(name) writes the title “\(title)”.")
      case .addCopies(let name): try await group.peer(name)?.perform(.addCopies(1))
      case .settle(let name):
        try await group.peer(name)?.perform(.resolve)
        await stage.say("\(name) settles the conflict by choosing the title it sees.")
      case .toggleBusy: await screen.update { $0.isBusy.toggle() }
      case .next, .toggleActs, .quit: break
      }
    } catch {
      await stage.say("\(error)")
    }
  }

  // MARK: Edits

  private func beginStrokes() {
    guard strokes == nil else { return }
    strokes = Task {
      while !Task.isCancelled {
        await stroke()
        try? await Task.sleep(for: Self.strokeInterval)
      }
    }
  }

  private static let strokeInterval = Duration.milliseconds(700)
  /// Edits of each process between two strokes.
  private static let editCount = (calm: 20, busy: 2000)

  /// One of the processes does something at the front desk, and all edit other books.
  private func stroke() async {
    var running: [PeerProcess] = []
    for peer in group.peers where await peer.isRunning { running.append(peer) }
    guard let chosen = running.randomElement(using: &random) else { return }
    let count = await screen.picture.isBusy ? Self.editCount.busy : Self.editCount.calm
    let shelf = Int.random(in: 1...99, using: &random)
    let command: PeerCommand =
      switch Int.random(in: 0..<3, using: &random) {
      case 0: .shelve(shelf)
      case 1: .borrow
      default: .addCopies(1)
      }
    await withTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try? await chosen.perform(command) }
      for peer in running { tasks.addTask { try? await peer.perform(.edit(count: count)) } }
    }
  }
}

/// Waits for a person's key, or for as long as one reads a caption.
@MainActor final class Pace {
  private let screen: Screen
  /// Nil: only a key goes on.
  private let readingTime: Duration?
  private var waiting: CheckedContinuation<Void, Never>?

  nonisolated init(screen: Screen, readingTime: Duration?) {
    self.screen = screen
    self.readingTime = readingTime
  }

  /// - Throws: `CancellationError` where the acts are left.
  func wait() async throws {
    screen.update { $0.isWaiting = true }
    let timer = readingTime.map { time in
      Task {
        try? await Task.sleep(for: time)
        if !Task.isCancelled { goesOn() }
      }
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled { continuation.resume() } else { waiting = continuation }
      }
    } onCancel: {
      goOn()
    }
    timer?.cancel()
    screen.update { $0.isWaiting = false }
    try Task.checkCancellation()
  }

  nonisolated func goOn() {
    Task { @MainActor in goesOn() }
  }

  private func goesOn() {
    waiting?.resume()
    waiting = nil
  }
}
