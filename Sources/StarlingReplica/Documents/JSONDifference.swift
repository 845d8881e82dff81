import StarlingCore
public import StarlingEngine

/// What a reader sees otherwise in one version of a document than in another, by path, as `JSONDocument` reads both.
///
/// ```swift
/// let then = try await replica.engine.document(id, at: change.version)
/// let now = try await replica.engine.present(of: id)
/// for line in JSONDifference(from: then, to: now).lines { print(line.path, line.former ?? "", line.latter ?? "") }
/// ```
public struct JSONDifference: Sendable, Equatable {
  /// How a place differs.
  public enum Change: String, Sendable, Hashable {
    /// It holds something in the latter version alone.
    case added
    /// It holds something in the former version alone.
    case removed
    /// It holds something else.
    case changed
    /// The elements of a list are the same, in another order.
    case order
  }

  /// One place that differs.
  public struct Line: Sendable, Equatable {
    /// The way to the place in the latter version; in the former one where it is gone.
    public var path: DocumentPath
    /// How it differs.
    public var change: Change
    /// What it held; nil where it held nothing.
    public var former: JSONValue?
    /// What it holds; nil where it holds nothing.
    public var latter: JSONValue?
    /// Whether it is a text that was edited.
    public var isText = false
  }

  /// Each place once. What came or went with an object is told with the object.
  public private(set) var lines: [Line] = []

  /// Compares two versions of one document.
  ///
  /// - Complexity: O(slots of both)
  public init(from former: HistoricDocument, to latter: HistoricDocument) {
    let trees = (former: DocumentTree(former.document), latter: DocumentTree(latter.document))
    let indexes = (former: PlaceIndex(trees.former), latter: PlaceIndex(trees.latter))
    let difference = former.difference(to: latter)
    var found: [Line] = []
    for entry in difference.entries {
      let path =
        indexes.latter.path(of: entry.key, in: entry.object, trees.latter)
        ?? indexes.former.path(of: entry.key, in: entry.object, trees.former)
      let (from, to) = (trees.former.json(entry.key, in: entry.object), trees.latter.json(entry.key, in: entry.object))
      guard let path, from != to else { continue }
      let change: Change = from == nil ? .added : to == nil ? .removed : .changed
      found.append(Line(path: path, change: change, former: from, latter: to))
    }
    for text in difference.texts {
      let path =
        indexes.latter.path(of: text.object, trees.latter) ?? indexes.former.path(of: text.object, trees.former)
      guard let path else { continue }
      found.append(
        Line(path: path, change: .changed, former: .string(text.from), latter: .string(text.to), isText: true))
    }
    for list in difference.lists where Set(list.from) == Set(list.to) {
      guard let path = indexes.latter.path(of: list.object, trees.latter) else { continue }
      found.append(
        Line(path: path, change: .order, former: try? former.value(at: path), latter: try? latter.value(at: path)))
    }
    let whole = Set(found.filter { $0.change == .added || $0.change == .removed }.map(\.path))
    var told: Set<DocumentPath> = []
    lines = found.filter { line in
      let parts = line.path.parts
      let isBelow = parts.indices.contains { whole.contains(DocumentPath(parts: Array(parts[..<$0]))) }
      return !isBelow && told.insert(line.path).inserted
    }
  }
}

/// Where two texts differ, with some of what is around it.
package struct DifferingParts<Element: Equatable> {
  package struct Part {
    package var shown: ArraySlice<Element>
    package var isCutBefore: Bool
    package var isCutBehind: Bool
  }

  package let former: Part
  package let latter: Part

  /// - Parameter margin: How many elements are shown on either side.
  package init(_ from: [Element], _ to: [Element], margin: Int) {
    let head = zip(from, to).prefix { $0 == $1 }.count
    let tail = zip(from[head...].reversed(), to[head...].reversed()).prefix { $0 == $1 }.count
    func part(_ text: [Element]) -> Part {
      let (start, end) = (max(0, head - margin), min(text.count, text.count - tail + margin))
      return Part(shown: text[start..<end], isCutBefore: start > 0, isCutBehind: end < text.count)
    }
    (former, latter) = (part(from), part(to))
  }
}

extension HistoricDocument {
  /// What stood at the path; of a conflict what was visible.
  ///
  /// - Throws: `JSONDocumentError(.missing)`, naming what there was instead.
  /// - Complexity: O(*n* log *n*) in what stood there.
  public func value(at path: DocumentPath = .root) throws(JSONDocumentError) -> JSONValue {
    try DocumentTree(document).value(at: path)
  }

  /// The slots at the path and below it at which values conflicted, in their order.
  ///
  /// - Complexity: O(*n* log *n*) in what stood there.
  public func conflicts(below path: DocumentPath = .root) throws(JSONDocumentError) -> [JSONConflict] {
    let tree = DocumentTree(document)
    _ = try tree.value(at: path)
    return try tree.conflicts(below: path)
  }
}

extension DocumentTree {
  /// Nil where nothing stands in the slot, or nothing that JSON can say.
  fileprivate func json(_ key: Key, in object: ObjectID) -> JSONValue? { (try? value(key, in: object)) ?? nil }
}
