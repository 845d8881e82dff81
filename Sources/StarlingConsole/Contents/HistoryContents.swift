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
  struct Line: Equatable {
    var path: DocumentPath
    var change: JSONDifference.Change
    var from: String
    var to: String
  }

  private(set) var lines: [Line] = []
  /// Of all, as `lines` is cut.
  private(set) var count = 0

  static let lineCountMax = 300
  private static let textCountMax = 400
  private static let marginCount = 30

  init(from former: HistoricDocument, to later: HistoricDocument) {
    let difference = JSONDifference(from: former, to: later)
    count = difference.lines.count
    lines = difference.lines.prefix(Self.lineCountMax).map { line in
      var (from, to) = (line.former.map(Self.text) ?? "", line.latter.map(Self.text) ?? "")
      if line.change == .order { (from, to) = ("", "\(line.latter?.elements?.count ?? 0) elements in another order") }
      if line.isText {
        let found = DifferingParts(Array(from.unicodeScalars), Array(to.unicodeScalars), margin: Self.marginCount)
        (from, to) = (Self.words(found.former), Self.words(found.latter))
      }
      return Line(path: line.path, change: line.change, from: Self.short(from), to: Self.short(to))
    }
  }

  private static func text(_ value: JSONValue) -> String { value.text ?? value.description }

  private static func short(_ text: String) -> String {
    let (text, isCut) = text.cut(to: textCountMax)
    return isCut ? text + "…" : text
  }

  private static func words(_ part: DifferingParts<Unicode.Scalar>.Part) -> String {
    (part.isCutBefore ? "…" : "") + String(String.UnicodeScalarView(part.shown))
      + (part.isCutBehind ? "…" : "")
  }

  var json: JSONValue {
    [
      "count": .integer(Int64(count)),
      "lines": .array(
        lines.map {
          [
            "path": .string($0.path.description), "what": .string($0.change.rawValue), "from": .string($0.from),
            "to": .string($0.to),
          ]
        }),
    ]
  }
}

extension JSONConflict {
  /// For the page: which slot, and each side with its writer.
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
