import StarlingCore
import StarlingEngine
import StarlingGraph

/// One step of a write to a list; indices count in what the steps before left.
enum ListStep<Element> {
  typealias Name = ElementOrder<ListStorage<Element>.Item>.Name

  case insert([Element], at: Int)
  case remove(Range<Int>)
  case move(Name, to: Int)
  case set(Name, Element)
}

extension ListStorage {
  /// A step with what it writes, which is worked out with no lock held.
  private struct Prepared {
    var step: ListStep<Element>
    var writes: [FieldWrite] = []
  }

  /// Takes steps as they are worked out of what stands in the list: once more, where other elements stand there by the
  /// time they would be taken, as another thread has written them or a merge become visible.
  func write(_ steps: () -> [ListStep<Element>]) {
    var isDone = false
    while !isDone {
      let version = withState { $0.order.version }
      isDone = write(steps(), ifStill: version)
    }
  }

  /// Takes steps one after another, as one change.
  ///
  /// - Parameter version: of the order that the steps were worked out for.
  /// - Returns: False if nothing was taken, since the order is another.
  func write(_ steps: [ListStep<Element>], ifStill version: Int) -> Bool {
    guard !steps.isEmpty else { return true }
    return batch {
      let done = Done()
      if let attachment, let elements {
        guard let prepared = prepare(steps, at: attachment.place(key), elements) else { return true }
        if prepared.isEmpty { return true }
        let standard = defaultWrites(at: attachment.place(key), elements)
        let writes = prepared.flatMap(\.writes) + (standard ?? [])
        inOneChange(if: writes.contains { $0.holdsMoves }) {
          writeAttached(prepared, ifStill: version, default: standard, attachment, elements, done)
          if !done.isGone, !done.isStale, done.refusal == nil { for write in writes { attachment.space.finish(write) } }
        }
      } else {
        let steps = steps.filter { !isNoChange($0, elements) }
        withState { state in
          done.isStale = state.order.version != version
          if !done.isStale { for step in steps { state.take(step, done) } }
        }
      }
      if done.isStale { return false }
      if done.isGone, let attachment {
        ModelIncident.report(.writeToRemoved(attachment.object, property: attachment.schema.label(at: key)))
      }
      if done.missed > 0 { ModelIncident.report(.bindingToNothing) }
      tell(done)
      if let moves = done.moves, let attachment { attachment.space.show(moves, of: attachment) }
      if let refusal = done.refusal { ModelIncident.refuse(refusal) }
      if done.refusal != nil || done.isMisaligned, let attachment {
        attachment.space.refresh([Subject(attachment: attachment, itemsOf: self)])
      }
      return true
    }
  }

  /// Nil where one of the elements cannot be written.
  private func prepare(
    _ steps: [ListStep<Element>], at place: Place, _ elements: any KeyedElements<Element>
  ) -> [Prepared]? {
    var prepared: [Prepared] = []
    var models: Set<ObjectIdentifier> = []
    for step in steps where !isNoChange(step, elements) {
      if place.attachment.refusesWrite(under: place.key) { return nil }
      var writes: [FieldWrite] = []
      for element in step.elements {
        if elements.holdsObjects, !models.insert(ObjectIdentifier(element as AnyObject)).inserted {
          ModelIncident.report(.attachedTwice(type: "\(Element.self)"))
          return nil
        }
        guard let write = elements.write(element, at: place, isDerived: false) else { return nil }
        writes.append(write)
      }
      prepared.append(Prepared(step: step, writes: writes))
    }
    return prepared
  }

  /// What must be written first on top of a default; nil where none shows.
  private func defaultWrites(at place: Place, _ elements: any KeyedElements<Element>) -> [FieldWrite]? {
    guard withState({ $0.showsDefault }) else { return nil }
    return present.compactMap { elements.write($0.element, at: place, isDerived: false) }
  }

  private func isNoChange(_ step: ListStep<Element>, _ elements: (any KeyedElements<Element>)?) -> Bool {
    switch step {
    case .insert(let new, at: _): return new.isEmpty
    case .remove(let range): return range.isEmpty
    // Where it stands by then, the steps before decide.
    case .move: return false
    case .set(let name, let element):
      guard let item = withState({ $0.order[name] }) else { return false }
      if case .element(let present, _) = item.member {
        return elements?.isSame(present, element) ?? areEqual(present, element) ?? false
      }
      guard case .object(let object, _, _) = item.member,
        case .model(let resident)? = attachment?.space.resident(object),
        let present = resident.model as? Element
      else { return false }
      return elements?.isSame(present, element) ?? false
    }
  }

