/// A world that breaks a law, and how it does.
package struct Finding: CustomStringConvertible {
  package var world: World
  package var fault: Fault
  package var story: [String]

  package var description: String {
    """
    Seed \(world.seed): \(fault)
    The shortest trace that was found, of \(world.steps.count) steps; the replicas are \
    \(world.replicas.enumerated().map { "\($0.offset) = \(String($0.element, radix: 16))" }.joined(separator: ", "))
      \(story.joined(separator: "\n  "))
    Draw it again: make worlds COUNT=1 SEED=\(world.seed)
    """
  }
}

extension World {
  /// Runs it.
  ///
  /// - Returns: What is wrong with it; nil if all laws hold.
  package func finding() -> Finding? {
    var run = WorldRun(self)
    do {
      try run.run()
      return nil
    } catch let fault as Fault {
      return Finding(world: self, fault: fault, story: run.story)
    } catch {
      return Finding(world: self, fault: Fault("\(error)"), story: run.story)
    }
  }
}

extension Finding {
  /// The same fault, or another one, with as few steps as can be found by leaving some out, ever fewer at a time
  /// (Zeller and Hildebrandt, “Simplifying and isolating failure-inducing input”, 2002).
  package func shrunk() -> Finding {
    var best = self
    var size = max(1, best.world.steps.count / 2)
    while true {
      var start = 0
      var hasShrunk = false
      while start < best.world.steps.count {
        var world = best.world
        world.steps.removeSubrange(start..<min(start + size, world.steps.count))
        if let finding = world.finding() {
          best = finding
          hasShrunk = true
        } else {
          start += size
        }
      }
      if best.dropAct() { hasShrunk = true }
      if size == 1, !hasShrunk { return best }
      if !hasShrunk || size > best.world.steps.count { size = max(1, size / 2) }
    }
  }

  /// Leaves out one act of a change that has several.
  private mutating func dropAct() -> Bool {
    for (place, step) in world.steps.enumerated() {
      guard case .write(let replica, let clock, let acts) = step, acts.count > 1 else { continue }
      for act in acts.indices {
        var fewer = acts
        fewer.remove(at: act)
        var world = world
        world.steps[place] = .write(replica, clock: clock, fewer)
        if let finding = world.finding() {
          self = finding
          return true
        }
      }
    }
    return false
  }
}
