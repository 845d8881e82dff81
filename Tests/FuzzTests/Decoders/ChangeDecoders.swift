import StarlingCore

@testable import StarlingWire

// Changes: of a live stream, from its beginning or from its tables on, and of a batch. Each is read in two ways, which
// must come to the same, and what was read is merged.

extension FuzzedDecoder {
  static let stream = FuzzedDecoder(name: "stream", byteCountPerByte: 16_384) { bytes in
    var input = InputReader(bytes)
    return try follow(LiveDecoder(), input.parts(atMost: 64))
  }

  static let tables = FuzzedDecoder(name: "tables", byteCountPerByte: 16_384) { bytes in
    var input = InputReader(bytes)
    let tables = input.part()
    guard let decoder = try? LiveDecoder(tables: tables) else { return false }
    return try follow(decoder, input.parts(atMost: 64))
  }

  static let batch = FuzzedDecoder(name: "batch", byteCountPerByte: 16_384) { bytes in
    guard let changes = try? Batch.decode(bytes) else {
      try hold((try? Batch.parts(of: bytes)) == nil, "A batch is refused, and its parts are not")
      return false
    }
    try hold(try Batch.parts(of: bytes).flatMap(\.changes) == changes, "The parts of a batch are not its changes")
    try hold((try? Batch.decode(Batch.encode(changes))) == changes, "A batch is not read again as it is written")
    var merging = MergedTwice()
    try merging.take(changes) { document, patch in try Batch.merge(bytes, into: &document, patch: &patch) }
    try merging.check()
    return true
  }

  /// - Returns: Whether all payloads were read.
  private static func follow(_ start: LiveDecoder, _ payloads: [[UInt8]]) throws -> Bool {
    var decoder = start
    var merger = start
    var gatherer = start
    var contributions = Contributions()
    var all: [Change] = []
    var encoder = LiveEncoder()
    var echo = LiveDecoder()
    var merging = MergedTwice()
    var isRead = true
    for payload in payloads {
      guard let changes = try? decoder.decode(payload) else {
        try hold((try? decoder.decode([])) == nil, "A stream that was refused goes on")
        try hold(
          (try? gatherer.decode(payload[...], into: &contributions)) == nil,
          "A payload is refused, and its rows are not")
        isRead = false
        break
      }
      var written: [UInt8] = []
      for change in changes { encoder.encode(change, into: &written) }
      try hold((try? echo.decode(written)) == changes, "A payload is not read again as it is written")
      try gatherer.decode(payload[...], into: &contributions)
      all += changes
      try merging.take(changes) { document, patch in try merger.merge(payload, into: &document, patch: &patch) }
    }
    try hold(contributions.take().flatMap(\.changes) == all, "The rows of a stream are not its changes")
    try merging.check()
    return isRead
  }
}

/// Two documents that hear the same: one of each change, the other of what came together.
private struct MergedTwice {
  private var alone = Document()
  private var together = Document()
  private var patch = Patch()
  /// Once something was refused or has to wait, it is another one's to bring what is missing.
  private var isOver = false
  private var isRefused = false

  init() {
    #if DEBUG
      alone.checksEveryCall = false
      together.checksEveryCall = false
    #endif
  }

  mutating func take(
    _ changes: [Change], together merge: (inout Document, inout Patch) throws -> MergeOutcome
  ) throws {
    if isOver { return }
    for change in changes where !isOver {
      do throws(MergeError) {
        switch try alone.merge(change, patch: &patch) {
        case .merged, .duplicate: break
        case .notYet, .lacksAnchors: isOver = true
        }
      } catch {
        isOver = true
        isRefused = true
      }
    }
    var isOverHere = false
    do {
      switch try merge(&together, &patch) {
      case .merged, .duplicate: break
      case .notYet, .lacksAnchors: isOverHere = true
      }
    } catch {
      isOverHere = true
    }
    try hold(isOver == isOverHere, "One by one the changes \(isOver ? "end" : "merge"), together not")
  }

  func check() throws {
    alone.checkInvariants()
    together.checkInvariants()
    // What is refused takes the plain sets of its writer right before it with it.
    try hold(
      isRefused ? alone.version.covers(together.version) : alone.version == together.version,
      "One by one \(alone.version) is merged, together \(together.version)")
    if alone.version == together.version {
      try hold(
        alone.digest() == together.digest(), "Changes that merge together come to something else than one by one")
    }
    try SnapshotLaw.check(together)
    try SnapshotLaw.check(alone)
  }
}
