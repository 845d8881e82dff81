import StarlingCore

/// Marks of a text on its own, in the order in which they were put; a later one overrules.
struct LooseMark: Hashable, Sendable {
  var range: Range<Int>
  var name: Key
  /// Null takes the property away.
  var value: Value
  var expandsLeft: Bool
  var expandsRight: Bool

  /// The mark after `count` scalars at `edited` were replaced.
  func shifted(by edited: Range<Int>, with count: Int) -> LooseMark {
    func moved(_ index: Int, staysBefore: Bool) -> Int {
      if index < edited.lowerBound || index == edited.lowerBound && staysBefore { return index }
      if index < edited.upperBound { return staysBefore ? edited.lowerBound : edited.lowerBound + count }
      return index + count - edited.count
    }
    let start = moved(range.lowerBound, staysBefore: expandsLeft)
    let end = moved(range.upperBound, staysBefore: !expandsRight)
    var copy = self
    copy.range = start..<max(start, end)
    return copy
  }

  /// What marks come to, each property over maximal ranges.
  static func resolve(_ marks: [LooseMark]) -> [MarkedRange] {
    let borders = Set(marks.flatMap { [$0.range.lowerBound, $0.range.upperBound] }).sorted()
    var found: [MarkedRange] = []
    for name in Set(marks.map(\.name)) {
      var last: MarkedRange?
      for (start, end) in zip(borders, borders.dropFirst()) {
        let value = marks.last { $0.name == name && $0.range.contains(start) }?.value ?? .null
        if let present = last, present.value == value, present.range.upperBound == start {
          last!.range = present.range.lowerBound..<end
          continue
        }
        if let last { found.append(last) }
        last = value == .null ? nil : MarkedRange(range: start..<end, name: name, value: value)
      }
      if let last { found.append(last) }
    }
    return found.sorted { ($0.range.lowerBound, $0.name) < ($1.range.lowerBound, $1.name) }
  }
}
