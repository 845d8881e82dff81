import StarlingCore
import StarlingGraph

/// A keyed collection on its way into a document.
final class KeyedPlanting<Element>: Planting {
  private let storage: KeyedStorage<Element>
  private let place: Place
  private let elements: any KeyedElements<Element>
  private let writes: [(key: Key, element: Element, isDerived: Bool, write: FieldWrite)]
  private var released: [Member<Element>?] = []

  init(_ storage: KeyedStorage<Element>, at place: Place, _ elements: any KeyedElements<Element>) {
    self.storage = storage
    self.place = place
    self.elements = elements
    let writes = storage.snapshot().compactMap { key, element, isDerived in
      elements.write(
        element, at: Place(attachment: place.attachment, key: key, depth: place.depth), isDerived: isDerived
      ).map {
        (key: key, element: element, isDerived: isDerived, write: $0)
      }
    }
    self.writes = writes
    var weight = ChangeWeight()
    for (key, _, isDerived, write) in writes {
      if isDerived { weight.add(.derived(.map), under: key) }
      write.weigh(under: key, into: &weight)
    }
    super.init(weight: weight)
  }

  override func plant(
    at object: ObjectID, _ lineage: Lineage, in space: ModelSpace, _ owner: Attachment,
    _ document: inout Document, _ patch: inout Patch
  ) {
    guard storage.bind(KeyedBinding(attachment: owner, object: object, lineage: lineage)) else { return }
    _ = storage.home.attach(to: space.domain)
    register(.keyed(storage), at: object, in: space)
    for (key, element, isDerived, write) in writes {
      if isDerived { document.set(.derived(.map), for: key, in: object, patch: &patch) }
      space.perform(write, key, in: object, lineage: lineage, owner: owner, &document, &patch)
      released.append(storage.settle(element, at: key, elements))
    }
  }

  override func finish(in space: ModelSpace) {
    for (_, _, _, write) in writes { space.finish(write) }
  }
}
