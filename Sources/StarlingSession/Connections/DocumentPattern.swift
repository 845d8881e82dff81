public import StarlingCore

/// Names documents: one by its name, or those whose names begin alike ("notes-*"), or all ("*").
public struct DocumentPattern: Sendable, Hashable, LosslessStringConvertible {
  public static let everything = DocumentPattern(prefix: "", isExact: false)

  private let prefix: String
  private let isExact: Bool

  private init(prefix: String, isExact: Bool) {
    self.prefix = prefix
    self.isExact = isExact
  }

  /// Nil for an empty one, and for one with an asterisk that is not its end.
  public init?(_ text: String) {
    let prefix = text.hasSuffix("*") ? String(text.dropLast()) : text
    guard !text.isEmpty, !prefix.contains("*") else { return nil }
    self.init(prefix: prefix, isExact: !text.hasSuffix("*"))
  }

  public var description: String { isExact ? prefix : prefix + "*" }

  public func matches(_ document: DocumentID) -> Bool {
    isExact ? document.name == prefix : document.name.utf8.starts(with: prefix.utf8)
  }
}
