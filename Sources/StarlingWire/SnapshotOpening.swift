public import StarlingCore

extension SnapshotCoding {
  /// Opens a snapshot that this replica wrote and kept, and leaves what it can in the bytes: slots of objects that have
  /// many are read when something touches them (Documentation/Decisions/lazy-snapshots.md).
  ///
  /// What comes from somebody else is validated first (`validate`): a checksum says that bytes were not damaged, not that
  /// they make sense. Where bytes bear out their checksum and make none, a later read stops the program.
  ///
  /// - Throws: `WireError` for bytes that were damaged, `MergeError` for what contradicts itself at first sight.
  /// - Complexity: O(bytes) with some bytes a nanosecond; O(*n*) in what is not left.
  public static func open(_ bytes: [UInt8], limits: WireLimits = .standard) throws -> Document {
    if bytes.first == snapshotVersion || bytes.first == keptSnapshotVersion { try check(bytes) }
    return try document(of: bytes, .steppingOver, limits: limits)
  }

  /// Reads all of a snapshot that anybody may have sent, and validates all that can be validated of it, as `decode` does and
  /// a document that is made of what that returns. What may be opened later is left in the bytes all the same.
  ///
  /// - Throws: `WireError` for bytes that are no snapshot, `MergeError` for what contradicts itself.
  /// - Complexity: O(*n*); of slots that are left no more than a block exists at a time.
  package static func validate(_ bytes: [UInt8], limits: WireLimits = .standard) throws -> ValidatedSnapshot {
    ValidatedSnapshot(document: try document(of: bytes, .provingBlocks, limits: limits), bytes: bytes)
  }

  private static func document(
    of bytes: [UInt8], _ manner: SnapshotReader.Manner, limits: WireLimits
  ) throws -> Document {
    var blocks: [SlotBlock] = []
    var groups: [StoredGroup] = []
    var texts: [StoredText] = []
    var sequences: [StoredSequence] = []
    var contradiction: MergeError?
    let snapshot = try Reader.read(bytes[...], atMost: limits.snapshotByteCountMax, limits: limits) {
      reader throws(WireError) -> Snapshot in
      var snapshot = SnapshotReader(reader, manner)
      let result = try snapshot.read()
      (reader, blocks, groups) = (snapshot.reader, snapshot.blocks, snapshot.groups)
      (texts, sequences, contradiction) = (snapshot.texts, snapshot.sequences, snapshot.contradiction)
      return result
    }
    if let contradiction { throw contradiction }
    let store = StoredBlocks(
      bytes: bytes, version: snapshot.version, latestStamp: snapshot.latestStamp, blocks: blocks, sequences: sequences,
      limits: limits)
    return try Document(snapshot, leaving: groups, texts, in: store)
  }

  private static func check(_ bytes: [UInt8]) throws(WireError) {
    let place = bytes.count - checksumByteCount
    guard place > 0 else { throw WireError(.truncated, at: bytes.count, "The bytes end before a checksum") }
    let (computed, written) = bytes.withUnsafeBytes { bytes in
      (
        UnsafeRawBufferPointer(rebasing: bytes[..<place]).checksum,
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      )
    }
    guard computed == written else {
      throw WireError(.malformed, at: place, "The checksum is not that of the bytes before it")
    }
  }
}

/// A state that somebody sent and that was found to be one, as the document that it makes.
public struct ValidatedSnapshot: Sendable {
  package let document: Document
  /// Which the document has no need of once all of it was opened, and which a log may keep as they are.
  package let bytes: [UInt8]

  package var version: VersionVector { document.version }
}

/// Some slots of an object that has many, in the bytes of a snapshot (Protocol/wire-format.md, "Snapshots").
struct SlotBlock {
  /// Objects with fewer slots have no blocks, nor do lists: their elements are asked for by where they stand.
  static func has(_ origin: Snapshot.Origin, slotCount: Int) -> Bool {
    slotCount >= 1024 && !origin.isSequence
  }

  static let slotCount = 64

