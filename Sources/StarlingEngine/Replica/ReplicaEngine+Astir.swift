import StarlingCore
import StarlingGuard
import StarlingSession

// Which documents are looked after. There may be thousands, and few of them are written or asked about at a time: the
// others cost nothing but a look in their turn (Documentation/Decisions/documents-come-to-rest.md).
//
// ```
//              written here, spoken of, opened, told of with a heartbeat
//   at rest ──────────────────────────────────────────────► astir: reviewed with each tick
//      ▲                                                      │
//      └──────── after a tick: nothing is awaited ◄───────────┘
// ```
extension ReplicaEngine {
  /// Has the document looked after until nothing of it is awaited any more.
  func rouse(_ hosted: HostedDocument) {
    noteDue(hosted)
    guard !hosted.isAstir, !hosted.isForgotten else { return }
    hosted.isAstir = true
    astir.append(hosted)
  }

  /// Publishes what was written or said here since the last turn.
  func publishWritten() {
    let written = written.withLock { documents in
      defer { documents = [] }
      return documents
    }
    for id in written {
      guard let hosted = documents[id] else { continue }
      rouse(hosted)
      publishOutbox(of: hosted)
      publishPresence(of: hosted)
    }
  }

  /// Reviews those that are astir, and lets those rest of which nothing is awaited.
  func tickAstir(now: Duration) {
    for hosted in astir {
      perform(hosted.session.tick(version: hosted.handle.version, now: now), in: hosted)
      acknowledgeIfDue(hosted, now: now)
      publishPresence(of: hosted)
      hosted.handle.forgetPresence(now: now)
      reviewTenure(of: hosted, now: now)
      tellProgress(of: hosted)
    }
    astir.removeAll { hosted in
      hosted.isAstir = !isAtRest(hosted)
      return !hosted.isAstir
    }
  }

  /// Whether time alone brings nothing on that could not wait for the next heartbeat.
  private func isAtRest(_ hosted: HostedDocument) -> Bool {
    !owesAcknowledgement(hosted) && !hosted.tenure.isAwaited && hosted.progressWatchers.count == 0
      && hosted.session.isAtRest && !hosted.handle.isPresent
  }
}

// For tests.
extension ReplicaEngine {
  package var astirCount: Int { astir.count }
}
