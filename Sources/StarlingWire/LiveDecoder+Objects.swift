import StarlingCore

/// The mirror of `LiveEncoder+Objects.swift`.
extension LiveDecoder.State {
  /// The definitions that the operations read so far imply.
  struct Listing {
    var definitions: [ObjectDefinition] = []
    /// The first operation's object, until one in another object follows: its chain is shared, not copied.
    var onlyObject: Int?
    /// Set from the second object on.
    var generation: UInt64?
  }

  @inline(__always)
  mutating func claimChain(
    of object: Int, at start: Int, listing: inout Listing, _ reader: inout Reader
  ) throws(WireError) {
    if listing.onlyObject == object || objects[object].chain.isEmpty { return }
    try claimOtherChain(of: object, at: start, listing: &listing, &reader)
  }

  private mutating func claimOtherChain(
    of object: Int, at start: Int, listing: inout Listing, _ reader: inout Reader
  ) throws(WireError) {
    if listing.onlyObject == nil, listing.generation == nil {
      listing.onlyObject = object
      listing.definitions = objects[object].chain
      return
    }
    let generation: UInt64
    if let begun = listing.generation {
      generation = begun
    } else {
      self.generation += 1
      generation = self.generation
      listing.generation = generation
      if let first = listing.onlyObject {
        listing.onlyObject = nil
        try reader.spendDefinitions(markChain(of: first, generation), at: start)
      }
    }
    let newCount = markChain(of: object, generation)
    try reader.spendDefinitions(newCount, at: start)
    listing.definitions.append(contentsOf: objects[object].chain.suffix(newCount))
  }

  /// How many of the chain's last definitions were not marked yet.
  private mutating func markChain(of object: Int, _ generation: UInt64) -> Int {
    var ancestor = object
    var newCount = 0
    while !objects[ancestor].chain.isEmpty, objects[ancestor].mark != generation {
      objects[ancestor].mark = generation
      newCount += 1
      ancestor = objects[ancestor].parent
    }
    return newCount
  }

  // MARK: New entries

  /// Reads an object's number, and the entries up to it where the table does not reach that far.
  mutating func object(_ reader: inout Reader) throws(WireError) -> Int {
    let start = reader.offset
    let number = try reader.varint()
    guard number >= UInt64(objects.count) else { return Int(number) }
    let newCount = number - UInt64(objects.count) + 1
    guard newCount <= UInt64(reader.limits.nestingDepthMax + 1) else {
      throw reader.error(.unknownIndex, "Object \(number) is named and \(objects.count) are known", at: start)
    }
    while objects.count <= Int(number) {
      let form = try reader.byte()
      try appendObject(form, at: reader.offset - 1, &reader, in: .stream)
    }
    return Int(number)
  }

  /// Where names, objects and slots are spelled.
  enum Place {
    /// A name may be new; a dot is spelled by the replica's greatest counter.
    case stream
    case tables
  }

  mutating func appendObject(
    _ form: UInt8, at start: Int, _ reader: inout Reader, in place: Place
  ) throws(WireError) {
    switch form {
    case TableObjectForm.assigned:
      objects.append(LiveDecoder.ObjectEntry(id: .assigned(by: try dot(&reader, in: place))))
    case TableObjectForm.bare:
      objects.append(LiveDecoder.ObjectEntry(id: try reader.derivedID()))
    default:
      guard let kind = Kind(rawValue: form - TableObjectForm.firstKind) else {
        throw reader.error(.malformed, "No object begins with \(form)", at: start)
      }
      objects.append(try derivedObject(kind, at: start, &reader, in: place))
    }
    load.definitions += max(1, objects[objects.count - 1].chain.count)
  }

  private mutating func derivedObject(
    _ kind: Kind, at start: Int, _ reader: inout Reader, in place: Place
  ) throws(WireError) -> LiveDecoder.ObjectEntry {
    let parentPlace = reader.offset
    let parent = try reader.varint()
    guard parent < UInt64(objects.count) else {
      throw reader.error(.unknownIndex, "Object \(parent) is named and \(objects.count) are known", at: parentPlace)
    }
    let key = try tableKey(&reader, in: place)
    let above = objects[Int(parent)]
    guard above.chain.count < reader.limits.nestingDepthMax else {
      throw reader.error(.tooDeep, "An object stands more than \(reader.limits.nestingDepthMax) deep", at: start)
    }
    try reader.spendDefinitions(above.chain.count + 1, at: start)
    let definition = ObjectDefinition(parent: above.id, key: key, kind: kind)
    return LiveDecoder.ObjectEntry(id: definition.id, parent: Int(parent), chain: above.chain + [definition])
  }

  mutating func tableKey(_ reader: inout Reader, in place: Place) throws(WireError) -> Key {
    let start = reader.offset
    let form = try reader.varint()
    switch form {
    case TableKeyForm.newName where place == .stream: return try appendName(&reader)
    case TableKeyForm.integer: return .integer(try reader.signedVarint())
    case TableKeyForm.bytes:
      let bytes = try reader.bytes(count: reader.byteCount(atMost: reader.limits.keyByteCountMax))
      load.keyBytes += bytes.count
      return .bytes(bytes)
    case TableKeyForm.element: return .element(try dot(&reader, in: place))
    default:
      guard form >= TableKeyForm.firstNumber, form - TableKeyForm.firstNumber < UInt64(names.count) else {
        throw reader.error(.unknownIndex, "A name is named by \(form) and \(names.count) are known", at: start)
      }
      return names[Int(form - TableKeyForm.firstNumber)]
    }
  }

  private mutating func dot(_ reader: inout Reader, in place: Place) throws(WireError) -> Dot {
    place == .stream ? try dot(&reader) : try tableDot(&reader)
  }

  @discardableResult
  mutating func appendName(_ reader: inout Reader) throws(WireError) -> Key {
    let name = Key.name(try reader.string(byteCount: reader.byteCount(atMost: reader.limits.keyByteCountMax)))
    names.append(name)
    load.names += 1
    load.keyBytes += name.byteCount
    return name
  }
}

extension Key {
  fileprivate var byteCount: Int {
    switch self {
    case .name(let name): name.utf8.count
    case .bytes(let bytes): bytes.count
    case .integer, .element: 0
    }
  }
}
