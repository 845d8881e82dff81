import StarlingCore
import StarlingWire

@testable import StarlingSession

// What one replica alone must keep to, whatever the others do.
extension Handings {
  static func violation(
    of input: Input, from before: Conversation.Seat, to after: Conversation.Seat, _ outputs: [Handed.Output]
  ) -> String? {
    if !after.replica.replication.effects.isEmpty { return "has effects that nobody performs" }
    return overdraft(after) ?? undurable(after) ?? forgottenLack(after) ?? indiscretion(after, outputs)
      ?? misunderstanding(input, from: before, to: after)
  }

  /// More is on its way than credit allows, or less than nothing.
  private static func overdraft(_ seat: Conversation.Seat) -> String? {
    for peer in seat.replica.replication.peers.all {
      guard let count = seat.replica.replication.peers[peer]?.flow.outstanding else { continue }
      let bound = AnswerFlow.windowByteCount + AnswerFlow.partByteCount + ConversationWorld.partByteCountMax
      if !(0..<bound).contains(count) { return "has answers that wait for \(count) bytes of credit" }
    }
    return nil
  }

  /// It takes something for durable that its log does not have.
  private static func undurable(_ seat: Conversation.Seat) -> String? {
    let counters = seat.kept.counters
    for entry in seat.replica.replication.pipeline.durable(of: ValueReplica.document).entries
    where entry.counter > counters[entry.replica] ?? 0 {
      return "takes \(entry) for durable, and its log has \(counters[entry.replica] ?? 0)"
    }
    return nil
  }

  /// What a change that waits stands on is known to be lacking, all of it, once everybody has answered: else nobody is
  /// asked for it.
  private static func forgottenLack(_ seat: Conversation.Seat) -> String? {
    guard seat.replica.gate.count > 0, seat.beliefs.keys.allSatisfy({ seat.document.session.isFollowing($0) }) else {
      return nil
    }
    let (version, claimed) = (seat.replica.content.version, seat.document.session.versionOfPeers)
    for change in changesHeld(by: seat.replica.gate) {
      for dot in change.frontier where !version.covers(dot) && !claimed.covers(dot) {
        return "holds a change that stands on \(dot), which it lacks and takes nobody to have"
      }
    }
    return nil
  }

  private static func changesHeld(by gate: CausalGate) -> [Change] {
    guard let held = Mirror(reflecting: gate).descendant("held") else { preconditionFailure("A gate has no table.") }
    let changes = Mirror(reflecting: held).children.compactMap { entry in
      Mirror(reflecting: entry.value).descendant("value", "change") as? Change
    }
    precondition(changes.count == gate.count, "A gate shows \(changes.count) changes of \(gate.count).")
    return changes
  }

  /// Something but a refusal is said to a peer that may do nothing.
  private static func indiscretion(_ seat: Conversation.Seat, _ outputs: [Handed.Output]) -> String? {
    for case .direct(let letter, let peer) in outputs
    where !seat.replica.replication.connections.trusts[peer].isSomebody && letter.kind != "refuse" {
      return "says \(letter.kind) to a peer that may do nothing"
    }
    return nil
  }

  /// What a peer says that it holds adds to what it said before; what its answer says takes the place of that
  /// (Protocol/conversation.md, "Following").
  private static func misunderstanding(
    _ input: Input, from before: Conversation.Seat, to after: Conversation.Seat
  ) -> String? {
    guard case .direct(let letter, let peer) = input, let known = after.beliefs[peer] else { return nil }
    switch try? Message(decoding: letter.bytes) {
    case .have(let have):
      guard let former = before.beliefs[peer] else { return nil }
      if !known.covers(former) || !known.covers(have.version) {
        return "was told \(have.version) by one that had said \(former), and takes it to hold \(known)"
      }
    case .resume(let resume):
      let isAsked = before.document.session.isAsking(peer, for: resume.request)
      if isAsked, after.replica.gate.isEmpty, known != resume.version {
        return "was answered up to \(resume.version), and takes the peer to hold \(known)"
      }
    default: break
    }
    return nil
  }

  /// Whoever was answered has all that the answer says (Protocol/conversation.md, "Answers").
  static func lack(after input: Input, from before: Conversation.Seat, to after: Conversation.Seat) -> String? {
    guard case .direct(let letter, let peer) = input, case .resume(let resume)? = try? Message(decoding: letter.bytes),
      before.document.session.isAsking(peer, for: resume.request),
      !after.replica.content.version.covers(resume.version)
    else { return nil }
    return "was answered up to \(resume.version), and holds \(after.replica.content.version)"
  }
}
