import StarlingCore

/// Parts of frames in words, short enough for a line.
enum Words {
  private static let scalarsShownMax = 60
  private static let partsShownMax = 4

  /// Control characters are escaped: a frame must not command its reader's screen.
  static func quoted(_ text: String) -> String {
    var shown = ""
    for scalar in text.unicodeScalars.prefix(scalarsShownMax) {
      let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
      shown += isControl ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
    }
    return "“\(shown)”\(text.unicodeScalars.count > scalarsShownMax ? "…" : "")"
  }

  static func binary(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 2)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  static func bytes(_ bytes: [UInt8]) -> String {
    let digits = bytes.prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return "\(bytes.count) bytes \(digits)\(bytes.count > 16 ? "…" : "")"
  }

  static func of(_ stamp: Stamp) -> String { "\(stamp.milliseconds) ms since 1970, number \(stamp.logical) of it" }

  static func of(_ dots: [Dot]) -> String {
    dots.isEmpty ? "nothing" : some(dots.map(\.description))
  }

  static func of(_ version: VersionVector) -> String {
    version.isEmpty ? "nothing" : some(version.entries.map { "\($0.replica) up to \($0.counter)" })
  }

  private static func some(_ parts: [String]) -> String {
    let more = parts.count - partsShownMax
    return parts.prefix(partsShownMax).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }

  static func of(_ key: Key) -> String {
    switch key {
    case .name(let name): quoted(name)
    case .integer(let integer): "\(integer)"
    case .bytes(let bytes): Words.bytes(bytes)
    case .element(let dot): dot == .origin ? "the beginning" : "element \(dot)"
    }
  }

  static func of(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .unsigned(let value): "\(value)"
    case .double(let value): "the double \(value)"
    case .string(let value): quoted(value)
    case .bytes(let value): bytes(value)
    case .json(let value): "JSON \(quoted(value))"
    case .date(let value): "the date \(value) s since 2001"
    case .object(let kind): "a new \(kind)"
    case .derived(let kind): "its \(kind) is there"
    case .reference(let object): "a reference to \(of(object))"
    case .unknown(let tag, let payload): "of a later kind \(tag), \(bytes(payload))"
    }
  }

  static func of(_ object: ObjectID) -> String {
    if object == .root { return "the root" }
    return object.dot.map { "\($0)" }
      ?? "\(ReplicaID(rawValue: object.high))\(ReplicaID(rawValue: object.low))"
  }

  /// With the way to it, as far as the stream has told it.
  static func of(_ entry: LiveDecoder.ObjectEntry) -> String {
    guard let definition = entry.chain.last else { return of(entry.id) }
    return "the \(definition.kind) at \(entry.chain.map { of($0.key) }.joined(separator: "/"))"
  }

  static func of(_ flags: ChangeFlags) -> String {
    let stamp =
      switch flags.rawValue & ChangeFlags.stampMask {
      case StampForm.successor: "the next stamp"
      case StampForm.same: "the stamp before"
      case StampForm.laterMillisecond: "a stamp some milliseconds later"
      default: "a stamp spelled out"
      }
    let parts = [
      flags.has(ChangeFlags.writerGiven) ? "a writer" : "the writer before",
      flags.has(ChangeFlags.counterGiven) ? "a counter" : "the counter that is due", stamp,
      flags.has(ChangeFlags.frontierGiven) ? "a frontier" : nil, flags.has(ChangeFlags.countGiven) ? "a count" : nil,
      flags.has(ChangeFlags.moreGiven) ? "more at the end" : nil,
    ]
    return parts.compactMap { $0 }.joined(separator: ", ")
  }

  static func ofOperation(_ head: UInt8) -> String {
    let action =
      switch head & OperationHead.actionMask {
      case OperationHead.set: "set"
      case OperationHead.remove: "remove"
      default: "increment"
      }
    let slot =
      switch head & OperationHead.slotMask {
      case OperationHead.slotNumber: "a slot by its number"
      case OperationHead.slotNext: "the slot after the one before"
      case OperationHead.slotNew: "a new slot"
      default: "an element's slot"
      }
    return "\(action), \(slot)"
  }

  static func of(_ operation: Operation) -> String {
    let place = "in object \(of(operation.object))"
    switch operation.action {
    case .set(let value, let replacing, _):
      return "\(of(operation.key)) is set to \(of(value)) \(place), replaces \(of(Array(replacing)))"
    case .remove(let replacing, _): return "\(of(operation.key)) is removed \(place), replaces \(of(Array(replacing)))"
    case .increment(let amount, _): return "\(of(operation.key)) is incremented by \(amount) \(place)"
    case .insert(.text(let scalars), let side):
      return "types \(quoted(scalars.text)) \(place), \(side) of \(of(operation.key))"
    case .insert(.values(let values), let side):
      return "inserts \(some(values.map { of($0) })) \(place), \(side) of \(of(operation.key))"
    case .removeRun(let count): return "removes \(count) items \(place), from \(of(operation.key)) on"
    case .move(let edge, _): return "moves \(of(operation.key)) \(place), \(edge.side) of \(of(.element(edge.item)))"
    case .mark(let mark):
      return "marks \(of(operation.key)) as \(of(mark.value)) \(place), from \(mark.start.side) of "
        + "\(of(.element(mark.start.item))) to \(mark.end.side) of \(of(.element(mark.end.item)))"
    }
  }

  static func of(_ section: SnapshotReader.Section) -> String {
    switch section {
    case .format: "version \(snapshotVersion) of the coding"
    case .version(let version): "version: \(of(version))"
    case .frontier(let frontier): "frontier: \(of(frontier))"
    case .stamp(let stamp): "the latest stamp: \(of(stamp))"
    case .standing(let count): "\(count) objects that stand by themselves: the root, and those that entries made"
    case .derived(let count): "\(count) objects derived from their places"
    case .slots(let object):
      "object \(of(object.id)): \(object.slots.count) slots, \(some(object.slots.map { of($0.key) }))"
    case .sequence(let object): "its sequence: \(object.sequence?.runs.count ?? 0) runs"
    case .checksum: "checksum of all bytes before it"
    }
  }
}
