import StarlingCore
import StarlingWire

@testable import StarlingSession

// What holds in every state. Notes are looked for by their names; how far a log is, is counted from its records.
extension Conversation {
  mutating func violate(_ what: String) { violation = violation ?? what }

  /// Called after something was handed to a replica.
  mutating func judge(_ place: Int, before: Seat, _ handed: Handed) {
    if let violation = handed.violation { violate("Replica \(place) \(violation)") }
    if let lack = handed.lack, budget.losses == world.budget.losses { violate("Replica \(place) \(lack)") }
    judge(handed.events, at: place)
    let seat = handed.seat
    if seat.replica.content.version != before.replica.content.version {
      judge(seat.shown, "replica \(place)")
      judgeStrangers(at: place)
    }
    if !notes.isEmpty, seat.replica.log.records.count != before.replica.log.records.count {
      guard let stored = seat.kept.notes else { return violate("The log of replica \(place) cannot be read") }
      judge(stored, "the log of replica \(place)")
    }
    judgeDots()
    judgeAcknowledgements(at: place)
    judgeBeliefs(at: place)
    judgeLeases()
  }

  private mutating func judge(_ events: [EngineEvent], at place: Int) {
    for event in events {
      switch event {
      // Whoever does not get a lease writes under an id of its own.
      case .renamed where world.members[place].options.leases: break
      // Whoever is not let in yet is told so.
      case .refused where !world.strangers.isEmpty: break
      case .diverged, .settled, .renamed, .refused, .disowned, .stranded, .rolledBack, .storeContested, .quarantined:
        violate("Replica \(place) reports: \(event)")
      default: break
      }
    }
  }

  /// Whoever shows a note shows all that its author saw.
  private mutating func judge(_ shown: Notes, _ who: String) {
    for note in shown.keys.sorted() where !notes[note].seen.isSubset(of: shown.keys) {
      violate("\(who) has note \(note) without \(notes[note].seen.subtracting(shown.keys)), which its author saw")
    }
  }

  /// No operation has two contents, in documents and logs.
  private mutating func judgeDots() {
    guard notes.count > 1 else { return }
    var written: [Dot: Int] = [:]
    for place in seats.indices {
      for (note, dot) in [seats[place]?.shown, kept(at: place).notes].compactMap({ $0 }).joined() {
        if let other = written.updateValue(note, forKey: dot), other != note {
          violate("\(dot) is note \(min(note, other)) and note \(max(note, other))")
        }
      }
    }
  }

  /// Nobody has what one wrote who is not let in.
  private mutating func judgeStrangers(at place: Int) {
    guard !isAdmitted, let seat = seats[place] else { return }
    for note in seat.shown.keys.sorted() where notes[note].author != place {
      let isStrange = world.strangers.contains(notes[note].author) != world.strangers.contains(place)
      if isStrange { violate("Replica \(place) has note \(note) of one that it may not talk with") }
    }
  }

  // MARK: What somebody was told

  func kept(at place: Int) -> Kept { seats[place]?.kept ?? logs[place] }

  /// Somebody was told that a note is safe. One that does not run keeps what its log has.
  mutating func promised(_ note: Int, to place: Int, _ isReplicated: Bool) {
    let places = isReplicated ? seats.indices.filter { $0 != place } : [place]
    guard !places.contains(where: { kept(at: $0).notes?[note] != nil }) else { return }
    let lack = isReplicated ? "in no other log" : "no log of its own"
    violate("Replica \(place) is told that note \(note) is safe, and it is in \(lack)")
  }

  private mutating func judgeAcknowledgements(at place: Int) {
    guard let seat = seats[place] else { return }
    for entry in seat.acknowledged where entry.counter > 0 {
      let held = seats.indices.filter { $0 != place }.map { kept(at: $0).counters[entry.replica] ?? 0 }.max() ?? 0
      if entry.counter > held {
        violate(
          "Replica \(place) counts \(entry.counter) of \(entry.replica) as acknowledged, and others' logs have \(held)")
      }
    }
  }

  /// Nobody takes a peer to hold what that does not.
  private mutating func judgeBeliefs(at place: Int) {
    for link in links where !link.isGone && (link.dialler == place || link.dialled == place) {
      guard let acceptor = link.acceptor, let dialler = seats[link.dialler], let dialled = seats[link.dialled] else {
        continue
      }
      for (one, peer, other) in [(dialler, link.handle, dialled), (dialled, acceptor, dialler)] {
        guard let belief = one.beliefs[peer], !other.replica.content.version.covers(belief) else { continue }
        violate("Replica \(place): a peer is taken to hold \(belief), which holds \(other.replica.content.version)")
      }
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
      if let lease = seat.lease, let other = holders.updateValue(place, forKey: lease), other != place {
        violate("Replicas \(other) and \(place) hold the lease of \(lease)")
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
      if !seat.isCaughtUp { return "replica \(place) waits for an answer" }
      // Whoever writes before it has a lease writes under an id of its own.
      if world.members[place].options.leases, seat.lease == nil, !notes.contains(where: { $0.author == place }) {
        return "replica \(place) has no lease"
      }
    }
    guard let first = seats[0] else { return nil }
    for (place, seat) in seats.enumerated().dropFirst() {
      guard let seat else { continue }
      let (ours, theirs) = (first.replica.content.version, seat.replica.content.version)
      if ours != theirs { return "replicas 0 and \(place) hold \(ours) and \(theirs)" }
      if first.digest != seat.digest { return "replicas 0 and \(place) hold other states at one version" }
    }
    return waiting.isEmpty ? nil : "\(waiting.count) wait for what they wrote"
  }
}
