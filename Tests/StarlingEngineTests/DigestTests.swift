import StarlingCore
import StarlingEngine
import StarlingWire
import Testing

@Suite struct `The digest of a document that rests` {
  /// A small one is made at once, a large one beside the engine.
  @Test(arguments: [10, 20_000]) func `is told to those who follow`(keyCount: Int) throws {
    let world = World()
    let handle = try world.node("node").open()
    handle.write { document, patch in
      for number in 0..<Int64(keyCount) {
        document.set(.integer(number), for: .integer(number), in: .root, patch: &patch)
      }
    }
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(Stranger.hello())
    stranger.say(.want(Message.Want(document: Node.library, request: 1, version: VersionVector())))
    let first = handle.digest()
    #expect(world.run { stranger.messages.haves.last?.digest == first })
    handle.set(1)
    let second = handle.digest()
    #expect(second != first)
    #expect(world.run { stranger.messages.haves.last?.digest == second })
  }
}
