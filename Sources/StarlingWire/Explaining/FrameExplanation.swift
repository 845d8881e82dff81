/// What bytes are read as.
public enum FrameKind: String, Hashable, Sendable, CaseIterable {
  /// What two peers say to each other directly.
  case message
  /// What a peer publishes on a document's topic.
  case published
  /// Changes that read by themselves, as answers carry and logs keep them.
  case batch
  /// A document's state.
  case snapshot
  /// What a live stream's reader begins with in its midst.
  case tables
  /// The payload of a published frame of stream 0.
  case presence
}

/// What the bytes of a frame mean, piece by piece (Protocol/wire-format.md).
///
/// ```
/// frame:    | 10 32 54 76 | 98 ba dc fe | 07 | 01 00 …
/// pieces:   |    topic    |   stream    | no |  payload …
/// ```
///
/// The pieces follow upon each other without a gap, from the first byte up to the end or to what cannot be read.
public struct FrameExplanation: Hashable, Sendable {
  public struct Piece: Hashable, Sendable {
    /// Which bytes of the frame.
    public var bytes: Range<Int>
    /// How deep it lies in what carries it: a batch in a message, a change in the batch.
    public var depth: Int
    public var meaning: String
  }

  public var kind: FrameKind
  public var pieces: [Piece]
  /// Why no more of it can be read; its offset counts from the first byte of what carries the piece at fault.
  public var error: WireError?
  /// Where in the frame that is.
  public var errorOffset: Int?
}

/// The pieces of a frame as they are found: each goes from the end of the one before to where its reader stands.
struct FrameNotes {
  private(set) var pieces: [FrameExplanation.Piece] = []
  private var depth = 0
  /// Where in the frame the bytes begin that are read now.
  private(set) var base = 0
  private var end = 0
  private(set) var error: WireError?
  private(set) var errorOffset: Int?

  /// What ends at `offset` of the bytes that are read now; nothing if that is where the piece before ended.
  mutating func say(_ offset: Int, _ meaning: @autoclosure () -> String) {
    let place = base + offset
    guard place > end else { return }
    pieces.append(FrameExplanation.Piece(bytes: end..<place, depth: depth, meaning: meaning()))
    end = place
  }

  /// A heading for what follows, without bytes of its own.
  mutating func begin(_ meaning: String) {
    pieces.append(FrameExplanation.Piece(bytes: end..<end, depth: depth, meaning: meaning))
    depth += 1
  }

  mutating func finish() { depth -= 1 }

  /// Explains bytes that are carried within others and end at `offset` of those. What is wrong with them ends the
  /// explanation, as nothing after them is of use without them.
  mutating func carry(
    _ count: Int, upTo offset: Int, _ meaning: String, _ body: (inout FrameNotes) throws(WireError) -> Void
  ) {
    begin(meaning)
    let outer = base
    base = outer + offset - count
    do throws(WireError) {
      try body(&self)
    } catch {
      refuse(error)
    }
    base = outer
    finish()
    guard self.error == nil else { return }
    say(offset, "more of it")
  }

  /// Notes what ends the explanation: the first stands.
  mutating func refuse(_ error: WireError) {
    guard self.error == nil else { return }
    self.error = error
    errorOffset = base + error.offset
  }
}
