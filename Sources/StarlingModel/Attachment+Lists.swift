import StarlingCore
import StarlingEngine
import StarlingGraph
import StarlingGuard

/// The names of the elements that an array shows, in order. An array that shows its default has none.
final class ElementNames: Sendable {
  let dots: [Dot]

  init(_ dots: [Dot]) {
    self.dots = dots
  }

  /// The names of the members that could be read.
  convenience init(of reading: FieldReading, without unread: [FieldReading.Member]) {
    let unread = Set(unread.map(\.key))
    self.init(
      reading.members.compactMap { member in
        if case .element(let dot) = member.key, !unread.contains(member.key) { dot } else { nil }
      })
  }

  static let none = ElementNames([])
}

/// The element names of a model's arrays, by their keys. They change under the document's lock, together with the
/// cells that show the elements.
final class ListNames: Sendable {
  private let names = Guarded<[Key: ElementNames]>([:])

  subscript(key: Key) -> ElementNames {
    get { names.withLock { $0[key] } ?? .none }
    set { names.withLock { $0[key] = newValue } }
  }
}

extension Attachment {
  /// Writes an array: its elements are addressed by name, and what the names stand for may change until the
  /// document's lock is held.
  ///
  /// ```
  ///   lock ─ content, names ─ unlock │ compare, encode │ lock ─ same names? write ─ unlock
  ///                                                       └ no ──► once more
  /// ```
  func writeList<Model: ReplicatedModel, C: FieldCoding>(
    _ field: borrowing Field<C.Content>, _ id: Int, _ model: Model, from old: C.Content, to new: C.Content,
    _ coding: C
  ) {
    guard let names = schema.names[id] else { return }
    let key = names.key(for: coding.shape)
    var isWritten = false
    while !isWritten {
      let (present, seen) = space.handle.read { _ in (field.cell.peek(in: model._$model.home), lists[key]) }
      let wanted = coding.merge(present, from: old, to: new)
      if coding.isSame(present, wanted) { return }
      let write = write(of: id, from: present, to: wanted, coding, at: place(key))
      if case .nothing = write { return }
      isWritten = perform(write, field, id, model, from: present, to: wanted, coding) { lists[key] !== seen }
    }
  }
}

extension ModelSpace {
  /// Under the document's lock.
  func perform(
    _ list: ListWrites, _ key: Key, in object: ObjectID, owner: Attachment, _ document: inout Document,
    _ patch: inout Patch
  ) {
    let container = document.declare(.list, for: key, in: object)
    if let whole = list.whole, document.visible(key, in: object) == .absent {
      // The first write on top of a default that is not empty: from now on the document says what is there.
      document.set(.derived(.list), for: key, in: object, patch: &patch)
      owner.lists[key] = ElementNames(insert(whole, at: 0, in: container, owner, &document, &patch) ?? [])
      return
    }
    var writing = ListWriting(list, names: owner.lists[key].dots, container)
    writing.removeLeaving(self, &document, &patch)
    writing.beginAtStretch(document)
    var place = 0
    while place < list.steps.count {
      let arrivals = list.steps[place...].prefix { $0.isNew }.compactMap(\.write)
      if arrivals.isEmpty {
        writing.perform(list.steps[place], &document, &patch)
        place += 1
      } else {
        let dots = insert(arrivals, at: writing.index, in: container, owner, &document, &patch)
        // Refused for its size: what was to follow is not written either.
        guard let dots else { return }
        writing.passNew(dots)
        place += arrivals.count
      }
    }
    owner.lists[key] = ElementNames(writing.names)
  }

  /// Puts new elements in, plants the models among them that are new, and moves the others.
  ///
  /// - Returns: Their names; nil if not all was written.
  func insert(
    _ writes: [FieldWrite], at index: Int, in list: ObjectID, _ owner: Attachment, _ document: inout Document,
    _ patch: inout Patch
  ) -> [Dot]? {
    var dots: [Dot] = []
    var rest = writes[...]
    while let next = rest.first {
      let place = index + dots.count
      if case .move(let object) = next {
        guard let dot = move(object, to: place, in: list, &document, &patch) else { return nil }
        dots.append(dot)
        rest.removeFirst()
      } else {
        let run = Array(rest.prefix { !$0.moves })
        guard let first = insertNew(run, at: place, in: list, owner, &document, &patch) else { return nil }
        dots += first.following(count: run.count)
        rest.removeFirst(run.count)
      }
    }
    return dots
  }

