public import StarlingCore

/// A part of a group's documents, chosen by their names (Protocol/conversation.md, "Shards").
///
/// ```
///   "notes" ── SipHash ──► 0x…a6  mod 4 = 2 ──► shard 3 of 4
/// ```
///
/// Whoever knows a name and how many shards there are knows the shard: nobody has to be asked, and nothing is kept.
public struct DocumentShard: Hashable, Sendable, LosslessStringConvertible {
  /// From 1 to `count`.
  public let number: Int
  /// How many shards the documents are spread over.
  public let count: Int

  /// So many shards there are at most.
  public static let countMax = 256
  /// All documents.
  public static let whole = DocumentShard(checked: 1, of: 1)

  private init(checked number: Int, of count: Int) {
    self.number = number
    self.count = count
  }

  /// Nil where there is no such shard.
  public init?(_ number: Int, of count: Int) {
    guard (1...Self.countMax).contains(count), (1...count).contains(number) else { return nil }
    self.init(checked: number, of: count)
  }

  /// Reads `2/4`, the second of four; nil for anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Self.number(in: $0) }
    guard parts.count == 2, let number = parts[0], let count = parts[1] else { return nil }
    self.init(number, of: count)
  }

  private static func number(in text: Substring) -> Int? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
  }

  public var description: String { "\(number)/\(count)" }

  /// Whether this is not all there is.
  public var isPart: Bool { count > 1 }

  /// - Complexity: O(bytes of the name), and O(1) where there is one shard.
  public func contains(_ document: DocumentID) -> Bool {
    count == 1 || Self.of(document, among: count).number == number
  }

  /// Whether there are names of documents that are in both.
  package func overlaps(_ other: DocumentShard) -> Bool {
    var (divisor, rest) = (count, other.count)
    while rest > 0 { (divisor, rest) = (rest, divisor % rest) }
    return (number - other.number) % divisor == 0
  }

  /// The shard of a document.
  ///
  /// - Parameter count: how many there are, from 1 to `countMax`.
  public static func of(_ document: DocumentID, among count: Int) -> DocumentShard {
    let place = document.hash(under: "Starling shards.") % UInt64(count)
    return DocumentShard(checked: Int(place) + 1, of: count)
  }
}

extension DocumentID {
  /// The first eight bytes of SipHash-2-4 of the name's UTF-8.
  ///
  /// - Parameter key: sixteen bytes.
  func hash(under key: StaticString) -> UInt64 {
    var hasher = SipHash(key: SipHash.Key(key))
    var name = name
    name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    return hasher.finish().first
  }
}
