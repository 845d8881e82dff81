import StarlingCore
import StarlingWire

/// Why a document is not served here: it is of another shard (Documentation/Scaling.md, "Documents over several daemons").
public struct ShardError: Error, Sendable, CustomStringConvertible {
  public enum Code: Sendable, Hashable {
    /// Another daemon of the group serves the document.
    case elsewhere
    /// The log holds documents that this daemon is not to serve.
    case stored
  }

  public var code: Code
  public var message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}

extension ShardError {
  /// Nil for a document of the shard.
  init?(opening document: DocumentID, in shard: DocumentShard) {
    guard !shard.contains(document) else { return nil }
    let home = DocumentShard.of(document, among: shard.count)
    self.init(
      .elsewhere, "'\(document)' is of shard \(home), and this daemon serves \(shard). Ask the daemon of \(home).")
  }

  /// Nil where all the documents are of the shard.
  init?(starting shard: DocumentShard, withStored documents: [DocumentID]) {
    let strange = documents.filter { !shard.contains($0) }.sorted { $0.name < $1.name }
    guard !strange.isEmpty else { return nil }
    let names = strange.prefix(Self.namedCountMax).map { "'\($0)' (\(DocumentShard.of($0, among: shard.count)))" }
    let more = strange.count > names.count ? " and \(strange.count - names.count) more" : ""
    self.init(
      .stored,
      "The store holds \(strange.count) of its \(documents.count) documents for other shards than \(shard): "
        + "\(names.joined(separator: ", "))\(more). Nothing was changed, and nothing is served, so that nobody takes them for "
        + "lost. Start this store with the shard that it had before, and the daemon of \(shard) with a directory of its own; "
        + "with --connect to this one it takes its documents from here.")
  }

  private static let namedCountMax = 5
}
