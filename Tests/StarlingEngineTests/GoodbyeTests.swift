import StarlingCore
import StarlingEngine
import Testing

@Suite struct `A replica that leaves in good order` {
  /// Published frames and messages travel by connections of their own, each of which may be the slower one.
  @Test(arguments: [(published: 1, direct: 1), (published: 40, direct: 1), (published: 1, direct: 40)])
  func `has said what it wrote last, whichever way is the slower one`(published: Int, direct: Int) throws {
    let world = World(faultPlan: { passage, _ in [.milliseconds(passage.isPublished ? published : direct)] })
    let stays = try world.node("stays")
    let leaves = try world.node("leaves", dialling: ["stays"])
    let (kept, written) = (try stays.open(), try leaves.open())
    world.run(for: .seconds(3))
    written.set(1)
    #expect(world.run(timeout: .seconds(1)) { kept.value() == .integer(1) })

    written.set(2)
    try leaves.close()
    #expect(world.run(timeout: .seconds(1)) { kept.value() == .integer(2) })
    world.run(for: .seconds(1))
    #expect(try stays.status.peers.isEmpty)
  }
}
