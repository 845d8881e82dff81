import Foundation

/// Starts the processes and leads them through the acts.
struct Conductor: Sendable {
  let names: [String]
  let edits: Int
  let seed: UInt64
  let withDaemon: Bool
  let stage: Stage

  private static let convergenceLimit = Duration.seconds(120)

  /// The names of up to twenty-six peers.
  static let cast = [
    "Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal", "Ida", "Jan", "Kim", "Leo", "Mia", "Ned", "Oda", "Pia",
    "Quin", "Rod", "Sue", "Tom", "Uma", "Vic", "Wes", "Xia", "Yan", "Zoe",
  ]

  func run() async throws -> Verdict {
    let clock = ContinuousClock()
    let start = clock.now
    let place = try Place()
    defer { place.remove() }
    let daemon = withDaemon ? try await place.startDaemon(stage: stage) : nil
    defer {
      // It saves before it goes, so its files must stay until it is gone.
      daemon?.terminate()
      daemon?.waitUntilExit()
    }
    let peers = names.enumerated().map { index, name in
      PeerProcess(
        name: name, program: Place.thisProgram,
        arguments: place.peerArguments(name: name, seed: seed &+ UInt64(index) &* 0x9E37_79B9)
      ) { [stage] name, report in
        await Self.tell(report, by: name, on: stage)
      }
    }
    await stage.say("\(names.count) processes open the library '\(place.group)'. Edits to come: \(edits) by each.")
    for peer in peers {
      try await peer.start()
      await stage.setState("online", of: peer.name)
      await stage.say("  \(peer.name) is process \(await peer.processIdentifier), with its own file on disk.")
    }
    try await allOnline(peers)
    try await oneCutOff(peers)
    let converged = try await oneKilled(peers)
    return try await verdict(peers, converged: converged, seconds: (clock.now - start) / .seconds(1))
  }

  // MARK: Acts

  private func allOnline(_ peers: [PeerProcess]) async throws {
    await stage.begin("Act 1. All online.")
    await stage.say("  \(peers[0].name) renames the front desk's book; only the readers of its title are told.")
    try await peers[0].perform(.rename(title: "Dune"))
    try await peers[1].perform(.addCopies(2))
    try await peers[0].perform(.post(notice: "The desk is open.", readingList: ["Dune", "Emma", "Ulysses"]))
    _ = try await untilEqual(peers)
    await stage.say("  Now everybody edits at once: titles, shelves, copies, over a thousand keys.")
    try await editing(peers, count: edits / 3)
    let isEqual = try await untilEqual(peers)
    await stage.say(isEqual ? "  All equal." : "  Not equal within two minutes.")
  }

  private func oneCutOff(_ peers: [PeerProcess]) async throws {
    let cut = peers[peers.count - 1]
    await stage.begin("Act 2. \(cut.name) is cut off while everybody edits.")
    try await cut.perform(.goOffline)
    await stage.setState("cut off", of: cut.name)
    await stage.say("  \(peers[0].name) and \(cut.name) rename the same book, and neither can know.")
    try await peers[0].perform(.rename(title: "Dune Messiah"))
    try await cut.perform(.rename(title: "Children of Dune"))
    await stage.say("  Both add copies: a counter adds up in any order.")
    try await peers[0].perform(.addCopies(3))
    try await cut.perform(.addCopies(4))
    await stage.say("  Both change “The desk is open.” and the list Dune, Emma, Ulysses.")
    try await peers[0].perform(.insert(text: "front ", before: "desk"))
    try await peers[0].perform(.readFirst("Ulysses"))
    try await cut.perform(.insert(text: " until nine", before: "."))
    try await cut.perform(.readFirst("Ulysses"))
    try await cut.perform(.readLast("Middlemarch"))
    try await editing(peers, count: edits / 3)

    await stage.begin("Act 3. Healed.")
    try await cut.perform(.goOnline)
    await stage.setState("online", of: cut.name)
    let isEqual = try await untilEqual(peers)
    await stage.say(isEqual ? "  All equal again; both titles are still readable." : "  Not equal within two minutes.")
    try await peers[0].perform(.recite)
    await stage.say("  \(peers[1].name) settles it by choosing the title it sees.")
    try await peers[1].perform(.resolve)
    _ = try await untilEqual(peers)
  }

  private func oneKilled(_ peers: [PeerProcess]) async throws -> Bool {
    let victim = peers[min(1, peers.count - 1)]
    await stage.begin("Act 4. \(victim.name) is killed with -9 in the middle of its edits.")
    let rest = edits - 2 * (edits / 3)
    let before = await victim.standing.acknowledgedEdits
    try await withThrowingTaskGroup(of: Void.self) { group in
      for peer in peers where peer.name != victim.name {
        group.addTask { try await peer.perform(.edit(count: rest)) }
      }
      try await victim.send(.edit(count: rest))
      // Half of them acknowledged, the other half under way.
      while await victim.standing.acknowledgedEdits < before + rest / 2 { try await Task.sleep(for: .milliseconds(2)) }
      await victim.kill()
      await stage.setState("killed", of: victim.name)
      let acknowledged = await victim.pastStandings.last?.acknowledgedEdits ?? 0
      await stage.say("  \(victim.name) is gone. It had \(acknowledged) edits acknowledged; not one may be missing.")
      try await victim.start()
      await stage.setState("online", of: victim.name)
      try await victim.perform(.edit(count: max(0, edits - acknowledged)))
      try await group.waitForAll()
    }
    let isEqual = try await untilEqual(peers)
    await stage.say(isEqual ? "  All equal." : "  Not equal within two minutes.")
    return isEqual
  }

  private func editing(_ peers: [PeerProcess], count: Int) async throws {
    guard count > 0 else { return }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for peer in peers { group.addTask { try await peer.perform(.edit(count: count)) } }
      try await group.waitForAll()
    }
  }

  /// Asks everybody until all digests are equal.
  private func untilEqual(_ peers: [PeerProcess]) async throws -> Bool {
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

  private func verdict(_ peers: [PeerProcess], converged: Bool, seconds: Double) async throws -> Verdict {
    var standings: [(name: String, last: Standing, past: [Standing])] = []
    for peer in peers {
      let last = try await peer.finish()
      await stage.setState("done", of: peer.name)
      standings.append((peer.name, last, await peer.pastStandings))
    }
    return Verdict(standings: standings, converged: converged, seconds: seconds, seed: seed, editsEach: edits)
  }

  // MARK: The story

  private static func tell(_ report: PeerReport, by name: String, on stage: Stage) async {
    switch report {
    case .ready(_, let recovered) where recovered > 0:
      await stage.say("  \(name) is back from its disk with \(recovered) operations.")
    case .standing(let standing): await stage.update(standing, of: name)
    case .woke(let ran, let rested, let title, let copies):
      let sees = ran.contains("title") ? "“\(title)”" : "\(copies) copies"
      await stage.say(
        "    \(name): readers of \(ran.joined(separator: ", ")) ran (\(sees)); "
          + "\(rested.joined(separator: ", ")) rested.")
    case .conflict(let values):
      await stage.say(
        "    \(name) sees a conflict: \(values.dropFirst().map { "“\($0)”" }.joined(separator: ", ")) "
          + "beside “\(values.first ?? "")”, which is shown.")
    case .reads(let notice, let readingList):
      await stage.say("  Everybody reads “\(notice)” and \(readingList.joined(separator: ", ")).")
    case .failed(let message): await stage.say("    \(name) failed: \(message)")
    case .ready, .done: break
    }
  }
}
