import StarlingCore

/// One plain array on its way into its list, from the front to the back; `ListWriter` writes a `ReplicatedArray`, step by
/// step. Elements that another replica removed at the same time are passed over; those that it inserted stay where
/// they are.
struct ArrayWriting {
  private let container: ObjectID
  private(set) var shown: ShownElements
  private let stretch: Range<Int>
  /// The names in the stretch.
  private let seen: [Dot]
  private let staying: Set<Int>
  private let moving: Set<Int>
  private let isNamed: Bool
  private let wasSettled: Bool
  /// Where merges are not visible yet, how the array lies among them as it is written; nil where that is not followed,
  /// and the array is read whole when they become visible.
  private var alignment: Alignment?
  private var passed: [Dot] = []
  /// Where the next element goes, in the document.
  private(set) var index = 0

  /// More steps than these are not followed: each of them looks at all pieces of the alignment.
  private static let stepCountFollowedMax = 128

  init(_ list: ListWrites, _ shown: ShownElements, _ container: ObjectID, _ document: borrowing Document) {
    self.container = container
    self.shown = shown
    // An array that shows its default has elements without names: nothing of the document is meant by them.
    isNamed = shown.names.count == list.seenCount
    wasSettled = isNamed && shown.isSettled(among: document.count(in: container))
    stretch = isNamed ? list.stretch : 0..<0
    seen = shown.names[stretch]
    var (staying, moving) = (Set<Int>(), Set<Int>())
    for step in list.steps {
      switch step {
      case .kept(let index), .rewritten(let index, _): staying.insert(index)
      case .moved(let index): moving.insert(index)
      case .new: break
      }
    }
    self.staying = staying
    self.moving = moving
    if isNamed, !wasSettled, stretch.count + list.steps.count <= Self.stepCountFollowedMax,
      !list.writes.contains(where: { $0.moves })
    {
      alignment = shown.alignment
    }
  }

  /// All is written.
  mutating func finish(_ document: borrowing Document) {
    let count = document.count(in: container)
    if isNamed {
      shown.replace(
        stretch, with: passed,
        wasSettled ? Alignment(both: shown.names.count - stretch.count + passed.count) : alignment,
        among: count)
    } else {
      shown.show(ElementNames(), nil, among: count)
    }
  }

  /// Not all is written.
  mutating func giveUp() { shown.startAgain() }

  /// What an element is called that the user saw.
  private func name(_ place: Int) -> Dot? { stretch.contains(place) ? seen[place - stretch.lowerBound] : nil }

  /// Removes what does not stay, elements that stand next to each other together.
  mutating func removeLeaving(_ space: ModelSpace, _ document: inout Document, _ patch: inout Patch) {
    let isSettingAside = TransactionScope.current != nil
    var run: Range<Int>?
    for place in stretch.reversed() where !staying.contains(place) {
      let name = seen[place - stretch.lowerBound]
      let visible = document.visible(.element(name), in: container)
      var standing = document.index(of: name, in: container)
      // What is counted by index must not change while a run waits.
      if let waiting = run,
        standing.map({ $0 + 1 }) != waiting.lowerBound || alignment != nil || (isSettingAside && visible.isObject)
      {
        document.removeItems(waiting, in: container, patch: &patch)
        run = nil
        standing = document.index(of: name, in: container)
      }
      if moving.contains(place) {
        alignment?.takeOut(at: place, standing: standing)
        continue
      }
      alignment?.remove(at: place, standing: standing)
      guard let standing, !space.setAside(visible, in: &document, &patch) else { continue }
      run = standing..<(run?.upperBound ?? standing + 1)
    }
    if let run { document.removeItems(run, in: container, patch: &patch) }
  }

  /// Goes behind the last element before the stretch that still stands.
  mutating func beginAtStretch(_ document: borrowing Document) {
    for place in (0..<stretch.lowerBound).reversed() {
      guard let standing = document.index(of: shown.names[place], in: container) else { continue }
      return index = standing + 1
    }
  }

  mutating func perform(_ step: ListWrites.Step, _ document: inout Document, _ patch: inout Patch) {
    switch step {
    case .kept(let place):
      pass(place, document)
    case .rewritten(let place, let write):
      guard let name = pass(place, document) else { return }
      document.set(write.elementValue, for: .element(name), in: container, patch: &patch)
    case .moved(let place):
      guard let name = name(place) else { return }
      defer { passed.append(name) }
      let visible = stretch.lowerBound + passed.count
      guard let from = document.index(of: name, in: container) else {
        alignment?.insertGone(at: visible)
        return
      }
      let to = from < index ? index - 1 : index
      document.move(from: from, to: to, in: container, patch: &patch)
      index = to + 1
      alignment?.note(.remove(at: from, count: 1))
      follow(1, at: visible, to)
    case .new: break
    }
  }

  mutating func passNew(_ dots: [Dot]) {
    follow(dots.count, at: stretch.lowerBound + passed.count, index)
    passed += dots
    index += dots.count
  }

  /// Elements came, here at `visible` and in the document at `index`.
  private mutating func follow(_ count: Int, at visible: Int, _ index: Int) {
    if alignment?.insert(count, atVisible: visible, document: index) == false { alignment = nil }
  }

  /// - Returns: What the element is called, if it has a name.
  @discardableResult
  private mutating func pass(_ place: Int, _ document: borrowing Document) -> Dot? {
    guard let name = name(place) else { return nil }
    passed.append(name)
    if let standing = document.index(of: name, in: container) { index = standing + 1 }
    return name
  }
}

extension Visible {
  fileprivate var isObject: Bool {
    if case .value(.object, by: _) = self { true } else { false }
  }
}
