// Which derived objects a change defines: those that its operations touch, each after what it stands in.
extension Document {
  /// Lists in the open change the derived objects down to `object` that it does not list yet.
  mutating func listDefinitions(of object: ObjectHandle) {
    objects[object].touched = open.number
    guard objects[object].isDerived else { return }
    makeLatestChain(of: object)
    var unlisted = 1
    var ancestor = slots[objects[object].slot].object
    while objects[ancestor].isDerived, objects[ancestor].touched != open.number {
      objects[ancestor].touched = open.number
      unlisted += 1
      ancestor = slots[objects[ancestor].slot].object
    }
    if open.objects.isEmpty {
      open.objects = latestChain.definitions
    } else {
      open.objects.append(contentsOf: latestChain.definitions.suffix(unlisted))
    }
  }

  /// The object, which is derived, is that of `latestChain` afterwards.
  @inline(__always)
  mutating func makeLatestChain(of object: ObjectHandle) {
    if latestChain.object != objects[object].id { latestChain = DefinitionChain(definitions(downTo: object)) }
  }

  /// The definitions of `object` and the derived objects that it stands in, the outermost first.
  mutating func chain(of object: ObjectHandle) -> [ObjectDefinition] {
    guard objects[object].isDerived else { return [] }
    makeLatestChain(of: object)
    return latestChain.definitions
  }

  /// The same, of an object that nothing is about to be written to.
  func definitions(downTo object: ObjectHandle) -> [ObjectDefinition] {
    // An id follows from all that the chain says, so that an equal one ends an equal chain.
    if latestChain.object == objects[object].id { return latestChain.definitions }
    var chain: [ObjectDefinition] = []
    var object = object
    while objects[object].isDerived {
      let slot = slots[objects[object].slot]
      chain.append(
        ObjectDefinition(
          known: objects[object].id, parent: objects[slot.object].id, key: keys[slot.key], kind: objects[object].kind))
      object = slot.object
    }
    chain.reverse()
    return chain
  }
}

/// The definitions of an object and the derived objects that it stands in, the outermost first; none of the root.
struct DefinitionChain: Sendable {
  private(set) var object = ObjectID.root
  private(set) var definitions: [ObjectDefinition] = []
  /// What naming the object costs a change that has named none of them.
  private(set) var weight = DefinitionWeight()

  init() {}

  init(_ definitions: [ObjectDefinition]) {
    guard let last = definitions.last else { return }
    object = last.id
    self.definitions = definitions
    weight = DefinitionWeight(definitions, listedCount: 0)
  }
}

extension [ObjectDefinition] {
  /// Each definition where it stood first.
  func withoutRepetitions() -> [ObjectDefinition] {
    var seen: Set<ObjectID> = []
    return filter { seen.insert($0.id).inserted }
  }
}
