import StarlingCore
import StarlingSession
import StarlingWire

// Stores that were put back from a copy (Protocol/conversation.md, "Generations").
//
// ```
//   log opens: generation + 1 ─► hello ─► a peer that has met a later start says so in its hello
//        ▲                                   │
//        └── stored, told to everybody ◄── every document goes on under a new id
// ```
extension ReplicaEngine {
  /// This run, where the log counts the starts of its store.
  var start: Message.Start? {
    guard identity.isDurable, generation > 0 else { return nil }
    return Message.Start(generation: generation, epoch: epoch)
  }

  /// Leaves the replica id where the peer has met a later start of this store, and notes which start of its own it is at.
  ///
  /// - Returns: whether the peer is to be told that it was put back.
  func heedGeneration(_ hello: Message.Hello, from peer: PeerHandle) -> Bool {
    if let known = hello.knownStart, let start, start.isBehind(known), trust(in: peer).mayRelay {
      leaveFormerStart(known, toldBy: hello.store)
    }
    guard let generation = hello.generation, trust(in: peer).mayWrite else { return false }
    let theirs = Message.Start(generation: generation, epoch: hello.epoch)
    switch generations.meet(hello.store, named: trust(in: peer).listedName ?? "", at: theirs) {
    case .known: break
    case .new: hasNewGenerations = true
    case .behind(let known):
      peers[peer]?.knownStart = known
      return true
    }
    peers[peer]?.knownStart = nil
    return false
  }

  /// Others may hold operations under our id that we do not have.
  private func leaveFormerStart(_ known: Message.Start, toldBy store: StoreID) {
    let former = generation
    generation = min(known.generation + 1, Message.Start.generationMax)
    hasNewGenerations = true
    report(.rolledBack(from: known.generation, to: former, toldBy: store))
    renameAll(to: newReplicaID())
    for other in peers.talking { greetAnew(other) }
  }

  /// Nil where the log has them all.
  func takeGenerations() -> StoredGenerations? {
    guard hasNewGenerations else { return nil }
    hasNewGenerations = false
    return StoredGenerations(
      own: generation,
      others: generations.entries.map {
        StoredGenerations.Other(
          store: $0.store, name: $0.name, generation: $0.start.generation, epoch: $0.start.epoch)
      })
  }
}