  private func insertNew(
    _ writes: [FieldWrite], at index: Int, in list: ObjectID, _ owner: Attachment, _ document: inout Document,
    _ patch: inout Patch
  ) -> Dot? {
    let values = writes.map(\.elementValue)
    guard let first = document.insert(values, at: index, in: list, patch: &patch) else { return nil }
    for (dot, write) in zip(first.following(count: writes.count), writes) {
      guard case .assign(let planting) = write else { continue }
      let child = ObjectID.assigned(by: dot)
      planting.plant(at: child, Lineage(base: child), in: self, owner, &document, &patch)
    }
    return first
  }
}

/// One array on its way into its list, from the front to the back. Elements that another replica removed meanwhile
/// are passed over; those that it inserted stay where they are.
private struct ListWriting {
  private let container: ObjectID
  private let stretch: Range<Int>
  private let seen: [Dot]
  private let staying: Set<Int>
  private let isNamed: Bool
  private var passed: [Dot] = []
  /// Where the next element goes, in the document.
  private(set) var index = 0

  init(_ list: ListWrites, names: [Dot], _ container: ObjectID) {
    self.container = container
    // An array that shows its default has elements without names: nothing of the document is meant by them.
    isNamed = names.count == list.seenCount
    stretch = isNamed ? list.stretch : 0..<0
    seen = isNamed ? names : []
    staying = Set(
      list.steps.compactMap {
        switch $0 {
        case .kept(let index), .moved(let index), .rewritten(let index, _): index
        case .new: nil
        }
      })
  }

  /// The names of all elements when the writing is done.
  var names: [Dot] {
    var names = seen
    if isNamed { names.replaceSubrange(stretch, with: passed) }
    return names
  }

  /// Removes what does not stay, elements that stand next to each other together.
  func removeLeaving(_ space: ModelSpace, _ document: inout Document, _ patch: inout Patch) {
    var run: Range<Int>?
    for place in stretch.reversed() where !staying.contains(place) {
      guard let index = document.index(of: seen[place], in: container) else { continue }
      if space.setAside(document.visible(.element(seen[place]), in: container), in: &document, &patch) { continue }
      if let present = run, present.lowerBound == index + 1 {
        run = index..<present.upperBound
      } else {
        if let run { document.removeItems(run, in: container, patch: &patch) }
        run = index..<index + 1
      }
    }
    if let run { document.removeItems(run, in: container, patch: &patch) }
  }

  /// Goes behind the last element before the stretch that still stands.
  mutating func beginAtStretch(_ document: borrowing Document) {
    for place in (0..<stretch.lowerBound).reversed() {
      guard let standing = document.index(of: seen[place], in: container) else { continue }
      return index = standing + 1
    }
  }

  mutating func perform(_ step: ListWrites.Step, _ document: inout Document, _ patch: inout Patch) {
    switch step {
    case .kept(let place):
      pass(place, document)
    case .rewritten(let place, let write):
      guard pass(place, document) else { return }
      document.set(write.elementValue, for: .element(seen[place]), in: container, patch: &patch)
    case .moved(let place):
      guard seen.indices.contains(place) else { return }
      passed.append(seen[place])
      guard let from = document.index(of: seen[place], in: container) else { return }
      let to = from < index ? index - 1 : index
      document.move(from: from, to: to, in: container, patch: &patch)
      index = to + 1
    case .new: break
    }
  }

  mutating func passNew(_ dots: [Dot]) {
    passed += dots
    index += dots.count
  }

  /// - Returns: Whether the element has a name.
  @discardableResult
  private mutating func pass(_ place: Int, _ document: borrowing Document) -> Bool {
    guard seen.indices.contains(place) else { return false }
    passed.append(seen[place])
    if let standing = document.index(of: seen[place], in: container) { index = standing + 1 }
    return true
  }
}

extension FieldWrite {
  /// What an element holds that is written so.
  var elementValue: Value {
    switch self {
    case .set(let value): value
    case .assign, .move: .object(.map)
    default: preconditionFailure("\(self) is no write of an element.")
    }
  }
}

extension Dot {
  /// The names that begin with this one.
  func following(count: Int) -> some Sequence<Dot> {
    (0..<count).lazy.map { Dot(replica, counter + UInt64($0)) }
  }
}
