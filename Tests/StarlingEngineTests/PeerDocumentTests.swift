import StarlingCore
import StarlingEngine
import StarlingWire
import Testing

@Suite struct `What peers say of their documents` {
  let world = World()

  private func have(
    _ document: DocumentID, _ counter: UInt64, digest: Digest? = nil
  ) -> Message {
    let version = VersionVector([VersionVector.Entry(replica: ReplicaID(rawValue: 7), counter: counter)])
    return .have(Message.Have(document: document, version: version, position: nil, digest: digest))
  }

  @Test func `is kept as it was last said, whether or not the document is open here`() throws {
    let node = try world.node("node")
    _ = try node.open()
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(Stranger.hello())
    let other = try #require(DocumentID("another"))
    let digest = Digest(high: 1, low: 2)
    stranger.say(have(Node.library, 3))
    stranger.say(have(other, 4))
    stranger.say(have(other, 9, digest: digest))
    let peer = try #require(try node.status.peers.first)
    #expect(peer.endpoint == nil)
    #expect(peer.documents.map(\.id) == [other, Node.library])
    #expect(peer.documents.map(\.operationCount) == [9, 3])
    #expect(peer.documents.map(\.writerCount) == [1, 1])
    #expect(peer.documents.map(\.digest) == [digest, nil])
    let same = VersionVector([VersionVector.Entry(replica: ReplicaID(rawValue: 7), counter: 9)])
    #expect(peer.documents[0].versionMark == PeerDocument.mark(of: same))
    #expect(peer.documents[0].versionMark != peer.documents[1].versionMark)
  }

  @Test func `takes no more capacity than there is, however many they speak of and claim`() throws {
    let node = try world.node("node")
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(Stranger.hello())
    for number in 0..<5000 {
      if let document = DocumentID("document-\(number)") { stranger.say(have(document, 1)) }
    }
    #expect(try node.status.peers.first?.documents.count == 4096)
    let greatest = VersionVector(
      (0..<4).map { VersionVector.Entry(replica: ReplicaID(rawValue: $0), counter: 1 << 63 - 1) })
    let known = try #require(DocumentID("document-0"))
    stranger.say(.have(Message.Have(document: known, version: greatest, position: nil, digest: nil)))
    #expect(try node.status.peers.first?.documents.first { $0.id == known }?.operationCount == .max)
  }

  @Test func `comes with a hello from the peer that is dialled, for all its documents`() throws {
    let daemon = try world.node("daemon")
    _ = try daemon.open()
    let client = try world.node("client", dialable: false, dialling: ["daemon"])
    world.run(for: .milliseconds(100))
    let peer = try #require(try client.status.peers.first)
    #expect(peer.endpoint == "memory:daemon")
    #expect(peer.documents.map(\.id) == [Node.library])
  }
}