  private func writeAttached(
    _ prepared: [Prepared], ifStill version: Int, default standard: [FieldWrite]?, _ attachment: Attachment,
    _ elements: any KeyedElements<Element>, _ done: Done
  ) {
    let space = attachment.space
    space.write { document, patch in
      guard !attachment.isGone, lineage.isLive(in: document) else {
        done.isGone = true
        return
      }
      done.isStale = withState { $0.order.version != version }
      if done.isStale { return }
      var weight = ChangeWeight()
      for writes in [standard ?? []] + prepared.map(\.writes) where !writes.isEmpty { weight.add(insertion: writes) }
      done.refusal = document.refusal(of: weight, under: key, in: attachment.object)
      guard done.refusal == nil else { return }
      lineage.declare(in: &document)
      withState { state in
        var writing = ListWriter(self, state, attachment, elements, done)
        state = State()
        if let standard { writing.leaveDefault(standard, &document, &patch) }
        for prepared in prepared where done.refusal == nil {
          writing.take(prepared.step, prepared.writes, &document, &patch)
          done.refusal = document.takeRefusal()
        }
        state = writing.state
        if done.refusal != nil || done.isMisaligned {
          // Of several operations some may stand: what the document holds is shown.
          state.alignment = Alignment(visible: state.order.count, document: document.count(in: object))
        }
      }
      done.removed += patch.removedObjects
      let moves = prepared.contains { $0.writes.contains { $0.moves } }
      done.moves = space.noteReach(of: patch, moves: moves, besides: object, isShown: true)
    }
  }
}

/// A write to a list that stands in a document, under its lock.
struct ListWriter<Element> {
  typealias Storage = ListStorage<Element>

  private let storage: Storage
  private(set) var state: Storage.State
  private let owner: Attachment
  private let elements: any KeyedElements<Element>
  private let done: Storage.Done

  init(
    _ storage: Storage, _ state: Storage.State, _ owner: Attachment, _ elements: any KeyedElements<Element>,
    _ done: Storage.Done
  ) {
    self.storage = storage
    self.state = state
    self.owner = owner
    self.elements = elements
    self.done = done
  }

  /// The first write on top of a default: from now on the document says what is there, unless another replica has
  /// said so already.
  mutating func leaveDefault(_ writes: [FieldWrite], _ document: inout Document, _ patch: inout Patch) {
    state.showsDefault = false
    guard storage.isUnwritten(in: document) else { return }
    document.set(.derived(.list), for: storage.key, in: owner.object, patch: &patch)
    plant(writes, &document, &patch)
  }

  /// Writes all that is here.
  mutating func plant(_ writes: [FieldWrite], _ document: inout Document, _ patch: inout Patch) {
    let list = storage.object
    document.removeItems(0..<document.count(in: list), in: list, patch: &patch)
    guard let dots = owner.space.insert(writes, at: 0, in: list, owner, &document, &patch) else { return }
    state.alignment = Alignment(both: writes.count)
    for (name, dot) in zip(state.order.names, dots) {
      guard let item = state.order[name] else { continue }
      _ = state.order.exchange(settled(item.member, dot), of: name)
      state.names[dot] = name
      done.displaced.append(Storage.Item(member: item.member, dot: dot))
    }
  }

  /// A model has become an object of the document.
  private func settled(_ member: Member<Element>, _ dot: Dot) -> Storage.Item {
    guard case .element(let element, _) = member, let (object, lineage) = elements.object(of: element) else {
      return Storage.Item(member: member, dot: dot)
    }
    return Storage.Item(member: .object(object, lineage, nil), dot: dot)
  }

  mutating func take(
    _ step: ListStep<Element>, _ writes: [FieldWrite], _ document: inout Document, _ patch: inout Patch
  ) {
    switch step {
    case .insert(let new, let index): insert(new, writes, at: index, &document, &patch)
    case .remove(let range): remove(range, &document, &patch)
    case .move(let name, let index): move(name, to: index, &document, &patch)
    case .set(let name, let element): set(name, element, writes[0], &document, &patch)
    }
  }

  private mutating func insert(
    _ new: [Element], _ writes: [FieldWrite], at index: Int, _ document: inout Document, _ patch: inout Patch
  ) {
    var index = index
    var (new, writes) = (new[...], writes[...])
    while let write = writes.first {
      if let name = nameOfElement(write, document) {
        // It stands in this list already.
        if let from = state.order.index(of: name), from < index { index -= 1 }
        move(name, to: index, &document, &patch)
        index += 1
        writes.removeFirst()
        new.removeFirst()
        continue
      }
      let count = writes.prefix { nameOfElement($0, document) == nil }.count
      let place = state.alignment.insert(count, at: index)
      let dots = owner.space.insert(
        Array(writes.prefix(count)), at: place, in: storage.object, owner, &document, &patch)
      guard let dots else {
        done.isMisaligned = true
        return
      }
      for (offset, (element, dot)) in zip(new, dots).enumerated() {
        let item = settled(.element(element, isDerived: false), dot)
        state.names[dot] = state.order.insert(item, at: index + offset)
      }
      state.noteInsertion(at: index, done)
      index += count
      writes.removeFirst(count)
      new.removeFirst(count)
    }
  }

