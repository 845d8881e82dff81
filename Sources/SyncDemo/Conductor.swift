/// Leads the processes through the acts.
struct Conductor: Sendable {
  let group: PeerGroup
  let edits: Int
  let stage: Stage

  private var peers: [PeerProcess] { group.peers }

  /// The names of up to twenty-six peers.
  static let cast = [
    "Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal", "Ida", "Jan", "Kim", "Leo", "Mia", "Ned", "Oda", "Pia",
    "Quin", "Rod", "Sue", "Tom", "Uma", "Vic", "Wes", "Xia", "Yan", "Zoe",
  ]

  func startAll() async throws {
    await stage.say(
      "\(peers.count) processes open the library '\(group.place.group)'. Edits to come: \(edits) by each.")
    for peer in peers {
      try await group.start(peer)
      await stage.say("  \(peer.name) is process \(await peer.processIdentifier), with its own file on disk.")
    }
  }

  /// The four acts.
  ///
  /// - Returns: Whether all were equal at the end.
  func playActs() async throws -> Bool {
    try await allOnline()
    try await oneCutOff()
    return try await oneKilled()
  }

  // MARK: Acts

  private func allOnline() async throws {
    await stage.begin("Act 1. All online.")
    try await stage.pause(
      "Only readers of what changed run",
      "\(peers[0].name) renames a book and \(peers[1].name) adds copies. The numbers at the right count each property's "
        + "readers: those of title and copies run, in every process; the others rest.")
    await stage.say("  \(peers[0].name) renames the front desk's book; only the readers of its title are told.")
    try await peers[0].perform(.rename(title: "Dune"))
    try await peers[1].perform(.addCopies(2))
    try await peers[0].perform(.post(notice: "The desk is open.", readingList: ["Dune", "Emma", "Ulysses"]))
    _ = try await group.untilEqual()
    try await stage.pause(
      "Everybody edits at once",
      "\(edits / 3) edits by each process, over a thousand keys, as fast as they are on disk. Nobody waits for anybody."
    )
    await stage.say("  Now everybody edits at once: titles, shelves, copies, over a thousand keys.")
    try await editing(count: edits / 3)
    await tellWhetherEqual("  All equal.", try await group.untilEqual())
  }

  private func oneCutOff() async throws {
    let cut = peers[peers.count - 1]
    await stage.begin("Act 2. \(cut.name) is cut off while everybody edits.")
    try await stage.pause(
      "\(cut.name) is cut off and goes on",
      "\(peers[0].name) and \(cut.name) rename the same book, add copies, and change the same sentence and list. "
        + "Neither can know of the other.")
    try await group.setOnline(false, cut)
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
    try await editing(count: edits / 3)

    await stage.begin("Act 3. Healed.")
    try await stage.pause(
      "The link heals",
      "Both titles stay readable as a conflict, and every process shows the same one. Copies add up; the sentence and the "
        + "list have what both did.")
    try await group.setOnline(true, cut)
    await tellWhetherEqual("  All equal again; both titles are still readable.", try await group.untilEqual())
    try await peers[0].perform(.recite)
    try await stage.pause(
      "Somebody settles it", "\(peers[1].name) writes the title that it sees: the conflict is gone everywhere.")
    await stage.say("  \(peers[1].name) settles it by choosing the title it sees.")
    try await peers[1].perform(.resolve)
    _ = try await group.untilEqual()
  }

  private func oneKilled() async throws -> Bool {
    let victim = peers[min(1, peers.count - 1)]
    await stage.begin("Act 4. \(victim.name) is killed with -9 in the middle of its edits.")
    try await stage.pause(
      "\(victim.name) is killed while it edits",
      "No farewell and nothing saved in haste. It starts again from its file, and not one acknowledged edit may be "
        + "missing anywhere.")
    let rest = edits - 2 * (edits / 3)
    let before = await victim.standing.acknowledgedEdits
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for peer in peers where peer.name != victim.name {
        tasks.addTask { try await peer.perform(.edit(count: rest)) }
      }
      try await victim.send(.edit(count: rest))
      // Half of them acknowledged, the other half under way.
      while await victim.standing.acknowledgedEdits < before + rest / 2 { try await Task.sleep(for: .milliseconds(2)) }
      await group.kill(victim)
      let acknowledged = await victim.pastStandings.last?.acknowledgedEdits ?? 0
      await stage.say("  \(victim.name) is gone. It had \(acknowledged) edits acknowledged; not one may be missing.")
      try await stage.pause("\(victim.name) is dead", "The others go on. \(victim.name) comes back from its disk next.")
      try await group.start(victim)
      try await victim.perform(.edit(count: max(0, edits - acknowledged)))
      try await tasks.waitForAll()
    }
    let isEqual = try await group.untilEqual()
    await tellWhetherEqual("  All equal.", isEqual)
    return isEqual
  }

  private func editing(count: Int) async throws {
    guard count > 0 else { return }
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for peer in peers { tasks.addTask { try await peer.perform(.edit(count: count)) } }
      try await tasks.waitForAll()
    }
  }

  private func tellWhetherEqual(_ line: String, _ isEqual: Bool) async {
    await stage.say(isEqual ? line : "  Not equal within two minutes.")
  }
}
