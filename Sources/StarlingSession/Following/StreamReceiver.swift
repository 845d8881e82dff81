import StarlingCore
import StarlingWire

/// Follows the live stream of one peer for one document: knows which frame comes next, and keeps
/// the tables that the frames rely on.
///
/// ```
///              resume                      gap, undecodable frame
///   away ──────────────────► following ──────────────────────────► away
///    │ frames are held, bounded  │ frames in sequence give changes
/// ```
struct StreamReceiver: Sendable {
  enum Outcome {
    /// In sequence: its changes were appended.
    case changes
    /// Kept until the stream can be joined, or of no use.
    case nothing
    /// The stream is lost until a resume hands it over again.
    case lost(reason: String)
  }

  enum ResumeOutcome {
    /// Joined; this is of frames that had been held.
    case parts([Contribution])
    /// Joined, and lost again: frames are missing among those held.
    case lost(reason: String)
    /// The tables cannot be read, so the stream cannot be joined.
    case unusable(WireError)
  }

  /// Where the stream goes on; nil while away.
  private(set) var position: StreamPosition?
  /// The tables of the stream that is followed. Beside the position, not with it in an enum: what is taken out of a
  /// case is a copy, and this one would be made with every frame.
  private var decoder = LiveDecoder()
  /// Frames that came while away, in the order of arrival; those after a resume's position are used.
  private var held: [PublishedFrame] = []
  private var heldByteCount = 0

  /// Whether frames wait until the stream can be joined.
  var holdsFrames: Bool { !held.isEmpty }

  private static let heldCountMax = 4096
  private static let heldByteCountMax = 4 << 20

  /// - Parameter contributions: to which those of a frame in sequence are appended.
  mutating func receive(_ frame: PublishedFrame, into contributions: inout Contributions) -> Outcome {
    guard let position else {
      hold(frame)
      return .nothing
    }
    // Documents may share a topic. A peer that began a new stream says so in its next `have`.
    guard frame.stream == position.stream else { return .nothing }
    guard frame.sequence == position.sequence else {
      if frame.sequence < position.sequence { return .nothing }
      leave()
      hold(frame)
      return .lost(reason: "frames \(position.sequence)..<\(frame.sequence) are missing")
    }
    do {
      try decoder.decode(frame.payload, into: &contributions)
      self.position?.sequence &+= 1
      return .changes
    } catch {
      leave()
      return .lost(reason: "frame \(position.sequence) cannot be read: \(error)")
    }
  }

  /// Joins the stream at `position` with the tables that were handed over, and takes what was held.
  ///
  /// A stream that was followed all along is not set back: its frames past `position` are used already.
  mutating func resume(at position: StreamPosition, tables: [UInt8]) -> ResumeOutcome {
    if let present = self.position, present.stream == position.stream, present.sequence >= position.sequence {
      return .parts([])
    }
    do {
      decoder = try LiveDecoder(tables: tables)
      self.position = position
    } catch {
      return .unusable(error)
    }
    let frames = held
    release()
    var contributions = Contributions()
    for frame in frames where frame.stream == position.stream {
      switch receive(frame, into: &contributions) {
      case .changes, .nothing: break
      case .lost(let reason): return .lost(reason: reason)
      }
    }
    return .parts(contributions.take())
  }

  private mutating func leave() {
    position = nil
    decoder = LiveDecoder()
  }

  private mutating func hold(_ frame: PublishedFrame) {
    // Past the bound the oldest would be needed to bridge to any later one, so all go and the next
    // resume finds a gap at most.
    if held.count >= Self.heldCountMax || heldByteCount + frame.payload.count > Self.heldByteCountMax { release() }
    held.append(frame)
    heldByteCount += frame.payload.count
  }

  private mutating func release() {
    held = []
    heldByteCount = 0
  }
}
