import StarlingCore

/// Objects and slots that the stream names for the first time, and the definitions that go with a
/// change (Protocol/wire-format.md, "Objects of a change").
extension LiveEncoder {
  /// Follows whether the definitions of a change are those that its operations imply: the chains of
  /// the operations' objects in order, each definition once.
  struct Listing {
    let definitions: [ObjectDefinition]
    /// How many definitions the operations so far imply.
    var impliedCount = 0
    /// Whether those equal the first definitions of the change.
    var agrees = true
    /// Set with the first operation whose object has a chain.
    var generation: UInt64?
    private var places: [ObjectID: Int]?

    init(_ definitions: [ObjectDefinition]) {
      self.definitions = definitions
    }

    var isImplied: Bool { agrees && impliedCount == definitions.count }

    mutating func definition(of object: ObjectID) -> ObjectDefinition? {
      if definitions.count < 8 { return definitions.first { $0.id == object } }
      if places == nil {
        places = Dictionary(definitions.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
      }
      return places![object].map { definitions[$0] }
    }
  }

  /// Adds what the chain of `object` implies beyond what earlier operations did.
  @inline(__always)
  mutating func claimChain(of object: Int, listing: inout Listing) {
    guard state.objects[object].parent >= 0 else { return }
    claimDefinedChain(of: object, listing: &listing)
  }

  private mutating func claimDefinedChain(of object: Int, listing: inout Listing) {
    let generation: UInt64
    if let begun = listing.generation {
      generation = begun
    } else {
      state.generation += 1
      generation = state.generation
      listing.generation = generation
    }
    var ancestor = object
    var newCount = 0
    while state.objects[ancestor].parent >= 0, state.objects[ancestor].mark != generation {
      state.objects[ancestor].mark = generation
      newCount += 1
      ancestor = state.objects[ancestor].parent
    }
    listing.impliedCount += newCount
    guard listing.agrees else { return }
    guard listing.impliedCount <= listing.definitions.count else {
      listing.agrees = false
      return
    }
    ancestor = object
    for place in (listing.impliedCount - newCount..<listing.impliedCount).reversed() {
      if listing.definitions[place].id != state.objects[ancestor].id { listing.agrees = false }
      ancestor = max(0, state.objects[ancestor].parent)
    }
  }

  // MARK: New entries

  mutating func writeNewSlot(
    _ object: ObjectID, _ key: Key, listing: inout Listing, into payload: inout [UInt8]
  ) -> Int {
    let objectNumber = writeObject(object, mustBeDefined: false, listing: &listing, into: &payload)
    let nameNumber = write(key, into: &payload)
    let number = state.slots.count
    state.slots.append(SlotEntry(object: objectNumber, objectID: object, key: key, nameNumber: nameNumber))
    state.slotIndex.insert(state.slotIndex.hash(object, key))
    state.load.slots += 1
    return number
  }

  mutating func writeDefined(_ definition: ObjectDefinition, listing: inout Listing, into payload: inout [UInt8]) {
    _ = writeObject(definition.id, mustBeDefined: true, listing: &listing, into: &payload)
  }

  /// Writes an object's number. Where that is not in the table yet, the entries up to it follow,
  /// ancestors first.
  mutating func writeObject(
    _ object: ObjectID, mustBeDefined: Bool, listing: inout Listing, into payload: inout [UInt8]
  ) -> Int {
    if let number = number(of: object, mustBeDefined: mustBeDefined) {
      payload.append(varint: number)
      return number
    }
    var chain = [object]
    while let definition = listing.definition(of: chain[chain.count - 1]),
      number(of: definition.parent, mustBeDefined: false) == nil
    {
      chain.append(definition.parent)
    }
    payload.append(varint: state.objects.count + chain.count - 1)
    for object in chain.reversed() {
      let entry = writeEntry(of: object, definition: listing.definition(of: object), into: &payload)
      state.objectNumbers[object] = state.objects.count
      state.load.definitions += max(1, entry.depth)
      state.objects.append(entry)
    }
    return state.objects.count - 1
  }

  private func number(of object: ObjectID, mustBeDefined: Bool) -> Int? {
    guard let number = state.objectNumbers[object] else { return nil }
    return mustBeDefined && state.objects[number].definition == nil ? nil : number
  }

  private mutating func writeEntry(
    of object: ObjectID, definition: ObjectDefinition?, into payload: inout [UInt8]
  ) -> ObjectEntry {
    if let definition {
      payload.append(TableObjectForm.firstKind + definition.kind.rawValue)
      let parent = state.objectNumbers[definition.parent]!
      payload.append(varint: parent)
      let nameNumber = write(definition.key, into: &payload)
      return ObjectEntry(
        id: object,
        definition: Definition(parent: parent, key: definition.key, nameNumber: nameNumber, kind: definition.kind),
        depth: state.objects[parent].depth + 1, parent: parent)
    }
    if let dot = object.dot {
      payload.append(TableObjectForm.assigned)
      write(dot, into: &payload)
    } else {
      payload.append(TableObjectForm.bare)
      payload.append(fixed64: object.high)
      payload.append(fixed64: object.low)
    }
    return ObjectEntry(id: object)
  }

  /// The number of a key that is a name.
  mutating func write(_ key: Key, into payload: inout [UInt8]) -> Int? {
    switch key {
    case .name(let name):
      if let number = state.nameNumbers[key] {
        payload.append(varint: TableKeyForm.firstNumber + UInt64(number))
        return number
      }
      payload.append(varint: TableKeyForm.newName)
      payload.append(counted: name)
      state.nameNumbers[key] = state.names.count
      state.names.append(name)
      state.load.names += 1
      state.load.keyBytes += name.utf8.count
      return state.names.count - 1
    case .integer(let integer):
      payload.append(varint: TableKeyForm.integer)
      payload.append(signedVarint: integer)
      return nil
    case .bytes(let bytes):
      payload.append(varint: TableKeyForm.bytes)
      payload.append(counted: bytes)
      state.load.keyBytes += bytes.count
      return nil
    case .element(let dot):
      payload.append(varint: TableKeyForm.element)
      write(dot, into: &payload)
      return nil
    }
  }
}
