import StarlingCore
import StarlingEngine
import StarlingGraph

// How a list enters a document.

extension ListStorage {
  /// Stands in for what the document holds from now on.
  ///
  /// - Returns: What does that already; otherwise itself.
  func open(at place: Place, _ elements: any KeyedElements<Element>) -> ListStorage {
    use(elements)
    if let standing = stand(at: place, .list) { return unsafeDowncast(standing, to: ListStorage.self) }
    show()
    return self
  }

  /// What the list must write to stand in a document as it does here; nil where it stands in one already.
  func planting(at place: Place, _ elements: any KeyedElements<Element>, default: ListStorage) -> Planting? {
    use(elements)
    if let attachment {
      if attachment.object != place.attachment.object { ModelIncident.report(.attachedTwice(type: "ReplicatedArray")) }
      return nil
    }
    let standard = `default`.present.map(\.element)
    var (writes, content): ([FieldWrite], [Element]) = ([], [])
    var (absent, moving): ([Name], [(index: Int, element: Element)]) = ([], [])
    for (index, (name, element)) in present.map({ ($0.name, $0.element) }).enumerated() {
      let write = elements.write(element, at: place, isDerived: false)
      if let write, !write.moves {
        writes.append(write)
        content.append(element)
      } else {
        absent.append(name)
        if write != nil { moving.append((index, element)) }
      }
    }
    let isDefault =
      content.count == standard.count && zip(content, standard).allSatisfy { elements.isSame($0, $1) }
    return ListPlanting(
      self, elements, isDefault ? [] : writes, absent, moving, isDefault: isDefault, hasDefault: !standard.isEmpty)
  }
}

extension ListStorage.State {
  /// Belongs from now on to a document that shows nothing yet.
  mutating func settle(besideItems count: Int) {
    alignment = Alignment(visible: order.count, document: count)
    showsDefault = order.count > 0
  }
}

/// A list on its way into a document.
private final class ListPlanting<Element>: Planting {
  private let storage: ListStorage<Element>
  private let elements: any KeyedElements<Element>
  private let writes: [FieldWrite]
  /// What cannot enter with the list: what cannot stand there at all, which was reported, and objects of the document,
  /// which move to it once it is there.
  private let absent: [ListStorage<Element>.Name]
  private let moving: [(index: Int, element: Element)]
  private let isDefault: Bool
  private let hasDefault: Bool
  private let done = ListStorage<Element>.Done()

  init(
    _ storage: ListStorage<Element>, _ elements: any KeyedElements<Element>, _ writes: [FieldWrite],
    _ absent: [ListStorage<Element>.Name], _ moving: [(index: Int, element: Element)], isDefault: Bool, hasDefault: Bool
  ) {
    self.storage = storage
    self.elements = elements
    self.writes = writes
    self.absent = absent
    self.moving = moving
    self.isDefault = isDefault
    self.hasDefault = hasDefault
    var weight = ChangeWeight()
    if !writes.isEmpty { weight.add(insertion: writes) }
    super.init(weight: weight, moves: !moving.isEmpty || writes.contains { $0.holdsMoves })
  }

  override func plant(
    at object: ObjectID, _ lineage: Lineage, in space: ModelSpace, _ owner: Attachment, _ document: inout Document,
    _ patch: inout Patch
  ) {
    guard storage.bind(KeyedBinding(attachment: owner, object: object, lineage: lineage)) else { return }
    register(.keyed(storage), at: object, in: space)
    storage.withState { state in
      for name in absent { state.order.index(of: name).map { state.remove($0..<$0 + 1, done) } }
      if isDefault { return state.settle(besideItems: document.count(in: object)) }
      if hasDefault { document.set(.derived(.list), for: storage.key, in: owner.object, patch: &patch) }
      var writer = ListWriter(storage, state, owner, elements, done)
      state = ListStorage<Element>.State()
      writer.plant(writes, &document, &patch)
      state = writer.state
    }
  }

  /// What stood in the document already becomes visible where nothing was planted over it.
  override func finish(in space: ModelSpace) {
    for write in writes { space.finish(write) }
    if isDefault, let owner = storage.attachment { space.refresh([Subject(attachment: owner, itemsOf: storage)]) }
    if !absent.isEmpty { storage.tell(done) }
    for (index, element) in moving {
      storage.write { [.insert([element], at: min(index, storage.presentCount))] }
    }
  }
}
