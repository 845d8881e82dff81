import StarlingCore
import StarlingEngine

// What is said for a while. Once all hold the same, each sees what the others show, and nothing of those that are gone;
// once nobody shows anything, nobody keeps anything of it.
//
// ```
//   all hold the same ──► each sees what is shown ──► all withdraw it ──► no engine holds a byte of it
// ```
extension Simulation {
  static let presenceKey = "at"
  /// How long others see what its process says no more.
  static let presenceLifetime = Duration.seconds(2)
  /// What a killed process said has passed by then, and what was lost on the way has been said again.
  private static let presenceTimeout = Duration.seconds(10)

  func settlePresence() {
    guard doings["say", default: 0] > 0 else { return }
    // Whoever says something for others, or may pass on what nobody said, is believed.
    if schedule.hostileRole == nil {
      guard awaitNone({ presenceSeenOtherwise }, "is shown otherwise than it is seen") else { return }
      doings["presence", default: 0] += shownPresence.reduce(0) { $0 + $1.shown.count }
    }
    withdrawPresence()
    _ = awaitNone({ presenceLeft }, "is left although nobody shows anything")
  }

  /// Lets time pass until nothing is found.
  ///
  /// - Returns: false where something is found for so long.
  private func awaitNone(_ find: () -> [String], _ what: String) -> Bool {
    let end = now + Self.presenceTimeout
    while violations.isEmpty {
      let found = find()
      if found.isEmpty { return true }
      guard now < end else {
        let found = found.joined(separator: "; ")
        report(violation: "after \(Self.presenceTimeout.inSeconds) s presence \(what): \(found)")
        break
      }
      advance(to: now + .milliseconds(50))
    }
    return false
  }

  private func withdrawPresence() {
    for (replica, handle) in presentHandles where handle.ownPresence(at: Self.presenceKey) != nil {
      trace.note("\(replica.name) says nothing more in '\(handle.id)'", at: now)
      handle.setPresence(nil, at: Self.presenceKey, lifetime: Self.presenceLifetime)
    }
  }

  private var presentHandles: [(SimulatedReplica, DocumentHandle)] {
    promisedDocuments.flatMap { document in
      replicas.filter { !$0.hasLeft }.compactMap { replica in handle(of: document, at: replica).map { (replica, $0) } }
    }
  }

  /// What each shows of each document.
  private var shownPresence: [(document: DocumentID, shown: [String: Value])] {
    promisedDocuments.map { document in
      let here = presentHandles.filter { $0.1.id == document }
      let shown = here.compactMap { replica, handle in
        handle.ownPresence(at: Self.presenceKey).map { (replica.name, $0) }
      }
      return (document, Dictionary(uniqueKeysWithValues: shown))
    }
  }

  private var presenceSeenOtherwise: [String] {
    let shown = Dictionary(uniqueKeysWithValues: shownPresence.map { ($0.document, $0.shown) })
    return presentHandles.compactMap { replica, handle in
      let expected = shown[handle.id, default: [:]].filter { $0.key != replica.name }.values.map { "\($0)" }.sorted()
      let seen = handle.othersPresence(at: Self.presenceKey).map { "\($0.value)" }.sorted()
      return seen == expected ? nil : "\(replica.name) sees \(seen) in '\(handle.id)', shown are \(expected)"
    }
  }

  /// What engines hold of it by their own counts, and what readers see.
  private var presenceLeft: [String] {
    let seen = presentHandles.filter { !$0.1.othersPresence(at: Self.presenceKey).isEmpty }
    return seen.map { "\($0.name) sees some in '\($1.id)'" }
      + replicas.flatMap { replica in
        (measurements(of: replica)?.documents ?? []).flatMap { document -> [String] in
          guard promisedDocuments.contains(document.id) else { return [] }
          let counts = [
            ("bytes", document.presenceBytes), ("bytes that keys are charged for", document.presenceBytesCharged),
          ]
          return counts.filter { $0.1 != 0 }.map { "\(replica.name) holds \($0.1) \($0.0) in '\(document.id)'" }
        }
      }
  }
}
