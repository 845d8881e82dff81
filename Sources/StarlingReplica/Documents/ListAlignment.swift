import StarlingEngine

/// Which elements of a list go on as which elements of another: those that read alike, and of the rest objects for
/// objects, in order.
struct ListAlignment {
  /// For each element of the new list the old one that it goes on from; nil for a new one.
  private(set) var sources: [Int?]
  /// The old ones that go on.
  private(set) var kept: Set<Int> = []
  /// Of these, those that keep their order among each other.
  private(set) var inPlace: Set<Int> = []

  /// Comparing is quadratic in the worst case: of longer middles each element is compared with the one at its place.
  private static let comparedCountMax = 1024

  init(from old: [JSONValue], to new: [JSONValue]) {
    sources = Array(repeating: nil, count: new.count)
    let prefix = zip(old, new).prefix { $0 == $1 }.count
    let suffix = zip(old[prefix...].reversed(), new[prefix...].reversed()).prefix { $0 == $1 }.count
    for place in 0..<prefix { keep(place, as: place) }
    for place in 0..<suffix { keep(old.count - 1 - place, as: new.count - 1 - place) }
    let (oldMiddle, newMiddle) = (prefix..<old.count - suffix, prefix..<new.count - suffix)
    if max(oldMiddle.count, newMiddle.count) > Self.comparedCountMax {
      for (source, place) in zip(oldMiddle, newMiddle) where old[source] == new[place] { keep(source, as: place) }
    } else {
      keepCommon(Array(old[oldMiddle]), Array(new[newMiddle]), from: prefix)
      adopt(oldMiddle, newMiddle) { old[$0] == new[$1] }
    }
    adopt(oldMiddle, newMiddle) { old[$0].isContainer && new[$1].isContainer(like: old[$0]) }
    settleOrder()
  }

  private mutating func keep(_ source: Int, as place: Int) {
    sources[place] = source
    kept.insert(source)
  }

  private mutating func keepCommon(_ old: [JSONValue], _ new: [JSONValue], from start: Int) {
    let difference = new.difference(from: old)
    var isRemoved = Set<Int>()
    for case .remove(let offset, _, _) in difference.removals { isRemoved.insert(offset) }
    var isNew = Set<Int>()
    for case .insert(let offset, _, _) in difference.insertions { isNew.insert(offset) }
    let stay = zip(old.indices.filter { !isRemoved.contains($0) }, new.indices.filter { !isNew.contains($0) })
    for (source, place) in stay { keep(start + source, as: start + place) }
  }

  /// Gives each new element that has none yet the first old one that nobody has and that suits it.
  private mutating func adopt(_ old: Range<Int>, _ new: Range<Int>, where suits: (Int, Int) -> Bool) {
    var free = old.filter { !kept.contains($0) }
    for place in new where sources[place] == nil {
      guard !free.isEmpty else { return }
      guard let index = free.prefix(Self.comparedCountMax).firstIndex(where: { suits($0, place) }) else { continue }
      keep(free.remove(at: index), as: place)
    }
  }

  /// The longest row of old elements that ascends may stay; the others are moved.
  private mutating func settleOrder() {
    for (source, isInPlace) in zip(sources, LongestAscent.members(of: sources)) where isInPlace {
      if let source { inPlace.insert(source) }
    }
  }
}

extension JSONValue {
  fileprivate var isContainer: Bool {
    switch self {
    case .array, .object: true
    default: false
    }
  }

  fileprivate func isContainer(like other: JSONValue) -> Bool {
    switch (self, other) {
    case (.array, .array), (.object, .object): true
    default: false
    }
  }
}
