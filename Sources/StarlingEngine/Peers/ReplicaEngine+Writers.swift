import StarlingCore
import StarlingSession

// Whose every replica id is: `Connections` decides. What that is told and kept.
extension ReplicaEngine {
  func areOwn(_ lastDots: some Sequence<Dot>, from peer: PeerHandle, in hosted: HostedDocument) -> Bool {
    ask {
      $0.areOwn(
        lastDots, from: peer, in: hosted.id, version: hosted.handle.version, now: clock.uptime(),
        wall: clock.wallMilliseconds(), &$1, hasWritten: hasWritten)
    }
  }

  private func hasWritten(_ replica: ReplicaID) -> Bool {
    replica == self.replica
      || documentsInOrder.contains { $0.handle.replica == replica || $0.handle.version[replica] > 0 }
  }

  /// Returns once the disk holds whose the ids are that were bound or told.
  func keepWriters() async {
    let bindings = pipeline.takeWriters()
    if !bindings.isEmpty { await configuration.noteWriters(bindings) }
  }

  func note(_ equivocation: EquivocationReport) { perform(connections.note(equivocation)) }

  func tellRelays() {
    for peer in connections.trustedRelays {
      while let news = connections.news(for: peer), say(news.message, to: peer) { connections.told(news, to: peer) }
    }
  }

  /// As the log is told.
  var storedGenerations: StoredGenerations {
    StoredGenerations(
      own: connections.generations.own,
      others: connections.generations.entries.map {
        StoredGenerations.Other(
          store: $0.store, name: $0.name, generation: $0.start.generation, epoch: $0.start.epoch)
      })
  }
}
