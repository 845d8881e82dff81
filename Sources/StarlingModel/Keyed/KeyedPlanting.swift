import StarlingCore
import StarlingGraph

/// A keyed collection on its way into a document.
final class KeyedPlanting<Element>: Planting {
  private let storage: KeyedStorage<Element>
  private let place: Place
  private let elements: any KeyedElements<Element>
  private let writes: [(key: Key, element: Element, isDerived: Bool, write: FieldWrite)]
  private var released: [Member<Element>?] = []
  /// What holds something that cannot enter with the collection: what cannot stand there at all, which was reported, and
  /// objects of the document, which move to it once it is there.
  private let absent: [Key]
  private let moving: [(key: Key, element: Element)]

  init(_ storage: KeyedStorage<Element>, at place: Place, _ elements: any KeyedElements<Element>) {
    self.storage = storage
    self.place = place
    self.elements = elements
    var writes: [(key: Key, element: Element, isDerived: Bool, write: FieldWrite)] = []
    var (absent, moving): ([Key], [(key: Key, element: Element)]) = ([], [])
    for (key, element, isDerived) in storage.snapshot() {
      let write = elements.write(element, at: place.under(key), isDerived: isDerived)
      if let write, !write.moves {
        writes.append((key, element, isDerived, write))
      } else {
        absent.append(key)
        if write != nil { moving.append((key, element)) }
      }
    }
    (self.writes, self.absent, self.moving) = (writes, absent, moving)
    var weight = ChangeWeight()
    for (key, _, isDerived, write) in writes {
      if isDerived { weight.add(.derived(.map), under: key) }
      write.weigh(under: key, into: &weight)
    }
    super.init(weight: weight, moves: !moving.isEmpty || writes.contains { $0.write.holdsMoves })
  }

  override func plant(
    at object: ObjectID, _ lineage: Lineage, in space: ModelSpace, _ owner: Attachment,
    _ document: inout Document, _ patch: inout Patch
  ) {
    guard storage.bind(KeyedBinding(attachment: owner, object: object, lineage: lineage)) else { return }
    register(.keyed(storage), at: object, in: space)
    for key in absent { released.append(storage.replace(nil, at: key)) }
    for (key, element, isDerived, write) in writes {
      if isDerived { document.set(.derived(.map), for: key, in: object, patch: &patch) }
      space.perform(write, key, in: object, lineage: lineage, owner: owner, &document, &patch)
      released.append(storage.settle(element, at: key, elements))
    }
  }

  override func finish(in space: ModelSpace) {
    for (_, _, _, write) in writes { space.finish(write) }
    for key in absent { storage.tellWritten(key) }
    if !absent.isEmpty { storage.tellStructure() }
    for (key, element) in moving { storage.set(element, at: key) }
  }
}
