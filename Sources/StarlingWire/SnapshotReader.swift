import StarlingCore

/// Reads one snapshot, front to back, and holds it to canonical order.
struct SnapshotReader {
  var reader: Reader
  private(set) var version: VersionVector
  /// Whether a replica kept it for itself.
  private(set) var isKept = false
  private(set) var latestStamp: Stamp
  var line: EntryLine
  let manner: Manner
  /// All blocks of objects some of whose are left.
  var blocks: [SlotBlock] = []
  var groups: [StoredGroup] = []
  /// The texts that are left, and where they are, by number.
  var texts: [StoredText] = []
  var sequences: [StoredSequence] = []
  /// The first thing in validated blocks that contradicts the snapshot, although it can be read.
  var contradiction: MergeError?

  /// What of a snapshot is kept, and what is left where it lies.
  enum Manner {
    case keepingAll
    /// Blocks of slots and texts that may be opened later are stepped over.
    case steppingOver
    /// Blocks of slots are read, and left if they may be opened later.
    case provingBlocks
  }

  init(_ reader: Reader, _ manner: Manner = .keepingAll) {
    self.init(reader, version: VersionVector(), latestStamp: Stamp(rawValue: 0), manner)
  }

  /// In the midst of a snapshot whose version and latest stamp are known.
  init(_ reader: Reader, version: VersionVector, latestStamp: Stamp, _ manner: Manner = .keepingAll) {
    self.reader = reader
    self.version = version
    self.latestStamp = latestStamp
    self.manner = manner
    line = EntryLine(stamp: latestStamp)
  }

  /// A part of a snapshot that has been read.
  enum Section {
    case format
    case version(VersionVector)
    case frontier([Dot])
    case stamp(Stamp)
    case standing(Int)
    case derived(Int)
    case slots(Snapshot.Object)
    case sequence(Snapshot.Object)
    case checksum
  }

  /// - Parameter note: told of each section once it is read, and where it ends.
  mutating func read(noting note: (Section, Int) -> Void = { _, _ in }) throws(WireError) -> Snapshot {
    let versionByte = try reader.byte()
    isKept = versionByte == keptSnapshotVersion && manner == .steppingOver
    guard versionByte == snapshotVersion || isKept else {
      throw reader.error(
        .unsupportedVersion, "The snapshot is in version \(versionByte), this program reads \(snapshotVersion)", at: 0)
    }
    note(.format, reader.offset)
    version = try reader.version()
    note(.version(version), reader.offset)
    let frontier = try readFrontier()
    note(.frontier(frontier), reader.offset)
    latestStamp = Stamp(rawValue: try reader.fixed64())
    note(.stamp(latestStamp), reader.offset)
    line = EntryLine(stamp: latestStamp)

    var family = Family()
    try readStanding(&family)
    note(.standing(family.members.count), reader.offset)
    let standingCount = family.members.count
    try readDerived(&family)
    note(.derived(family.members.count - standingCount), reader.offset)
    var objects: [Snapshot.Object] = []
    var keys = KeyLine(version: version)
    for place in family.members.indices {
      let member = family.members[place]
      guard let origin = member.origin else {
        guard member.isParent else {
          throw reader.error(.malformed, "An object is named as a parent and has no children", at: member.place)
        }
        continue
      }
      var object = Snapshot.Object(id: member.id, origin: origin, slots: [])
      object.slots = try readSlots(of: object, keys: &keys)
      note(.slots(object), reader.offset)
      if origin.isSequence {
        object.sequence = try readOrLeaveSequence(of: object)
        note(.sequence(object), reader.offset)
      }
      objects.append(object)
    }
    try readChecksum()
    note(.checksum, reader.offset)
    objects.sort { $0.id < $1.id }
    return Snapshot(version: version, frontier: frontier, latestStamp: latestStamp, objects: objects)
  }

  private mutating func readChecksum() throws(WireError) {
    let (place, checksum) = (reader.offset, reader.checksum)
    guard try reader.fixed64() == checksum else {
      throw reader.error(.malformed, "The checksum is not that of the bytes before it", at: place)
    }
  }

  private mutating func readFrontier() throws(WireError) -> [Dot] {
    let count = try reader.count(ofSize: 2)
    var frontier: [Dot] = []
    for _ in 0..<count {
      let start = reader.offset
      let dot = try readDot()
      if let last = frontier.last, dot <= last {
        throw reader.error(.outOfOrder, "The dots of a frontier do not ascend", at: start)
      }
      frontier.append(dot)
    }
    return frontier
  }

  // MARK: Objects

