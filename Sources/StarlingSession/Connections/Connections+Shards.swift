public import StarlingCore
import StarlingWire

// Documents that are spread over several daemons by their names (Protocol/conversation.md, "Shards"): two ends speak of
// those that both serve.
//
// ```
//   program: all ────┬── daemon 1/2 ── its documents ── daemon 1/2 at another site
//                    └── daemon 2/2 ── its documents
// ```
extension Connections {
  /// Whether both ends serve the document. Of a peer that has not said which it serves nothing is left out.
  public func isShared(_ document: DocumentID, with peer: PeerHandle) -> Bool {
    shard.contains(document) && peers[peer]?.hello?.shard.contains(document) ?? true
  }

  /// The peer speaks of a document that one of the two does not serve. It is counted; and told once a connection, if the
  /// peer cannot know: it is of a program that knows no shards.
  public mutating func refuse(elsewhere document: DocumentID, to peer: PeerHandle) -> [Effect] {
    guard !shard.contains(document), peers[peer]?.isNews(.elsewhere) == true else { return [.countElsewhere] }
    let home = DocumentShard.of(document, among: shard.count)
    let explanation = "'\(document)' is served by the daemon of shard \(home), and this is the one of \(shard)."
    return [.countElsewhere, .refuse(peer, Message.Refusal(code: .notWelcome, explanation: explanation))]
  }

  // MARK: Daemons of one shard

  /// Whether the peer is a daemon that has the same documents as this one: they know and dial each other, and divide
  /// their streams, as the daemons of a group without shards do.
  func isAlike(_ hello: Message.Hello) -> Bool { hello.relays && hello.shard == shard }

  /// Those of them that talk with us.
  var alike: [PeerHandle] { peers.relays.filter { peers[$0]?.hello.map(isAlike) ?? false } }

  /// Whether a peer that dialled us comes as a mesh peer. It says so before it knows who answers.
  func isMeshPeer(_ hello: Message.Hello) -> Bool { hello.isMeshPeer && hello.shard == shard }
}
