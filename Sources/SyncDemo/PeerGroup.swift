import Foundation

/// The processes of one run, a daemon where one was asked for, and the place that they share.
struct PeerGroup: Sendable {
  let place: Place
  let daemon: Process?
  let peers: [PeerProcess]
  private let stage: Stage

  /// Makes the place and starts the daemon; the peers are started one by one.
  ///
  /// - Parameter isWatched: Whether the peers say what they see.
  init(names: [String], seed: UInt64, withDaemon: Bool, isWatched: Bool, stage: Stage) async throws {
    let place = try Place()
    self.place = place
    self.stage = stage
    do {
      daemon = withDaemon ? try await place.startDaemon(stage: stage) : nil
    } catch {
      place.remove()
      throw error
    }
    peers = names.enumerated().map { index, name in
      PeerProcess(
        name: name, program: Place.thisProgram, isWatched: isWatched,
        arguments: place.peerArguments(name: name, seed: seed &+ UInt64(index) &* 0x9E37_79B9)
      ) { [stage] name, report in
        await stage.tell(report, by: name)
      }
    }
  }

  func peer(_ name: String) -> PeerProcess? { peers.first { $0.name == name } }

  func start(_ peer: PeerProcess) async throws {
    try await peer.start()
    await stage.setState(.online, of: peer.name, processIdentifier: await peer.processIdentifier)
  }

  func kill(_ peer: PeerProcess) async {
    await peer.kill()
    await stage.setState(.killed, of: peer.name)
  }

  func setOnline(_ isOnline: Bool, _ peer: PeerProcess) async throws {
    try await peer.perform(isOnline ? .goOnline : .goOffline)
    await stage.setState(isOnline ? .online : .cutOff, of: peer.name)
  }

  /// Brings back whoever is cut off or killed.
  func bringBack() async throws {
    for peer in peers {
      if await !peer.isRunning { try await start(peer) }
      try await setOnline(true, peer)
    }
  }

  /// Asks everybody until all digests are equal.
  ///
  /// - Returns: Whether they were within two minutes.
  func untilEqual() async throws -> Bool {
    let deadline = ContinuousClock.now + Self.convergenceLimit
    while true {
      var standings: [Standing] = []
      for peer in peers { standings.append(try await peer.report()) }
      let isEqual = standings.allSatisfy { $0.digest == standings[0].digest && $0.version == standings[0].version }
      if isEqual { return true }
      if ContinuousClock.now > deadline { return false }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  private static let convergenceLimit = Duration.seconds(120)

  /// Lets everybody report, close and exit.
  func finish() async throws -> [(name: String, last: Standing, past: [Standing])] {
    var standings: [(name: String, last: Standing, past: [Standing])] = []
    for peer in peers {
      let last = try await peer.finish()
      await stage.setState(.done, of: peer.name)
      standings.append((peer.name, last, await peer.pastStandings))
    }
    return standings
  }

  /// Ends what still runs and removes the files.
  func close() async {
    for peer in peers where await peer.isRunning { await peer.kill() }
    // It saves before it goes, so its files must stay until it is gone.
    daemon?.terminate()
    daemon?.waitUntilExit()
    place.remove()
  }
}
