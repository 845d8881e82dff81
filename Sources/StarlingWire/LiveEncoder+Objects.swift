import StarlingCore

/// Objects and slots that the stream names for the first time, and the definitions that go with a
/// change (Protocol/wire-format.md, "Objects of a change").
extension LiveEncoder {
  /// Follows whether the definitions of a change are those that its operations imply: the chains of
  /// the operations' objects in order, each definition once.
  struct Listing {
    /// The change's own, looked at for as long as it is encoded.
    let definitions: UnsafeBufferPointer<ObjectDefinition>
    /// How many definitions the operations so far imply.
    var impliedCount = 0
    /// Whether those equal the first definitions of the change.
    var agrees = true
    /// Set with the first operation whose object has a chain.
    var generation: UInt64?
    private var places: [ObjectID: Int]?

    init(_ definitions: UnsafeBufferPointer<ObjectDefinition>) {
      self.definitions = definitions
    }

    var isImplied: Bool { agrees && impliedCount == definitions.count }

    mutating func hasDefinition(of object: ObjectID) -> Bool {
      if definitions.count >= 8 { return place(of: object) != nil }
      for place in definitions.indices where definitions[place].id == object { return true }
      return false
    }

    mutating func definition(of object: ObjectID) -> ObjectDefinition? {
      if definitions.count < 8 { return definitions.first { $0.id == object } }
      return place(of: object).map { definitions[$0] }
    }

