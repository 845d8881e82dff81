package import StarlingCore
import StarlingGuard
import StarlingSession
import StarlingWire

// What is said of the document for a while and never kept: who is here, and at what
// (Protocol/conversation.md, "Presence").
extension DocumentHandle {
  /// Says `value` under `key` to everyone who has the document open, and says it again for as long as this process
  /// lives and says nothing else; nil withdraws it.
  ///
  /// - Parameter lifetime: for how long others go on seeing it once they hear of us no more; a millisecond to an hour.
  /// - Returns: False, and nothing was said, where the key is empty or has more than 200 bytes, or key and value
  ///   together more than 4 KiB.
  @discardableResult
  package func setPresence(_ value: Value?, at key: String, lifetime: Duration) -> Bool {
    let milliseconds = max(lifetime / .milliseconds(1), 0)
    let (isSaid, changed) = presence.withLock { table in
      let isSaid = table.set(
        value, at: key, lifetimeMilliseconds: UInt64(min(milliseconds, Double(UInt32.max))))
      return (isSaid, table.takeChangedKeys())
    }
    if !changed.isEmpty { listeners.withLock { $0.outbox }?() }
    tellPresence(changed)
    return isSaid
  }

  /// What this process says under `key`.
  package func ownPresence(at key: String) -> Value? {
    presence.withLock { $0.own(at: key) }
  }

  /// What others say under `key`, by the epochs of their runs.
  package func othersPresence(at key: String) -> [(origin: UInt64, value: Value)] {
    presence.withLock { $0.others(at: key) }
  }

  /// Calls `receiver` with the keys under which something else is said than before, on whatever thread said it or
  /// heard it, with no lock held.
  package func onPresence(_ receiver: @escaping @Sendable (Set<String>) -> Void) {
    listeners.withLock { $0.presence.append(receiver) }
  }

  // MARK: The engine's side

  func takePresence(now: Duration) -> [PresenceNotice] {
    presence.withLock { $0.takeAnnouncements(now: now) }
  }

  /// - Parameters:
  ///   - bringer: the key that brought it; nil for one without bounds of its own.
  ///   - byteCountMax: how many bytes of its notices may stand.
  /// - Returns: what was new.
  func hearPresence(
    _ notices: [PresenceNotice], from bringer: String? = nil, byteCountMax: Int = .max, now: Duration
  ) -> [PresenceNotice] {
    let (news, changed) = presence.withLock { table in
      (
        table.receive(notices, from: bringer, bringerByteCountMax: byteCountMax, now: now), table.takeChangedKeys()
      )
    }
    tellPresence(changed)
    return news
  }

  /// The same for a peer's account, nil for none, with what follows from it.
  func hearPresence(
    _ notices: [PresenceNotice], of account: String?, byteCountMax: Int, now: Duration
  ) -> Replication.HeardPresence {
    let refusedCount = presenceRefusedCount
    let news = hearPresence(notices, from: account, byteCountMax: byteCountMax, now: now)
    let level = account.map {
      (name: $0, byteCount: presenceByteCount(of: $0), hasRefused: presenceRefusedCount > refusedCount)
    }
    return Replication.HeardPresence(news: news, account: level, isPresent: isPresent)
  }

  func forgetPresence(now: Duration) {
    tellPresence(
      presence.withLock { table in
        table.tick(now: now)
        return table.takeChangedKeys()
      })
  }

  func withdrawPresence() {
    presence.withLock { $0.withdraw() }
  }

  func everythingPresent(includingOthers: Bool, now: Duration) -> [PresenceNotice] {
    presence.withLock { $0.everything(includingOthers: includingOthers, now: now) }
  }

  /// Whether anything is said of the document, here or elsewhere.
  var isPresent: Bool { presence.withLock { !$0.isEmpty } }

  /// What that key's notices take here.
  func presenceByteCount(of bringer: String) -> Int { presence.withLock { $0.byteCount(of: bringer) } }

  /// Bytes that what others say takes here, and what keys are charged for it.
  var presenceByteCounts: (held: Int, charged: Int) { presence.withLock { $0.byteCounts } }

  var presenceRefusedCount: Int { presence.withLock { $0.refusedCount } }

  private func tellPresence(_ keys: Set<String>) {
    guard !keys.isEmpty else { return }
    for receiver in listeners.withLock({ $0.presence }) { receiver(keys) }
  }
}