  var start: Int
  var byteCount: Int
  var slotCount: Int
}

extension Snapshot.Slot {
  /// Whether an entry brought an object into being, or puts one here.
  var holdsObject: Bool {
    entries.contains { if case .object = $0.value { true } else { $0.value.movedObject != nil } }
  }
}

/// The runs of a text and what follows, in the bytes of a snapshot.
struct StoredSequence {
  /// Texts of fewer runs are not left.
  static let runCountMin = 64

  var start: Int
  var byteCount: Int
  /// Whether it is an order leaf by leaf.
  var isByLeaf = false
}

/// The blocks and texts of a snapshot whose checksum held when it was opened, or all of which was read then.
private final class StoredBlocks: SlotStore {
  let bytes: [UInt8]
  let version: VersionVector
  let latestStamp: Stamp
  let blocks: [SlotBlock]
  let sequences: [StoredSequence]
  let limits: WireLimits

  init(
    bytes: [UInt8], version: VersionVector, latestStamp: Stamp, blocks: [SlotBlock], sequences: [StoredSequence],
    limits: WireLimits
  ) {
    self.bytes = bytes
    self.version = version
    self.latestStamp = latestStamp
    self.blocks = blocks
    self.sequences = sequences
    self.limits = limits
  }

  func block(holding key: Key, among range: Range<Int>) -> Int {
    // The last block that does not begin beyond the key.
    var (low, high) = (range.lowerBound, range.upperBound)
    while high - low > 1 {
      let middle = (low + high) / 2
      let first = read(middle) { reader throws(WireError) in try reader.readFirstKey() }
      if key < first { high = middle } else { low = middle }
    }
    return low
  }

  func slots(in block: Int) -> [Snapshot.Slot] {
    read(block) { [blocks] reader throws(WireError) in try reader.readBlock(slotCount: blocks[block].slotCount) }
  }

  func slot(_ key: Key, in block: Int) -> Snapshot.Slot? {
    read(block) { [blocks] reader throws(WireError) in
      try reader.readSlot(key, amongFirst: blocks[block].slotCount)
    }
  }

  func sequence(_ number: Int) -> Snapshot.Sequence {
    let sequence = sequences[number]
    let found = read(sequence.start, sequence.byteCount) { reader throws(WireError) in try reader.readSequence() }
    return found ?? Snapshot.Sequence(runs: [])
  }

  func order(_ number: Int) -> StoredOrder? {
    let sequence = sequences[number]
    guard sequence.isByLeaf else { return nil }
    return read(sequence.start, sequence.byteCount) { reader throws(WireError) in
      try reader.readOrder(startingAt: sequence.start)
    }
  }

  func forEachSpan(at place: Range<Int>, _ body: (StoredOrder.Span) -> Void) {
    readBytes(at: place) { reader throws(WireError) in try reader.readLeaf(body) }
  }

  func bytes(at place: Range<Int>) -> ArraySlice<UInt8> { bytes[place] }

  private func read<Result>(_ number: Int, _ body: (inout SnapshotReader) throws(WireError) -> Result) -> Result {
    read(blocks[number].start, blocks[number].byteCount, body)
  }

  private func read<Result>(
    _ start: Int, _ byteCount: Int, _ body: (inout SnapshotReader) throws(WireError) -> Result
  ) -> Result {
    readBytes(at: start..<start + byteCount) { reader throws(WireError) -> Result in
      var snapshot = SnapshotReader(reader, version: version, latestStamp: latestStamp)
      let result = try body(&snapshot)
      try snapshot.reader.skip(snapshot.reader.remaining)
      reader = snapshot.reader
      return result
    }
  }

  private func readBytes<Result>(
    at place: Range<Int>, _ body: (inout Reader) throws(WireError) -> Result
  ) -> Result {
    do throws(WireError) {
      return try Reader.read(bytes[place], atMost: .max, limits: limits, body)
    } catch {
      preconditionFailure(
        "What lies at byte \(place.lowerBound) of a stored snapshot whose checksum held cannot be read: \(error)")
    }
  }
}
