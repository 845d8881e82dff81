import StarlingWire

/// Spools the parts of one state transfer, which merges in one step or not at all
/// (Protocol/merge.md, "States").
struct SnapshotAssembly: Sendable {
  enum Outcome: Hashable {
    case more
    case complete([UInt8])
    case malformed(String)
  }

  private let request: UInt32
  private let byteCount: UInt64
  private var bytes: [UInt8] = []

  /// A snapshot may take this much; a peer that announces more is refused before anything is kept.
  static let byteCountMax: UInt64 = 1 << 30

  /// Nil if the first part does not begin a snapshot, or announces one that is too large.
  init?(beginningWith part: Message.SnapshotPart) {
    guard part.offset == 0, part.byteCount <= Self.byteCountMax else { return nil }
    request = part.request
    byteCount = part.byteCount
  }

  mutating func add(_ part: Message.SnapshotPart) -> Outcome {
    guard part.request == request, part.byteCount == byteCount else {
      return .malformed("a part of \(part.byteCount) bytes in all came among those of \(byteCount)")
    }
    guard part.offset <= byteCount, UInt64(part.bytes.count) <= byteCount - part.offset else {
      return .malformed("a part at byte \(part.offset) reaches beyond the \(byteCount) bytes announced")
    }
    // A part that came twice adds nothing; one whose predecessor is missing cannot be placed.
    guard part.offset == UInt64(bytes.count) else {
      return part.offset < UInt64(bytes.count)
        ? .more : .malformed("a part at byte \(part.offset) came where \(bytes.count) was expected")
    }
    bytes.append(contentsOf: part.bytes)
    return UInt64(bytes.count) == byteCount ? .complete(bytes) : .more
  }
}