  /// What the object is called that the write moves, where it stands in this list.
  private func nameOfElement(_ write: FieldWrite, _ document: borrowing Document) -> Storage.Name? {
    guard case .move(let object) = write, let place = document.place(of: object), place.holder == storage.object,
      case .element(let dot) = place.key
    else { return nil }
    return state.names[dot]
  }

  private mutating func remove(_ range: Range<Int>, _ document: inout Document, _ patch: inout Patch) {
    let list = storage.object
    if state.alignment.isSettled, !elements.holdsObjects || TransactionScope.current == nil {
      for range in state.alignment.remove(range) { document.removeItems(range, in: list, patch: &patch) }
    } else {
      // An element that another replica has moved goes from where it stands now.
      for index in range.reversed() {
        let dot = state.order[state.order.name(at: index)]?.dot
        let standing = dot.flatMap { document.index(of: $0, in: list) }
        if state.alignment.remove(index..<index + 1).isEmpty, let standing {
          state.alignment.note(.remove(at: standing, count: 1))
        }
        guard let dot, let standing else { continue }
        if owner.space.setAside(document.visible(.element(dot), in: list), in: &document, &patch) { continue }
        document.removeItems(standing..<standing + 1, in: list, patch: &patch)
      }
    }
    state.remove(range, done)
  }

  private mutating func move(
    _ name: Storage.Name, to index: Int, _ document: inout Document, _ patch: inout Patch
  ) {
    let list = storage.object
    guard let from = state.order.index(of: name), let dot = state.order[name]?.dot,
      let standing = document.index(of: dot, in: list)
    else {
      done.missed += 1
      return
    }
    if from == index { return }
    if state.alignment.remove(from..<from + 1).isEmpty { state.alignment.note(.remove(at: standing, count: 1)) }
    let place = state.alignment.insert(1, at: index)
    document.move(from: standing, to: place, in: list, patch: &patch)
    state.move(from: from, to: index, done)
  }

  private mutating func set(
    _ name: Storage.Name, _ element: Element, _ write: FieldWrite, _ document: inout Document, _ patch: inout Patch
  ) {
    guard let dot = state.order[name]?.dot, document.index(of: dot, in: storage.object) != nil else {
      done.missed += 1
      return
    }
    owner.space.perform(
      write, .element(dot), in: storage.object, lineage: storage.lineage, owner: owner, &document, &patch)
    if let old = state.order.exchange(settled(.element(element, isDerived: false), dot), of: name) {
      done.displaced.append(old)
    }
    done.elements.append(name)
  }
}

extension ListStorage.State {
  /// Takes a step where the list is on its own.
  mutating func take(_ step: ListStep<Element>, _ done: ListStorage<Element>.Done) {
    switch step {
    case .insert(let new, let index):
      for (offset, element) in new.enumerated() {
        order.insert(ListStorage<Element>.Item(member: .element(element, isDerived: false)), at: index + offset)
      }
      noteInsertion(at: index, done)
    case .remove(let range): remove(range, done)
    case .move(let name, let index):
      if let from = order.index(of: name) { move(from: from, to: index, done) } else { done.missed += 1 }
    case .set(let name, let element):
      let new = ListStorage<Element>.Item(member: .element(element, isDerived: false))
      if let old = order.exchange(new, of: name) {
        done.displaced.append(old)
        done.elements.append(name)
      } else {
        done.missed += 1
      }
    }
  }

  fileprivate func noteInsertion(at index: Int, _ done: ListStorage<Element>.Done) {
    done.indices.append(index..<order.count)
    done.countChanged = true
    done.orderChanged = true
  }

  mutating func remove(_ range: Range<Int>, _ done: ListStorage<Element>.Done) {
    done.indices.append(range.lowerBound..<order.count)
    for _ in range {
      let (name, item) = order.remove(at: range.lowerBound)
      if let dot = item.dot { names[dot] = nil }
      done.elements.append(name)
      done.displaced.append(item)
    }
    done.countChanged = true
    done.orderChanged = true
  }

  fileprivate mutating func move(from: Int, to index: Int, _ done: ListStorage<Element>.Done) {
    if from == index { return }
    let (name, item) = order.remove(at: from)
    order.insert(item, at: index, as: name)
    done.indices.append(min(from, index)..<max(from, index) + 1)
    done.orderChanged = true
  }
}

extension ListStep {
  /// The elements that it puts into the list.
  var elements: [Element] {
    switch self {
    case .insert(let new, at: _): new
    case .set(_, let element): [element]
    case .remove, .move: []
    }
  }
}
