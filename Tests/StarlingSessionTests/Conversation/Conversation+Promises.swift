import StarlingCore
import StarlingWire

@testable import StarlingSession

// What holds in every state. Notes are looked for by their names; how far a log is, is counted from its records.
extension Conversation {
  private mutating func violate(_ what: String) { violation = violation ?? what }

  /// Called after something was handed to a replica.
  mutating func judge(_ place: Int, before: Seat, _ events: [EngineEvent]) {
    guard let seat = seats[place] else { return }
    judge(events, at: place)
    if !seat.replica.replication.effects.isEmpty { violate("Replica \(place) has effects that nobody performs") }
    if seat.replica.content.version != before.replica.content.version { judgeCausality(of: place) }
    if !notes.isEmpty, seat.replica.log.records.count != before.replica.log.records.count { judgeLog(of: place) }
    judgeAcknowledgements(at: place)
    judgeCredit(at: place)
    judgeLeases()
  }

  private mutating func judge(_ events: [EngineEvent], at place: Int) {
    for event in events {
      switch event {
      // Whoever does not get a lease writes under an id of its own.
      case .renamed where world.members[place].options.leases: break
      case .diverged, .settled, .renamed, .refused, .disowned, .stranded, .rolledBack, .storeContested, .quarantined:
        violate("Replica \(place) reports: \(event)")
      default: break
      }
    }
  }

  /// Whoever shows a note shows all that its author saw.
  private mutating func judgeCausality(of place: Int) {
    guard let seat = seats[place] else { return }
    judge(Self.notes(in: seat.replica.content), "replica \(place)")
  }

  private mutating func judge(_ shown: Set<Int>, _ who: String) {
    for note in shown.sorted() where !notes[note].seen.isSubset(of: shown) {
      violate("\(who) has note \(note) without \(notes[note].seen.subtracting(shown).sorted()), which its author saw")
    }
  }

  /// What a run would find that begins now.
  private func stored(at place: Int) -> Set<Int>? {
    guard let seat = seats[place] else { return nil }
    var log = seat.replica.log
    do {
      return Self.notes(in: try log.open().document)
    } catch {
      return nil
    }
  }

  private mutating func judgeLog(of place: Int) {
    guard let stored = stored(at: place) else { return violate("The log of replica \(place) cannot be read") }
    judge(stored, "the log of replica \(place)")
  }

  /// Somebody was told that a note is safe.
  mutating func promised(_ note: Int, to place: Int, _ isReplicated: Bool) {
    let places = isReplicated ? seats.indices.filter { $0 != place } : [place]
    // One that does not run keeps what its log has.
    let isSafe = places.contains { place in
      if seats[place] != nil { return stored(at: place)?.contains(note) == true }
      var log = logs[place]
      return ((try? log.open()).map { Self.notes(in: $0.document) })?.contains(note) == true
    }
    if !isSafe {
      violate(
        "Replica \(place) is told that note \(note) is safe, and it is in \(isReplicated ? "no other log" : "no log of its own")"
      )
    }
  }

  // MARK: Counts

  /// The last counter of each writer in a log.
  private func counters(at place: Int) -> [ReplicaID: UInt64] {
    let log = seats[place]?.replica.log ?? logs[place]
    var counters: [ReplicaID: UInt64] = [:]
    for record in log.records { counters[record.replica] = max(counters[record.replica] ?? 0, record.lastCounter) }
    for entry in log.snapshot?.version.entries ?? [] {
      counters[entry.replica] = max(counters[entry.replica] ?? 0, entry.counter)
    }
    return counters
  }

  private mutating func judgeAcknowledgements(at place: Int) {
    guard let seat = seats[place] else { return }
    let own = counters(at: place)
    for entry in seat.replica.replication.pipeline.durable(of: ValueReplica.document).entries
    where entry.counter > own[entry.replica] ?? 0 {
      violate("Replica \(place) takes \(entry) for durable, and its log has \(own[entry.replica] ?? 0)")
    }
    let others = seats.indices.filter { $0 != place }.map { counters(at: $0) }
    let state = seat.replica.replication.documents[seat.replica.number]
    for entry in seat.replica.content.version.entries {
      let acknowledged = state.members.acknowledged(of: entry.replica)
      let held = others.map { $0[entry.replica] ?? 0 }.max() ?? 0
      if acknowledged > held {
        violate(
          "Replica \(place) counts \(acknowledged) of \(entry.replica) as acknowledged, and others' logs have \(held)"
        )
      }
    }
  }

  private mutating func judgeCredit(at place: Int) {
    guard let seat = seats[place] else { return }
    for peer in seat.replica.replication.peers.all {
      guard let count = seat.replica.replication.peers[peer]?.flow.outstanding else { continue }
      let bound = AnswerFlow.windowByteCount + AnswerFlow.partByteCount + world.partByteCountMax
      if !(0..<bound).contains(count) { violate("Answers of replica \(place) wait for \(count) bytes of credit") }
    }
  }

  /// No id is held by two, and none is written under by two.
  private mutating func judgeLeases() {
    var holders: [ReplicaID: Int] = [:]
    for (place, seat) in seats.enumerated() {
      guard let seat else { continue }
      if let other = holders.updateValue(place, forKey: seat.replica.writer) {
        violate("Replicas \(other) and \(place) write under \(seat.replica.writer)")
      }
      let held = seat.replica.replication.documents[seat.replica.number].leaseClient.held
      if let held, let other = holders.updateValue(place, forKey: held.grant.replica), other != place {
        violate("Replicas \(other) and \(place) hold the lease of \(held.grant.replica)")
      }
    }
  }

  // MARK: Rest

  /// What keeps them from rest; nil where all hold the same and nothing waits for anything.
  func unrest() -> String? {
    for (place, seat) in seats.enumerated() {
      guard let seat else { return "replica \(place) does not run" }
      if let unrest = seat.replica.unrest(mayHold: budget.crashes < world.budget.crashes) {
        return "replica \(place): \(unrest)"
      }
      if !seat.replica.replication.documents[seat.replica.number].session.isCaughtUp {
        return "replica \(place) waits for an answer"
      }
    }
    guard let first = seats[0] else { return nil }
    for (place, seat) in seats.enumerated().dropFirst() {
      guard let seat else { continue }
      let (ours, theirs) = (first.replica.content.version, seat.replica.content.version)
      if ours != theirs { return "replicas 0 and \(place) hold \(ours) and \(theirs)" }
      if first.replica.content.cut().digest() != seat.replica.content.cut().digest() {
        return "replicas 0 and \(place) hold other states at one version"
      }
    }
    return waiting.isEmpty ? nil : "\(waiting.count) wait for what they wrote"
  }
}
