import StarlingCore
import StarlingSession
import StarlingWire

/// What an engine keeps for one open document, beside what `Replication` decides by. Confined to the engine's actor.
final class OpenDocument {
  let number: DocumentNumber
  let handle: DocumentHandle

  /// Empty: memory for the next outbox, and for the operations of changes to come.
  var spareOutbox: [Change] = []
  var spareOperations: [[Operation]] = []

  /// The state that peers are being sent, or that is being written down for them.
  var cut: StateCut?
  var cutInMaking: CutInMaking?
  /// A checkpoint that is being written down, or stored.
  var checkpointing: Task<Void, Never>?

  var progressWatchers = ProgressWatchers()

  var id: DocumentID { handle.id }

  init(_ number: DocumentNumber, _ handle: DocumentHandle) {
    self.number = number
    self.handle = handle
  }
}

/// One cut of a document's state on its way to peers. All who ask at about the same time get the same, and one whose
/// connection broke goes on with it where it was cut off.
struct StateCut {
  let bytes: [UInt8]
  let checksum: UInt64
  let version: Version
  /// How many states it holds that were merged here.
  let statesMerged: Int
  let madeAt: Duration
  /// When a part of it was last sent.
  var usedAt: Duration

  /// For so long others are handed it too, and for so long it is kept for those who come back.
  private static let sharedFor: Duration = .seconds(5)
  static let keptFor: Duration = .seconds(30)
  private static let partByteCount = 1 << 18

  /// Whether the log goes on from it, and the asker is one of those who get the same.
  func serves(_ want: Message.Want, _ compaction: Compaction, now: Duration) -> Bool {
    statesMerged == compaction.statesMerged && version.covers(compaction.floor)
      && (want.begun?.checksum == checksum || now - madeAt < Self.sharedFor)
  }

  /// Where its parts begin, from where the asker got to with it.
  func offsets(answering want: Message.Want) -> StrideTo<Int> {
    let isBegun = want.begun?.checksum == checksum && (want.begun?.byteCount ?? 0) < UInt64(bytes.count)
    return stride(from: isBegun ? Int(want.begun?.byteCount ?? 0) : 0, to: bytes.count, by: Self.partByteCount)
  }

  func part(at offset: Int, answering want: Message.Want) -> Message.SnapshotPart {
    Message.SnapshotPart(
      document: want.document, request: want.request, checksum: checksum, offset: UInt64(offset),
      byteCount: UInt64(bytes.count), bytes: Array(bytes[offset..<min(offset + Self.partByteCount, bytes.count)]))
  }
}

/// A cut that is being written down.
struct CutInMaking {
  let statesMerged: Int
  let task: Task<StateCut, Never>
}
