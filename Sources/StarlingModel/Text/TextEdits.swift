/// What one write or one delivery did to a text: edits one after another, each counting in what the one before
/// left.
public struct TextEdits: Hashable, Sendable {
  /// Where the edits come from.
  public enum Origin: Hashable, Sendable {
    /// Written on this replica.
    case local
    /// Merged from another.
    case remote
  }

  /// Ranges count Unicode scalars.
  public enum Edit: Hashable, Sendable {
    /// Other characters in place of those in the range; an empty range inserts, an empty text removes.
    case replace(Range<Int>, with: String)
    /// Marks came or went in the range; the text is the same.
    case format(Range<Int>)
  }

  /// Where the edits come from.
  public var origin: Origin
  /// The edits, in the order in which to apply them.
  public var edits: [Edit]

  /// Makes edits of an origin, in the order in which to apply them.
  public init(origin: Origin, edits: [Edit]) {
    self.origin = origin
    self.edits = edits
  }
}
