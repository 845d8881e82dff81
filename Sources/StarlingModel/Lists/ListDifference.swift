import StarlingEngine

/// How one stretch of an array becomes another: which elements stay, which go to another place, which take on
/// another value, and which are new. An element of the former stretch that no step names goes.
///
/// ```
///   seen      a  b  c  d
///                             │  b and d stay: the longest run that is in order both before and after
///   wanted    b  x  d  a      │  a moves behind d; c, alone between b and d as x is, becomes x
/// ```
package struct ListDifference {
  enum Step: Hashable {
    /// The element that was seen at this index stays where it is among those that stay.
    case kept(Int)
    /// The element that was seen at this index comes here.
    case moved(Int)
    /// The element that was seen at this index stays and takes on the value.
    case rewritten(Int)
    case new
  }

  /// One for each element that is wanted, in their order.
  private(set) var steps: [Step]

  /// - Parameters:
  ///   - seen: what tells the elements apart that were there; of equal ones the first stands for the first.
  ///   - mayRewrite: whether an element may take on another value, where as many go as come between two that stay.
  /// - Complexity: O(*n* log *n*)
  init<Identity: Hashable>(from seen: [Identity], to wanted: [Identity], mayRewrite: Bool) {
    var places: [Identity: [Int]] = [:]
    for (place, identity) in seen.enumerated().reversed() { places[identity, default: []].append(place) }
    let matches = wanted.map { places[$0]?.popLast() }
    let kept = LongestAscent.members(of: matches)
    steps = zip(matches, kept).map { match, isKept in
      match.map { isKept ? .kept($0) : .moved($0) } ?? .new
    }
    if mayRewrite { rewrite(among: seen.count, matches) }
  }

  /// Between two elements that stay, lets those that would go take on the values of those that would come, if
  /// they are as many.
  private mutating func rewrite(among seenCount: Int, _ matches: [Int?]) {
    var isMatched = [Bool](repeating: false, count: seenCount)
    for case let match? in matches { isMatched[match] = true }
    var firstSeen = 0
    var arrivals: [Int] = []
    func close(_ steps: inout [Step], before nextKept: Int) {
      let leaving = (firstSeen..<nextKept).filter { !isMatched[$0] }
      if leaving.count == arrivals.count {
        for (arrival, seen) in zip(arrivals, leaving) { steps[arrival] = .rewritten(seen) }
      }
      firstSeen = nextKept + 1
      arrivals = []
    }
    for place in steps.indices {
      switch steps[place] {
      case .kept(let seen): close(&steps, before: seen)
      case .new: arrivals.append(place)
      case .moved, .rewritten: break
      }
    }
    close(&steps, before: seenCount)
  }
}
