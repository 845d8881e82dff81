import StarlingWire

/// Spools the parts of one state transfer, which merges in one step or not at all
/// (Protocol/merge.md, "States").
///
/// ```
///   bytes   [ part ][ part ][ pa│                 │ byteCount
///                               └ held so far: a transfer that was cut off goes on here, by any peer with that state
/// ```
struct SnapshotAssembly: Sendable {
  enum Outcome: Hashable {
    case more
    case complete([UInt8])
    case malformed(String)
  }

  private let checksum: UInt64
  private let byteCount: UInt64
  private var bytes: [UInt8] = []

  /// A snapshot may take this much; a peer that announces more is refused before anything is kept.
  static let byteCountMax: UInt64 = 1 << 30

  /// Nil if the first part does not begin a snapshot, or announces one that is too large.
  init?(beginningWith part: Message.SnapshotPart) {
    guard part.offset == 0, part.byteCount <= Self.byteCountMax else { return nil }
    checksum = part.checksum
    byteCount = part.byteCount
  }

  /// How far it got.
  var begun: Message.BegunState { Message.BegunState(checksum: checksum, byteCount: UInt64(bytes.count)) }

  /// The same, as it is told to others.
  var arrival: Message.Arrival { Message.Arrival(byteCount: UInt64(bytes.count), wholeByteCount: byteCount) }

  /// Whether the part is one of this state.
  func contains(_ part: Message.SnapshotPart) -> Bool {
    part.checksum == checksum && part.byteCount == byteCount
  }

  mutating func add(_ part: Message.SnapshotPart) -> Outcome {
    guard contains(part) else {
      return .malformed("a part of another state, of \(part.byteCount) bytes, came among those of \(byteCount)")
    }
    guard part.offset <= byteCount, UInt64(part.bytes.count) <= byteCount - part.offset else {
      return .malformed("a part at byte \(part.offset) reaches beyond the \(byteCount) bytes announced")
    }
    // A part whose predecessor is missing cannot be placed; of one that came before only what is new is added.
    guard part.offset <= UInt64(bytes.count) else {
      return .malformed("a part at byte \(part.offset) came where \(bytes.count) was expected")
    }
    let held = UInt64(bytes.count) - part.offset
    guard held < UInt64(part.bytes.count) || UInt64(bytes.count) == byteCount else { return .more }
    bytes.append(contentsOf: part.bytes.dropFirst(Int(held)))
    guard UInt64(bytes.count) == byteCount else { return .more }
    guard bytes.checksum == checksum else { return .malformed("its bytes do not have the checksum announced") }
    return .complete(bytes)
  }
}
