import StarlingCore
import StarlingEngine

// What must hold, whatever goes wrong.
extension Simulation {
  /// Looks at every document that has changed at a replica that is up.
  func check() {
    for replica in replicas {
      for document in documents {
        guard let handle = handle(of: document, at: replica) else { continue }
        let version = handle.version
        guard replica.checked.updateValue(version, forKey: document) != version else { continue }
        handle.read { $0.checkInvariants() }
        // What a guest wrote under a loan and nobody heard of may be written otherwise by the next.
        guard !replica.isGuest else { continue }
        // Half a transaction has no version.
        guard let (digest, version) = handle.digestWithVersion() else { continue }
        if let seen = digestsSeen[document, default: [:]].updateValue(digest, forKey: version), seen != digest {
          report(
            violation: "'\(document)' at \(replica.name) has the digest \(digest) at \(version), "
              + "for which \(seen) was seen before")
        }
      }
    }
  }

  /// Whether everybody who is still there is up and holds the same.
  var hasConverged: Bool {
    documents.allSatisfy { document in
      let states = replicas.filter { !$0.hasLeft }.map { replica in
        replica.isRunning ? handle(of: document, at: replica)?.digestWithVersion() : nil
      }
      guard let first = states.first ?? nil else { return false }
      return states.allSatisfy { $0.map { $0 == first } ?? false }
    }
  }

  /// Whatever was said to be durable is everywhere, now that everybody holds the same.
  func checkAcknowledged() {
    for document in documents {
      var promised = Version()
      for replica in replicas where !replica.hasLeft {
        promised.merge(replica.promises[document] ?? Version())
        promised.merge(replica.process?.promises[document] ?? Version())
      }
      for replica in replicas {
        guard let version = handle(of: document, at: replica)?.version else { continue }
        if !version.covers(promised) {
          report(
            violation: "of '\(document)' \(promised) was said to be durable, and \(replica.name) ends at \(version)")
        }
      }
    }
  }

  /// Who stands where, for people.
  var standing: String {
    documents.flatMap { document in
      replicas.map { replica in
        "\(replica.name) \(handle(of: document, at: replica).map { "\($0.version)" } ?? "down")"
      }
    }.joined(separator: ", ")
  }
}