    private mutating func place(of object: ObjectID) -> Int? {
      if places == nil {
        places = Dictionary(definitions.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
      }
      return places![object]
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

  /// - Returns: The slot's place.
  mutating func writeNewSlot(
    _ object: ObjectID, _ key: Key, listing: inout Listing, into payload: inout OutputBuffer
  ) -> Int {
    let objectPlace = writeObject(object, mustBeDefined: false, listing: &listing, into: &payload)
    let name = write(key, into: &payload)
    let place = state.slots.count
    state.slots.append(
      SlotEntry(
        object: objectPlace, objectID: object, key: key, name: name,
        said: Said(stream: state.stream, next: &state.said.slots)))
    state.slotIndex.insert(state.slotIndex.hash(object, key))
    state.load.slots += 1
    return place
  }

  /// Writes a slot that an earlier stream named, as a new one of this stream.
  mutating func writeAgain(slot place: Int, listing: inout Listing, into payload: inout OutputBuffer) {
    state.slots[place].object = writeObject(
      state.slots[place].objectID, knownAt: state.slots[place].object, mustBeDefined: false, listing: &listing,
      into: &payload)
    if let name = state.slots[place].name {
      _ = write(name: name, into: &payload)
    } else {
      _ = write(state.slots[place].key, into: &payload)
    }
    state.slots[place].last = SlotEntry.nothing
    state.slots[place].said = Said(stream: state.stream, next: &state.said.slots)
    state.load.slots += 1
  }

  mutating func writeDefined(_ definition: ObjectDefinition, listing: inout Listing, into payload: inout OutputBuffer) {
    _ = writeObject(definition.id, mustBeDefined: true, listing: &listing, into: &payload)
  }

  /// Writes an object's number. Where the stream has not named it yet, the entries up to it follow,
  /// ancestors first.
  ///
  /// - Parameter knownAt: A place at which the object stood.
  /// - Returns: Its place.
  mutating func writeObject(
    _ object: ObjectID, knownAt place: Int? = nil, mustBeDefined: Bool, listing: inout Listing,
    into payload: inout OutputBuffer
  ) -> Int {
    let known = place.flatMap { state.objects[$0].isReplaced ? nil : $0 } ?? state.objectPlaces[object]
    if let known, isSaid(known, mustBeDefined: mustBeDefined) {
      payload.append(varint: state.objects[known].said.number)
      return known
    }
    if let known, isKnownBelowSaid(known), listing.hasDefinition(of: object) {
      payload.append(varint: state.said.objects)
      return sayAgain(known, into: &payload)
    }
    let definition = listing.definition(of: object)
    guard let definition, saidPlace(of: definition.parent) == nil else {
      payload.append(varint: state.said.objects)
      return enter(object, definition, knownAt: known, into: &payload)
    }
    var chain = [definition]
    var outermost = definition.parent
    while let definition = listing.definition(of: outermost) {
      chain.append(definition)
      outermost = definition.parent
      if saidPlace(of: outermost) != nil { break }
    }
    let isOutermostSaid = saidPlace(of: outermost) != nil
    payload.append(varint: state.said.objects + chain.count - (isOutermostSaid ? 1 : 0))
    if !isOutermostSaid { _ = enter(outermost, nil, knownAt: state.objectPlaces[outermost], into: &payload) }
    var last = 0
    for definition in chain.reversed() {
      last = enter(definition.id, definition, knownAt: state.objectPlaces[definition.id], into: &payload)
    }
    return last
  }

  private func isSaid(_ place: Int, mustBeDefined: Bool) -> Bool {
    state.hasSaid(state.objects[place].said) && (!mustBeDefined || state.objects[place].isDefined)
  }

  /// Whether an earlier stream defined the object, and this one said its parent but not it.
  private func isKnownBelowSaid(_ place: Int) -> Bool {
    let parent = state.objects[place].parent
    return parent >= 0 && !state.objects[parent].isReplaced && state.hasSaid(state.objects[parent].said)
      && !state.hasSaid(state.objects[place].said)
  }

  /// Where the object stands, if the present stream named it.
  func saidPlace(of object: ObjectID) -> Int? {
    guard let place = state.objectPlaces[object], state.hasSaid(state.objects[place].said) else { return nil }
    return place
  }

  /// Writes an object's entry; its parent is said already.
  ///
  /// - Parameter known: Where it stood in an earlier stream, or in this one without its definition.
  /// - Returns: Its place.
  private mutating func enter(
    _ object: ObjectID, _ definition: ObjectDefinition?, knownAt known: Int?, into payload: inout OutputBuffer
  ) -> Int {
    if let known, mayBeSaidAgain(known, isDefined: definition != nil) { return sayAgain(known, into: &payload) }
    let parent = definition.map { saidPlace(of: $0.parent)! } ?? -1
    var entry = ObjectEntry(
      id: object, parent: parent, depth: definition == nil ? 0 : state.objects[parent].depth + 1,
      said: Said(stream: state.stream, next: &state.said.objects))
    if let definition {
      entry.kind = definition.kind
      write(definition.kind, below: parent, into: &payload)
      entry.name = write(definition.key, into: &payload)
      if entry.name == nil { entry.key = definition.key }
    } else {
      writeName(of: object, into: &payload)
    }
    if let known { state.objects[known].isReplaced = true }
    let place = state.objects.count
    state.objectPlaces[object] = place
    state.load.definitions += max(1, entry.depth)
    state.objects.append(entry)
    return place
  }

  /// Whether the entry says what is to be said of the object now.
  private func mayBeSaidAgain(_ place: Int, isDefined: Bool) -> Bool {
    guard !state.hasSaid(state.objects[place].said), state.objects[place].isDefined == isDefined else { return false }
    return !isDefined || !state.objects[state.objects[place].parent].isReplaced
  }

  /// Writes the entry of an object that an earlier stream said the same of.
  ///
  /// - Returns: Its place.
  private mutating func sayAgain(_ place: Int, into payload: inout OutputBuffer) -> Int {
    if !state.objects[place].isDefined {
      writeName(of: state.objects[place].id, into: &payload)
    } else {
      write(state.objects[place].kind, below: state.objects[place].parent, into: &payload)
      if let name = state.objects[place].name {
        _ = write(name: name, into: &payload)
      } else if let key = state.objects[place].key {
        _ = write(key, into: &payload)
      }
    }
    state.objects[place].said = Said(stream: state.stream, next: &state.said.objects)
    state.load.definitions += max(1, state.objects[place].depth)
    return place
  }

  /// Of an object that is defined; its key follows. Mutating, as a caller that is would copy the encoder for one that is not.
  private mutating func write(_ kind: Kind, below parent: Int, into payload: inout OutputBuffer) {
    payload.append(TableObjectForm.firstKind + kind.rawValue)
    payload.append(varint: state.objects[parent].said.number)
  }

  /// Of an object that is not defined.
  private mutating func writeName(of object: ObjectID, into payload: inout OutputBuffer) {
    if let dot = object.dot {
      payload.append(TableObjectForm.assigned)
      write(dot, into: &payload)
    } else {
      payload.append(TableObjectForm.bare)
      payload.append(fixed64: object.high)
      payload.append(fixed64: object.low)
    }
  }

  /// - Returns: The place of a key that is a name.
  mutating func write(_ key: Key, into payload: inout OutputBuffer) -> Int? {
    switch key {
    case .name(let name):
      if let place = state.namePlaces[key] { return write(name: place, into: &payload) }
      let place = state.names.count
      state.namePlaces[key] = place
      state.names.append(NameEntry(text: name, said: .never))
      state.keptKeyByteCount += name.utf8.count
      return write(name: place, into: &payload)
    case .integer(let integer):
      payload.append(varint: TableKeyForm.integer)
      payload.append(signedVarint: integer)
      return nil
    case .bytes(let bytes):
      payload.append(varint: TableKeyForm.bytes)
      payload.append(counted: bytes)
      state.load.keyBytes += bytes.count
      state.keptKeyByteCount += bytes.count
      return nil
    case .element(let dot):
      payload.append(varint: TableKeyForm.element)
      write(dot, into: &payload)
      return nil
    }
  }

  /// Writes a name's number, and the name where the stream has not named it yet.
  private mutating func write(name place: Int, into payload: inout OutputBuffer) -> Int {
    if state.hasSaid(state.names[place].said) {
      payload.append(varint: TableKeyForm.firstNumber + UInt64(state.names[place].said.number))
      return place
    }
    payload.append(varint: TableKeyForm.newName)
    payload.append(counted: state.names[place].text)
    state.names[place].said = Said(stream: state.stream, next: &state.said.names)
    state.load.names += 1
    state.load.keyBytes += state.names[place].text.utf8.count
    return place
  }
}
