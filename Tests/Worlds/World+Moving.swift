import StarlingTestSupport

extension World {
  /// Draws a world in which objects move between parents.
  package init(movingIn seed: UInt64) {
    var dice = Dice(seed: seed)
    let count = 2 + dice.roll(3)
    let replicas = (0..<count).map { _ in dice.next() | 1 }
    var verbs: [Act.Verb] = [.place, .place, .place, .removeObject, .editObject, .newObject]
    let others: [Act.Verb] = [.setAside, .clear, .move, .removeElements, .setElement, .set, .assign]
    for _ in 0..<dice.roll(3) { verbs.append(dice.pick(others)) }
    let places = (0..<2 + dice.roll(2)).map { _ in dice.roll(6) }
    func act(_ verb: Act.Verb, _ dice: inout Dice) -> Act {
      Act(verb: verb, place: dice.pick(places), a: dice.roll(64), b: dice.roll(64))
    }
    let away = dice.oneIn(4) ? dice.roll(count) : nil
    let ignores = away != nil && dice.oneIn(3)
    let undoes = dice.oneIn(3)
    var steps: [Step] = []
    let base = (0..<1 + dice.roll(3)).map { _ in act(.newObject, &dice) }
    steps.append(.write(0, clock: UInt64(dice.roll(6)), base))
    for place in 1..<count { steps.append(.catchUp(place, from: 0, pick: 0)) }
    for _ in 0..<4 + dice.roll(12) {
      let place = dice.roll(count)
      let from = (place + 1 + dice.roll(count - 1)) % count
      switch dice.roll(20) {
      case 0..<9:
        let acts = (0..<1 + (dice.oneIn(3) ? 1 : 0)).map { _ in act(dice.pick(verbs), &dice) }
        steps.append(.write(place, clock: UInt64(dice.roll(6)), acts))
      case 9..<12 where place != away: steps.append(.hear(place, pick: dice.roll(64)))
      case 12..<15 where place != away: steps.append(.catchUp(place, from: from, pick: dice.roll(64)))
      case 15..<17 where place != away: steps.append(.takeState(place, from: from))
      case 17 where undoes: steps.append(.undo(place, clock: UInt64(dice.roll(6))))
      case 18 where undoes && dice.oneIn(2): steps.append(.redo(place, clock: UInt64(dice.roll(6))))
      case 17...19: steps.append(.collect(place, ignoring: ignores && place != away ? [away!] : []))
      default: continue
      }
    }
    self.seed = seed
    self.replicas = replicas
    self.steps = steps
    movesObjects = true
  }
}
