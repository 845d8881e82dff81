// Which derived objects a change defines: those that its operations touch, each after what it stands in.
extension Document {
  /// Lists in the open change the derived objects down to `object` that it does not list yet.
  mutating func listDefinitions(of object: ObjectHandle) {
    guard objects[object].isDerived else {
      objects[object].touched = open.number
      return
    }
    if open.objects.isEmpty {
      // Changes that begin in the same object share the array.
      makeLatestChain(of: object)
      open.objects = latestChain.definitions
      objects[object].touched = open.number
      open.firstListed = object
      return
    }
    markListed()
    let first = open.objects.count
    var unlisted = object
    while let slot = objects[unlisted].beListed(in: open.number) {
      open.objects.append(definition(of: unlisted))
      unlisted = slots[slot].object
    }
    if open.objects.count > first + 1 { open.objects[first...].reverse() }
  }

  /// Marks what the first object of the open change stands in, which it lists as well: most changes are of one object,
  /// and nobody asks.
  @inline(__always)
  mutating func markListed() {
    if !open.firstListed.isNone { markListedAncestors() }
  }

  @inline(never)
  private mutating func markListedAncestors() {
    var ancestor = slots[objects[open.firstListed].slot].object
    while let slot = objects[ancestor].beListed(in: open.number) { ancestor = slots[slot].object }
    open.firstListed = .none
  }

  /// The object, which is derived, is that of `latestChain` afterwards.
  @inline(__always)
  mutating func makeLatestChain(of object: ObjectHandle) {
    if latestChain.object != objects[object].id { latestChain = DefinitionChain(definitions(downTo: object)) }
  }

  /// Changes to come share their definitions with no change that was made so far. Where two threads count references to
  /// one array, each waits for the other.
  package mutating func unshareDefinitions() { latestChain.unshare() }

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
      chain.append(definition(of: object))
      object = slots[objects[object].slot].object
    }
    chain.reverse()
    return chain
  }

  // Always inlined: a call from a mutating method would copy the document's eight hundred bytes.
  @inline(__always)
  private func definition(of object: ObjectHandle) -> ObjectDefinition {
    let slot = objects[object].slot
    return ObjectDefinition(
      known: objects[object].id, parent: objects[slots[slot].object].id, key: keys[slots[slot].key],
      kind: objects[object].kind)
  }
}

/// The definitions of an object and the derived objects that it stands in, the outermost first; none of the root.
struct DefinitionChain: Sendable {
  private(set) var object = ObjectID.root
  private(set) var definitions: [ObjectDefinition] = []
  /// What naming the object costs a change that has named none of them.
  private(set) var weight = DefinitionWeight()

  init() {}

  mutating func unshare() { definitions = definitions.map { $0 } }

  init(_ definitions: [ObjectDefinition]) {
    guard let last = definitions.last else { return }
    object = last.id
    self.definitions = definitions
    weight = DefinitionWeight(definitions)
  }
}

extension [ObjectDefinition] {
  /// Each definition where it stood first.
  func withoutRepetitions() -> [ObjectDefinition] {
    var seen: Set<ObjectID> = []
    return filter { seen.insert($0.id).inserted }
  }
}
