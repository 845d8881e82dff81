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

extension World.Step {
  /// The same step, done by one replica where another one did it.
  fileprivate func replacing(_ former: Int, by latter: Int) -> Self {
    func replaced(_ place: Int) -> Int { place == former ? latter : place }
    return switch self {
    case .write(let place, let clock, let acts): .write(replaced(place), clock: clock, acts)
    case .undo(let place, let clock): .undo(replaced(place), clock: clock)
    case .redo(let place, let clock): .redo(replaced(place), clock: clock)
    case .hear(let place, let pick): .hear(replaced(place), pick: pick)
    case .catchUp(let place, let from, let pick): .catchUp(replaced(place), from: replaced(from), pick: pick)
    case .takeState(let place, let from): .takeState(replaced(place), from: replaced(from))
    case .collect(let place, let ignored): .collect(replaced(place), ignoring: Set(ignored.map { replaced($0) }))
    }
  }
}

extension Finding {
  /// The same fault, or another one, with as few steps as can be found by leaving some out, ever fewer at a time
  /// (Zeller and Hildebrandt, “Simplifying and isolating failure-inducing input”, 2002), with few replicas and
  /// small numbers.
  package func shrunk() -> Finding {
    var best = self
    repeat { best.dropSteps() } while best.joinReplicas() || best.lowerNumbers()
    return best
  }

  private mutating func dropSteps() {
    var size = max(1, world.steps.count / 2)
    while true {
      var start = 0
      var hasShrunk = false
      while start < world.steps.count {
        var fewer = world
        fewer.steps.removeSubrange(start..<min(start + size, fewer.steps.count))
        if let finding = fewer.finding() {
          self = finding
          hasShrunk = true
        } else {
          start += size
        }
      }
      if dropAct() { hasShrunk = true }
      if size == 1, !hasShrunk { return }
      if !hasShrunk || size > world.steps.count { size = max(1, size / 2) }
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

  /// Has one replica do what two do, the one that comes first.
  ///
  /// - Returns: Whether it did.
  private mutating func joinReplicas() -> Bool {
    var hasJoined = false
    for former in world.replicas.indices {
      for latter in 0..<former {
        var joined = world
        joined.steps = world.steps.map { $0.replacing(former, by: latter) }
        guard joined.steps != world.steps, let finding = joined.finding() else { continue }
        (self, hasJoined) = (finding, true)
      }
    }
    return hasJoined
  }

  /// Makes the numbers of acts less where that takes nothing from the fault. With other numbers an act may do alone
  /// what took two steps before.
  ///
  /// - Returns: Whether it did.
  private mutating func lowerNumbers() -> Bool {
    var hasLowered = false
    for step in world.steps.indices {
      guard case .write(let replica, let clock, let acts) = world.steps[step] else { continue }
      var lowered = acts
      for act in acts.indices {
        for number in [\World.Act.a, \World.Act.b] {
          for less in 0..<min(8, lowered[act][keyPath: number]) {
            var tried = lowered
            tried[act][keyPath: number] = less
            var world = world
            world.steps[step] = .write(replica, clock: clock, tried)
            guard let finding = world.finding() else { continue }
            (self, lowered, hasLowered) = (finding, tried, true)
            break
          }
        }
      }
    }
    return hasLowered
  }
}
