/// The way from the root of a document to something in it: `books/0/title`, or the same as a JSON Pointer,
/// `/books/0/title` (RFC 6901). In a part, `~1` is a slash and `~0` a tilde.
///
/// A part names a property, a key of a dictionary or a member of a set, or counts the elements of a list from 0; `-`
/// is the place behind a list's last element.
public struct DocumentPath: Sendable, Hashable, CustomStringConvertible {
  /// The parts of the path, unescaped, from the root on; empty for the root.
  public var parts: [String]

  /// Makes a path of parts that are not escaped.
  public init(parts: [String]) {
    self.parts = parts
  }

  /// Everything.
  public static let root = DocumentPath(parts: [])

  /// Nil where a tilde is followed by neither 0 nor 1.
  public init?(_ text: String) {
    parts = []
    if text.isEmpty { return }
    // Scalar by scalar: a part may begin with a mark that joins the slash before it to one character.
    var body = text.unicodeScalars[...]
    if body.first == "/" { body.removeFirst() }
    for part in body.split(separator: "/", omittingEmptySubsequences: false) {
      guard let part = Self.unescaped(part) else { return nil }
      parts.append(part)
    }
  }

  private static func unescaped(_ part: Substring.UnicodeScalarView) -> String? {
    var result = ""
    var rest = part
    while let scalar = rest.popFirst() {
      guard scalar == "~" else {
        result.unicodeScalars.append(scalar)
        continue
      }
      switch rest.popFirst() {
      case "0": result += "~"
      case "1": result += "/"
      default: return nil
      }
    }
    return result
  }

  /// The path one step further, to what `part`, unescaped, names there.
  public func appending(_ part: String) -> DocumentPath {
    DocumentPath(parts: parts + [part])
  }

  /// Whether it leads to `other`, or to something below it.
  public func isWithin(_ other: DocumentPath) -> Bool {
    parts.starts(with: other.parts) { $0.utf8.elementsEqual($1.utf8) }
  }

  /// As a JSON Pointer.
  public var pointer: String {
    parts.map { "/" + Self.escaped($0) }.joined()
  }

  /// As people write it: without the first slash, where that is clear. Empty for the root.
  public var description: String {
    parts.first.map { $0.isEmpty ? pointer : String(pointer.unicodeScalars.dropFirst()) } ?? ""
  }

  /// For a sentence.
  var name: String { parts.isEmpty ? "the document" : "'\(self)'" }

  private static func escaped(_ part: String) -> String {
    var result = ""
    for scalar in part.unicodeScalars {
      switch scalar {
      case "~": result += "~0"
      case "/": result += "~1"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

/// Why something cannot be read or written at a path.
public struct JSONDocumentError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What went wrong, for a program to switch on.
  public enum Code: Sendable, Hashable {
    /// Nothing is there.
    case missing
    /// What is there is of another kind than what was to be written.
    case kind
    /// It is more than one change may hold.
    case tooLarge
    /// Something that JSON cannot say.
    case unsayable
    /// The document was forgotten for good.
    case forgotten
    /// A transaction is open, whose half nobody may see.
    case transactionOpen
    /// More changes came than their reader took.
    case tooSlow
  }

  /// What went wrong, for a program to switch on.
  public var code: Code
  /// Where in the document.
  public var path: DocumentPath
  /// What, where and what to do.
  public var message: String

  package init(_ code: Code, at path: DocumentPath, _ message: String) {
    self.code = code
    self.path = path
    self.message = message
  }

  public var description: String { message }
}