  private struct Family {
    struct Member {
      var id: ObjectID
      /// Nil for one that is named only as a parent.
      var origin: Snapshot.Origin?
      var depth = 0
      var isParent = false
      var place: Int
    }

    var members: [Member] = []
  }

  private mutating func readStanding(_ family: inout Family) throws(WireError) {
    let place = reader.offset
    let count = try reader.count(ofSize: 1)
    try reader.spendSnapshotEntries(count, at: place)
    for _ in 0..<count {
      let start = reader.offset
      let member = try readStanding()
      if let last = family.members.last, member.id == .root || (last.id != .root && member.id <= last.id) {
        throw reader.error(.outOfOrder, "Objects do not ascend", at: start)
      }
      family.members.append(member)
    }
  }

  private mutating func readStanding() throws(WireError) -> Family.Member {
    let start = reader.offset
    let form = try reader.byte()
    switch form {
    case StandingForm.rootAsParent: return Family.Member(id: .root, place: start)
    case StandingForm.root: return Family.Member(id: .root, origin: .root, place: start)
    case StandingForm.assignedAsParent:
      return Family.Member(id: .assigned(by: try readDot()), place: start)
    case StandingForm.firstOrphan...:
      guard let kind = Kind(rawValue: form - StandingForm.firstOrphan) else {
        throw reader.error(.malformed, "No object begins with \(form)", at: start)
      }
      return Family.Member(id: .assigned(by: try readDot()), origin: .orphan(kind), place: start)
    default:
      guard let kind = Kind(rawValue: form - StandingForm.firstKind) else {
        throw reader.error(.malformed, "No object begins with \(form)", at: start)
      }
      return Family.Member(id: .assigned(by: try readDot()), origin: .assigned(kind), place: start)
    }
  }

  private mutating func readDerived(_ family: inout Family) throws(WireError) {
    let place = reader.offset
    let count = try reader.count(ofSize: 1)
    try reader.spendSnapshotEntries(count, at: place)
    var keys = KeyLine(version: version)
    var parent = 0
    var last: (key: Key, kind: Kind)?
    for number in 0..<count {
      let start = reader.offset
      let head = try reader.varint()
      let distance = head >> 6
      guard distance < UInt64(family.members.count - parent) else {
        throw reader.error(.unknownIndex, "A parent is named that does not stand before its child", at: start)
      }
      if distance > 0 || number == 0 {
        keys.beginGroup()
        last = nil
      }
      parent += Int(distance)
      guard let kind = Kind(rawValue: UInt8(head >> 3 & 7)) else {
        throw reader.error(.malformed, "No kind of object is \(head >> 3 & 7)", at: start)
      }
      let key = try keys.read(UInt8(head & 7), repeating: true, at: start, &reader)
      if let last, (key, kind) <= last {
        throw reader.error(.outOfOrder, "Two objects under one key do not ascend by kind", at: start)
      }
      last = (key, kind)
      let depth = family.members[parent].depth + 1
      guard depth <= reader.limits.nestingDepthMax else {
        throw reader.error(.tooDeep, "An object stands more than \(reader.limits.nestingDepthMax) deep", at: start)
      }
      family.members[parent].isParent = true
      let definition = ObjectDefinition(parent: family.members[parent].id, key: key, kind: kind)
      family.members.append(
        Family.Member(id: definition.id, origin: .derived(definition), depth: depth, place: start))
    }
  }

  // MARK: Dots

  mutating func readDot() throws(WireError) -> Dot {
    dot(at: try reader.shortDot(in: version))
  }

  func dot(at place: ItemPlace) -> Dot {
    Dot(version.entries[place.replica].replica, place.counter)
  }
}

extension Reader {
  /// A dot that `version` covers.
  mutating func shortDot(in version: VersionVector) throws(WireError) -> ItemPlace {
    let start = offset
    return try shortDot(of: varint(), in: version, at: start)
  }

  /// - Parameter start: where the replica's number stands.
  mutating func shortDot(of replica: UInt64, in version: VersionVector, at start: Int) throws(WireError) -> ItemPlace {
    guard replica < UInt64(version.entries.count) else {
      throw error(.unknownIndex, "Replica \(replica) is named and the version has \(version.entries.count)", at: start)
    }
    let place = offset
    let covered = version.entries[Int(replica)].counter
    let distance = try varint()
    guard distance < covered else {
      throw error(.malformed, "A dot lies \(distance) below a version of \(covered)", at: place)
    }
    return ItemPlace(replica: Int(replica), counter: covered - distance)
  }
}
