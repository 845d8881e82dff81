import StarlingEngine
import StarlingGraph
import StarlingModel
import StarlingModelTestSupport
import StarlingTestSupport
import Testing

/// What a program holds of a document may be out of it by now, or stand elsewhere: models, collections and texts of any
/// depth, written on two replicas in whatever order, while merges wait to become visible.
@Suite struct `Whatever a program holds` {
  @Test(arguments: 0..<16 as Range<UInt64>)
  func `can be written, and shows what the document holds`(seed: UInt64) throws {
    let pair = Pair()
    let trio = Trio(pair, try pair.models(Thing.self, named: "thing"), seed)
    let watches = zip(trio.sides, [2, 3] as [UInt64]).map { side, often in
      let root = side.root
      return seed.isMultiple(of: often) ? Watch { root.shown } : nil
    }
    for step in stride(from: 0, to: 60, by: 3) {
      if seed.isMultiple(of: 4) {
        for step in step..<step + 3 { trio.act(step) }
      } else {
        // What is merged in between is not visible before the end.
        trio.here.space.withConsistentRead {
          trio.there.space.withConsistentRead {
            for step in step..<step + 3 {
              trio.act(step)
              if trio.dice.oneIn(2) { trio.exchange() }
            }
          }
        }
      }
      trio.exchange()
      guard try trio.agree("seed \(seed), step \(step)", observed: watches.map { $0?.seen.last }) else { return }
    }
  }

  @Test(arguments: 0..<8 as Range<UInt64>) @MainActor
  func `can be written by an actor, to whose jobs nothing happens`(seed: UInt64) async throws {
    let pair = Pair()
    let here = try pair.here.space.model(Thing.self, named: "thing", isolation: MainActor.shared)
    let there =
      seed.isMultiple(of: 2)
      ? try pair.there.space.model(Thing.self, named: "thing", isolation: MainActor.shared)
      : try pair.there.space.model(Thing.self, named: "thing", isolation: nil)
    let trio = Trio(pair, (here, there), seed)
    for step in stride(from: 0, to: 60, by: 3) {
      for step in step..<step + 3 {
        trio.act(step)
        if trio.dice.oneIn(2) { trio.exchange() }
        if trio.dice.oneIn(2) { await Task { @MainActor in }.value }
      }
      trio.exchange()
      // What is delivered comes in jobs of its own, before this one.
      for _ in 0..<3 { await Task { @MainActor in }.value }
      guard try trio.agree("seed \(seed), step \(step)", observed: [nil, nil]) else { return }
    }
  }
}

/// Two replicas that a program writes, and a third that holds nothing and shows what there is.
private final class Trio {
  let (here, there, third): (Pair.Replica, Pair.Replica, Pair.Replica)
  let sides: [Keeper]
  var dice: Dice

  init(_ pair: Pair, _ models: (Thing, Thing), _ seed: UInt64) {
    (here, there, third) = (pair.here, pair.there, Pair.Replica(3))
    sides = [
      Keeper(models.0, here.space, seed: seed), Keeper(models.1, there.space, seed: seed + 1_000_000),
    ]
    dice = Dice(seed: seed)
  }

  func act(_ step: Int) {
    for side in sides { for _ in 0..<4 { side.act(step) } }
  }

  func exchange() {
    // What was taken away for good is told of once more.
    for _ in 0..<2 {
      let (fromHere, fromThere) = (here.handle.takeOutbox(), there.handle.takeOutbox())
      there.handle.merge(fromHere)
      here.handle.merge(fromThere)
      third.handle.merge(fromHere + fromThere)
    }
  }

  /// Whether both show what there is, as it was observed too.
  func agree(_ comment: String, observed: [String?]) throws -> Bool {
    let shown = try third.space.model(Thing.self, named: "thing", isolation: nil).shown
    for (name, (side, observed)) in zip(["here", "there"], zip(sides, observed)) {
      let seen = [side.root.shown, observed ?? shown]
      guard seen == [shown, shown] else {
        Issue.record("\(comment), \(name):\n\(seen[0])\nobserved as\n\(seen[1])\nfor\n\(shown)")
        return false
      }
    }
    return true
  }
}
