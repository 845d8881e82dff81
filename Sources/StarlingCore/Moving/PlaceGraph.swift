/// Where objects stand that may have several places each (Protocol/merge.md, "Moving between parents"): a function of
/// the places alone, in whatever order they came.
///
/// ```
///   root ◄── a ◄── b          an arrow leads from an object to what one of its places stands in
///            ▲     │
///            c ──► d ◄─┐      c and d prefer each other; d has another place below the root, and stands there
///                  └───┘
/// ```
struct PlaceGraph {
  /// What a place stands in.
  enum Holder: Hashable {
    case root
    /// Another of the objects, by number, or something below it.
    case node(Int)
    /// What cannot be reached from the root.
    case nothing
  }

  struct Place {
    var dot: Dot
    var stamp: Stamp
    /// The place that the mover took the object from; nil for the entry that brought it into being.
    var from: Dot?
    var holder: Holder
  }

  /// The places of each object.
  var nodes: [[Place]] = []

  /// The number of the place at which each object stands; nil for one that nothing leads to from the root.
  func resolved() -> (places: [Int?], isCircling: Bool) {
    let standing = reachable
    // The places that stand, the first choice first.
    let choices = nodes.indices.map { node in
      standing[node] ? ordered(node, standing) : []
    }
    var found: [Int?] = choices.map { $0.first }
    var isRooted = [Bool](repeating: false, count: nodes.count)
    settle(found, &isRooted)
    var isCircling = false
    while let next = nextToPlace(found, choices, standing, isRooted) {
      isCircling = true
      found[next.node] = next.place
      isRooted[next.node] = true
      settle(found, &isRooted)
    }
    return (found, isCircling)
  }

  /// Whether any place of each object can be reached from the root.
  private var reachable: [Bool] {
    var held: [[Int]] = Array(repeating: [], count: nodes.count)
    var pending: [Int] = []
    for (node, places) in nodes.enumerated() {
      for place in places {
        switch place.holder {
        case .root: pending.append(node)
        case .node(let holder): held[holder].append(node)
        case .nothing: break
        }
      }
    }
    var isReached = [Bool](repeating: false, count: nodes.count)
    while let node = pending.popLast() {
      guard !isReached[node] else { continue }
      isReached[node] = true
      pending += held[node]
    }
    return isReached
  }

  /// The places of the object that stand, the first choice first.
  private func ordered(_ node: Int, _ standing: [Bool]) -> [Int] {
    let places = nodes[node]
    let kept = places.indices.filter { stands(places[$0], standing) }
    if kept.count < 2 { return kept }
    let left = Set(kept.compactMap { places[$0].from })
    return kept.sorted { places[$0].choice(left) < places[$1].choice(left) }
  }

  private func stands(_ place: Place, _ standing: [Bool]) -> Bool {
    switch place.holder {
    case .root: true
    case .node(let holder): standing[holder]
    case .nothing: false
    }
  }

  /// Marks what hangs from the root by the places found.
  private func settle(_ found: [Int?], _ isRooted: inout [Bool]) {
    for start in nodes.indices where !isRooted[start] {
      var chain: [Int] = []
      var seen: Set<Int> = []
      var node = start
      walk: while true {
        if isRooted[node] { break }
        guard seen.insert(node).inserted, let place = found[node] else {
          chain = []
          break
        }
        chain.append(node)
        switch nodes[node][place].holder {
        case .root: break walk
        case .node(let holder): node = holder
        case .nothing:
          chain = []
          break walk
        }
      }
      for node in chain { isRooted[node] = true }
    }
  }

  /// Of objects that move in a circle the one that leaves it, and for where: the first choice among the places in what
  /// is rooted already.
  private func nextToPlace(
    _ found: [Int?], _ choices: [[Int]], _ standing: [Bool], _ isRooted: [Bool]
  ) -> (node: Int, place: Int)? {
    let unrooted = nodes.indices.filter { standing[$0] && !isRooted[$0] }
    if unrooted.isEmpty { return nil }
    let circling = unrooted.filter { circles(from: $0, found) }
    return best(of: circling, choices, isRooted) ?? best(of: unrooted, choices, isRooted)
  }

  private func circles(from start: Int, _ found: [Int?]) -> Bool {
    var node = start
    for _ in nodes.indices {
      guard let place = found[node], case .node(let holder) = nodes[node][place].holder else { return false }
      node = holder
      if node == start { return true }
    }
    return false
  }

  private func best(of members: [Int], _ choices: [[Int]], _ isRooted: [Bool]) -> (node: Int, place: Int)? {
    var best: (node: Int, place: Int, choice: PlaceChoice)?
    for node in members {
      let left = Set(choices[node].compactMap { nodes[node][$0].from })
      for place in choices[node] {
        switch nodes[node][place].holder {
        case .root: break
        case .node(let holder) where isRooted[holder]: break
        default: continue
        }
        let choice = nodes[node][place].choice(left)
        if let former = best, !(choice < former.choice) { continue }
        best = (node, place, choice)
      }
    }
    return best.map { ($0.node, $0.place) }
  }
}

extension PlaceGraph.Place {
  /// - Parameter left: The places of the object that somebody took it away from.
  fileprivate func choice(_ left: Set<Dot>) -> PlaceChoice {
    PlaceChoice(dot: dot, stamp: stamp, isLeft: left.contains(dot))
  }
}

/// How an object chooses among its places (Protocol/merge.md, "Moving between parents"): those that nobody took it away
/// from come first, then the latest.
struct PlaceChoice: Comparable {
  var dot: Dot
  var stamp: Stamp
  /// Whether somebody took the object away from here, to another place that stands.
  var isLeft: Bool

  static func < (one: PlaceChoice, other: PlaceChoice) -> Bool {
    if one.isLeft != other.isLeft { return other.isLeft }
    return (other.stamp, other.dot) < (one.stamp, one.dot)
  }
}
