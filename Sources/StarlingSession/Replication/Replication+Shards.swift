package import StarlingCore
import StarlingWire

// The documents that this replica serves, where the daemons of a group divide them (Protocol/conversation.md, "Shards").
extension Replication {
  /// Why a log that holds these documents is not to be served.
  package func refusal(toServe stored: [DocumentID]) -> ShardError? {
    ShardError(starting: connections.shard, withStored: stored)
  }

  /// - Throws: `ShardError` for a document of another shard.
  func checkShard(_ document: DocumentID) throws {
    if let error = ShardError(opening: document, in: connections.shard) { throw error }
  }

  /// Whether a message is about a document that one of both ends does not serve. It is not heeded: whatever a peer says,
  /// no document of another shard is opened here.
  mutating func isElsewhere(_ message: Message, from peer: PeerHandle) -> Bool {
    guard let document = message.document, !connections.isShared(document, with: peer) else { return false }
    carryOut(connections.refuse(elsewhere: document, to: peer))
    return true
  }
}
