import StarlingCore
import StarlingReplica

/// A step of a document's history, as the page shows it.
extension ChangeSummary {
  private static let placeCountMax = 4

  var json: JSONValue {
    let places = (touched ?? []).prefix(Self.placeCountMax).map { slot in
      slot.path.map { key in
        if case .element = key { "·" } else { DocumentTree.name(of: key) }
      }.joined(separator: "/")
    }
    var json: JSONValue = [
      "at": .unsigned(milliseconds), "writer": .string(writer.description),
      "operations": .integer(Int64(operationCount)),
      "places": .array(places.map { .string($0.printable(byteCountMax: 200)) }),
      "placeCount": .integer(Int64(touched?.count ?? 0)),
    ]
    if let message { json["message"] = .string(message.printable(byteCountMax: 500)) }
    return json
  }
}

/// What a reader sees otherwise in one version of a document than in another, by path.
struct HistoryDifference: Equatable {
  enum What: String { case added, removed, changed, order }

  struct Line: Equatable {
    var path: DocumentPath
    var what: What
    var from: String
    var to: String
  }

  private(set) var lines: [Line] = []
  /// Of all, as `lines` is cut.
  private(set) var count = 0

  static let lineCountMax = 300
  private static let textCountMax = 400

  init(from former: HistoricDocument, to later: HistoricDocument) {
    let trees = (from: DocumentTree(former.document), to: DocumentTree(later.document))
    let indexes = (from: PlaceIndex(trees.from), to: PlaceIndex(trees.to))
    let difference = former.difference(to: later)
    var found: [Line] = []
    for entry in difference.entries {
      let from = trees.from.text(entry.key, in: entry.object)
      let to = trees.to.text(entry.key, in: entry.object)
      let path =
        indexes.to.path(of: entry.key, in: entry.object, trees.to)
        ?? indexes.from.path(of: entry.key, in: entry.object, trees.from)
      guard let path, from != to else { continue }
      let what: What = from == nil ? .added : to == nil ? .removed : .changed
      found.append(Line(path: path, what: what, from: from ?? "", to: to ?? ""))
    }
    for text in difference.texts {
      guard let path = indexes.to.path(of: text.object, trees.to) ?? indexes.from.path(of: text.object, trees.from)
      else { continue }
      let (from, to) = (Array(text.from.unicodeScalars), Array(text.to.unicodeScalars))
      found.append(
        Line(
          path: path, what: .changed, from: Self.excerpt(from, text.change.removed),
          to: Self.excerpt(to, text.change.inserted)))
    }
    for list in difference.lists where Set(list.from) == Set(list.to) {
      if let path = indexes.to.path(of: list.object, trees.to) {
        found.append(Line(path: path, what: .order, from: "", to: "\(list.to.count) elements in another order"))
      }
    }
    cut(found)
  }

  /// What came or went with an object is told with the object.
  private mutating func cut(_ found: [Line]) {
    let whole = Set(found.filter { $0.what == .added || $0.what == .removed }.map(\.path))
    var told: Set<DocumentPath> = []
    for line in found {
      let parts = line.path.parts
      let isBelow = parts.indices.contains { whole.contains(DocumentPath(parts: Array(parts[..<$0]))) }
      guard !isBelow, told.insert(line.path).inserted else { continue }
      count += 1
      guard lines.count < Self.lineCountMax else { continue }
      var line = line
      (line.from, line.to) = (Self.short(line.from), Self.short(line.to))
      lines.append(line)
    }
  }

  private static func short(_ text: String) -> String {
    let (text, isCut) = text.cut(to: textCountMax)
    return isCut ? text + "…" : text
  }

  /// Where a text differs, with some of what is around it.
  private static func excerpt(_ scalars: [Unicode.Scalar], _ range: Range<Int>) -> String {
    let margin = 30
    let (start, end) = (max(0, range.lowerBound - margin), min(scalars.count, range.upperBound + margin))
    return (start > 0 ? "…" : "") + String(String.UnicodeScalarView(scalars[start..<end]))
      + (end < scalars.count ? "…" : "")
  }

  var json: JSONValue {
    [
      "count": .integer(Int64(count)),
      "lines": .array(
        lines.map {
          [
            "path": .string($0.path.description), "what": .string($0.what.rawValue), "from": .string($0.from),
            "to": .string($0.to),
          ]
        }),
    ]
  }
}

extension DocumentTree {
  /// What stands in a slot, as text; nil where nothing does.
  fileprivate func text(_ key: Key, in object: ObjectID) -> String? {
    ((try? value(key, in: object)) ?? nil).map { $0.text ?? $0.description }
  }
}

extension JSONConflict {
  /// For the page: which slot, and each side with who wrote it.
  var json: JSONValue {
    [
      "path": .string(path.description), "object": .string(slot.object.text), "containerKind": .string(kind.text),
      "key": .string(slot.key.text),
      "sides": .array(
        sides.map { side in
          let (text, isCut) = (side.value.text ?? side.value.description).cut(to: 600)
          return [
            "text": .string(isCut ? text + "…" : text), "writer": .string(side.writer.description),
            "at": .unsigned(side.milliseconds), "by": .string(side.dot.description),
          ]
        }),
    ]
  }
}
