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

  /// - Returns: The slot's place.
  mutating func writeNewSlot(
    _ object: ObjectID, _ key: Key, listing: inout Listing, into payload: inout [UInt8]
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
  mutating func writeAgain(slot place: Int, listing: inout Listing, into payload: inout [UInt8]) {
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

  mutating func writeDefined(_ definition: ObjectDefinition, listing: inout Listing, into payload: inout [UInt8]) {
    _ = writeObject(definition.id, mustBeDefined: true, listing: &listing, into: &payload)
  }

  /// Writes an object's number. Where the stream has not named it yet, the entries up to it follow,
  /// ancestors first.
  ///
  /// - Parameter knownAt: A place at which the object stood.
  /// - Returns: Its place.
  mutating func writeObject(
    _ object: ObjectID, knownAt place: Int? = nil, mustBeDefined: Bool, listing: inout Listing,
    into payload: inout [UInt8]
  ) -> Int {
    let known = place.flatMap { state.objects[$0].isReplaced ? nil : $0 } ?? state.objectPlaces[object]
    if let known, isSaid(known, mustBeDefined: mustBeDefined) {
      payload.append(varint: state.objects[known].said.number)
      return known
    }
    let definition = listing.definition(of: object)
    guard let definition, !isParentSaid(definition, of: known) else {
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
    state.hasSaid(state.objects[place].said) && !(mustBeDefined && state.objects[place].definition == nil)
  }

  /// - Parameter known: Where the object stands that is so defined.
  private func isParentSaid(_ definition: ObjectDefinition, of known: Int?) -> Bool {
    if let known, state.objects[known].parent >= 0 {
      let parent = state.objects[known].parent
      if !state.objects[parent].isReplaced { return state.hasSaid(state.objects[parent].said) }
    }
    return saidPlace(of: definition.parent) != nil
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
    _ object: ObjectID, _ definition: ObjectDefinition?, knownAt known: Int?, into payload: inout [UInt8]
  ) -> Int {
    if let known, mayBeSaidAgain(known, isDefined: definition != nil) {
      let name = state.objects[known].definition?.name
      writeEntry(of: object, definition, in: state.objects[known].parent, name: name, into: &payload)
      state.objects[known].said = Said(stream: state.stream, next: &state.said.objects)
      state.load.definitions += max(1, state.objects[known].depth)
      return known
    }
    let parent = definition.map { saidPlace(of: $0.parent)! } ?? -1
    let name = writeEntry(of: object, definition, in: parent, name: nil, into: &payload)
    if let known { state.objects[known].isReplaced = true }
    let place = state.objects.count
    state.objectPlaces[object] = place
    state.objects.append(
      ObjectEntry(
        id: object,
        definition: definition.map { Definition(parent: parent, key: $0.key, name: name, kind: $0.kind) },
        depth: definition == nil ? 0 : state.objects[parent].depth + 1, parent: parent,
        said: Said(stream: state.stream, next: &state.said.objects)))
    state.load.definitions += max(1, state.objects[place].depth)
    return place
  }

  /// Whether the entry says what is to be said of the object now.
  private func mayBeSaidAgain(_ place: Int, isDefined: Bool) -> Bool {
    guard !state.hasSaid(state.objects[place].said), (state.objects[place].parent >= 0) == isDefined else {
      return false
    }
    return !isDefined || !state.objects[state.objects[place].parent].isReplaced
  }

  /// - Parameters:
  ///   - parent: The place of what the object stands in.
  ///   - name: The place of its key, if that is a name that is known.
  /// - Returns: That place.
  @discardableResult
  private mutating func writeEntry(
    of object: ObjectID, _ definition: ObjectDefinition?, in parent: Int, name: Int?, into payload: inout [UInt8]
  ) -> Int? {
    if let definition {
      payload.append(TableObjectForm.firstKind + definition.kind.rawValue)
      payload.append(varint: state.objects[parent].said.number)
      if let name { return write(name: name, into: &payload) }
      return write(definition.key, into: &payload)
    }
    if let dot = object.dot {
      payload.append(TableObjectForm.assigned)
      write(dot, into: &payload)
    } else {
      payload.append(TableObjectForm.bare)
      payload.append(fixed64: object.high)
      payload.append(fixed64: object.low)
    }
    return nil
  }

  /// - Returns: The place of a key that is a name.
  mutating func write(_ key: Key, into payload: inout [UInt8]) -> Int? {
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
  private mutating func write(name place: Int, into payload: inout [UInt8]) -> Int {
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
