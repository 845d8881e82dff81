import Foundation
package import StarlingCore

/// A document read as a tree of JSON: objects by key, lists and sets as arrays, texts as strings, counters as numbers;
/// of a conflict what is visible.
package struct DocumentTree {
  package var document: Document

  package init(_ document: Document) {
    self.document = document
  }

  /// An object of the document that holds others.
  package struct Container: Hashable, Sendable {
    package var object: ObjectID
    package var kind: Kind

    package init(object: ObjectID, kind: Kind) {
      self.object = object
      self.kind = kind
    }

    package static let root = Container(object: .root, kind: .map)
  }

  /// Where a path leads.
  struct Place {
    var container: Container
    var key: Key
    /// What leads on within a value that is itself JSON.
    var inner: ArraySlice<String> = []
    /// The slot in which the container stands; nil for the root.
    var outer: Slot?
  }

  package struct Slot: Hashable, Sendable {
    package var key: Key
    package var object: ObjectID

    package init(key: Key, object: ObjectID) {
      self.key = key
      self.object = object
    }
  }

  // MARK: Reading

  /// - Throws: where objects nest so deep that reading them could use up the stack.
  func value(of container: Container, depth: Int = 0) throws(JSONDocumentError) -> JSONValue {
    guard depth < JSONValue.depthMax else {
      throw JSONDocumentError(
        .unsayable, at: .root,
        "Objects nest more than \(JSONValue.depthMax) deep; read a part of the document by its path.")
    }
    switch container.kind {
    case .text: return .string(document.text(in: container.object))
    case .set: return .array(document.keys(in: container.object).sorted().map { Self.member($0) })
    case .list:
      var values: [JSONValue] = []
      for element in document.elements(in: container.object) {
        values.append(try value(.element(element), in: container.object, depth: depth + 1) ?? .null)
      }
      return .array(values)
    default:
      var members: [JSONValue.Member] = []
      for key in document.keys(in: container.object).sorted() {
        guard let value = try value(key, in: container.object, depth: depth + 1) else { continue }
        members.append(JSONValue.Member(Self.name(of: key), value))
      }
      return .object(sorting: members)
    }
  }

  /// Nil where nothing is visible.
  package func value(_ key: Key, in object: ObjectID, depth: Int = 0) throws(JSONDocumentError) -> JSONValue? {
    let visible = document.visible(key, in: object)
    if let container = container(visible, under: key, in: object) { return try value(of: container, depth: depth) }
    return Self.plain(visible)
  }

  /// The object that a reader of the slot sees.
  package func container(under key: Key, in object: ObjectID) -> Container? {
    container(document.visible(key, in: object), under: key, in: object)
  }

  package func container(_ visible: Visible, under key: Key, in object: ObjectID) -> Container? {
    switch visible {
    case .container(let kind), .value(.derived(let kind), by: _):
      Container(object: .derived(parent: object, key: key, kind: kind), kind: kind)
    case .value(.object(let kind), by: let dot): Container(object: .assigned(by: dot), kind: kind)
    case .absent, .count, .value: nil
    }
  }

  /// What is no object; nil for nothing at all.
  package static func plain(_ visible: Visible) -> JSONValue? {
    switch visible {
    case .absent, .container: nil
    case .count(let count): .integer(count)
    case .value(let value, by: _): plain(value)
    }
  }

  package static func plain(_ value: Value) -> JSONValue {
    switch value {
    case .null, .object, .derived: .null
    case .bool(let value): .bool(value)
    case .integer(let value): .integer(value)
    case .unsigned(let value): .unsigned(value)
    case .double(let value): value.isFinite ? .double(value) : .string("\(value)")
    case .string(let value): .string(value)
    case .bytes(let value): .string(Data(value).base64EncodedString())
    // What a program wrote as JSON and is none is shown as its text.
    case .json(let text): (try? JSONValue(parsing: text)) ?? .string(text)
    case .date(let seconds): .string(DocumentDate.text(seconds))
    case .reference(let id):
      .object([JSONValue.Member("reference", .string("\(ReplicaID(rawValue: id.high)):\(ReplicaID(rawValue: id.low))"))]
      )
    case .unknown(let tag, let payload):
      .object([
        JSONValue.Member("payload", .string(Data(payload).base64EncodedString())),
        JSONValue.Member("unknown", .unsigned(tag)),
      ])
    }
  }

  static func member(_ key: Key) -> JSONValue {
    if case .integer(let integer) = key { return .integer(integer) }
    return .string(name(of: key))
  }

  // MARK: Paths

  /// What stands at the path.
  ///
  /// - Throws: `missing`, naming what there is instead.
  func value(at path: DocumentPath) throws(JSONDocumentError) -> JSONValue {
    guard let place = try place(at: path, isNew: false) else { return try value(of: .root) }
    guard place.inner.isEmpty else { return try inner(place, of: path) }
    if place.container.kind == .set { return .bool(true) }
    guard let value = try value(place.key, in: place.container.object) else { throw missing(path) }
    return value
  }

  /// Nil for the root.
  ///
  /// - Parameter isNew: whether the last part may name what is not there yet.
  func place(at path: DocumentPath, isNew: Bool) throws(JSONDocumentError) -> Place? {
    var container = Container.root
    var outer: Slot?
    for (index, part) in path.parts.enumerated() {
      let here = DocumentPath(parts: Array(path.parts[...index]))
      let isLast = index + 1 == path.parts.count
      guard let key = key(part, in: container, isNew: isNew && isLast) else {
        throw isNew ? nothingToPutInto(path, here, container) : missing(here, in: container)
      }
      if isLast { return Place(container: container, key: key, outer: outer) }
      if let next = self.container(under: key, in: container.object), container.kind != .set {
        outer = Slot(key: key, object: container.object)
        container = next
      } else if case .value(.json, by: _) = document.visible(key, in: container.object) {
        return Place(container: container, key: key, inner: path.parts[(index + 1)...], outer: outer)
      } else if document.contains(key, in: container.object) {
        throw JSONDocumentError(.missing, at: path, "\(here.name) is a single value; there is nothing below it.")
      } else {
        throw isNew ? nothingToPutInto(path, here, container) : missing(here, in: container)
      }
    }
    return nil
  }

  private func key(_ part: String, in container: Container, isNew: Bool) -> Key? {
    switch container.kind {
    case .text: return nil
    case .list:
      let count = document.count(in: container.object)
      if isNew, part == "-" || Int(part) == count { return .element(.origin) }
      return Int(part).flatMap { document.element(at: $0, in: container.object) }.map { .element($0) }
    default:
      if let present = Self.keys(named: part).first(where: { document.contains($0, in: container.object) }) {
        return present
      }
      return isNew ? newKey(part, in: container) : nil
    }
  }

  /// A name, unless all the keys that there are have another form that the part can take.
  func newKey(_ part: String, in container: Container) -> Key {
    guard container.kind != .map else { return .name(part) }
    let keys = document.keys(in: container.object)
    func allAre(_ isOfForm: (Key) -> Bool) -> Bool { !keys.isEmpty && keys.allSatisfy(isOfForm) }
    if let integer = Int64(part), allAre({ if case .integer = $0 { true } else { false } }) { return .integer(integer) }
    if let bytes = Self.bytes(named: part), allAre({ if case .bytes = $0 { true } else { false } }) {
      return .bytes(bytes)
    }
    return .name(part)
  }

  private func inner(_ place: Place, of path: DocumentPath) throws(JSONDocumentError) -> JSONValue {
    guard var value = Self.plain(document.visible(place.key, in: place.container.object)) else { throw missing(path) }
    for part in place.inner {
      let next: JSONValue? =
        switch value {
        case .object: value[part]
        case .array(let values): Int(part).flatMap { values.indices.contains($0) ? values[$0] : nil }
        default: nil
        }
      guard let next else { throw missing(path) }
      value = next
    }
    return value
  }

  private func missing(_ path: DocumentPath, in container: Container? = nil) -> JSONDocumentError {
    JSONDocumentError(.missing, at: path, "Nothing is at \(path.name).\(container.map(contents) ?? "")")
  }

  /// What is missing on the way to something new, and how it can be written with it.
  private func nothingToPutInto(
    _ path: DocumentPath, _ here: DocumentPath, _ container: Container
  ) -> JSONDocumentError {
    let error = missing(here, in: container)
    guard path.parts.count > here.parts.count, container.kind != .list, container.kind != .text else { return error }
    let members = path.parts[here.parts.count...].reversed().reduce("…") { "{\(JSONValue.string($1)): \($0)}" }
    return JSONDocumentError(
      .missing, at: here, error.message + " To write \(path.name), set \(here.name) to \(members).")
  }

  private static let namesShownMax = 24

  private func contents(of container: Container) -> String {
    switch container.kind {
    case .text: return " It would be within a text, which is read as a whole."
    case .list:
      let count = document.count(in: container.object)
      return count == 0 ? " The list is empty." : " The list has the elements 0 to \(count - 1)."
    default:
      let names = document.keys(in: container.object).sorted().map { Self.name(of: $0) }
      if names.isEmpty { return container == .root ? " The document is empty." : " The object around it is empty." }
      let more = names.count - Self.namesShownMax
      return
        " There is: \(names.prefix(Self.namesShownMax).joined(separator: ", "))\(more > 0 ? " and \(more) more" : "")."
    }
  }
}

/// Dates as texts, which lose nothing of the seconds that a document holds where they are whole milliseconds.
enum DocumentDate {
  private static let whole = Date.ISO8601FormatStyle()
  private static let fraction = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

  static func text(_ seconds: Double) -> String {
    // Years that have more than four digits are no dates to read.
    guard abs(seconds) < 2e11 else { return "\(seconds)" }
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    return seconds == seconds.rounded() ? date.formatted(whole) : date.formatted(fraction)
  }

  static func seconds(_ text: String) -> Double? {
    let date = (try? Date(text, strategy: whole)) ?? (try? Date(text, strategy: fraction))
    return date?.timeIntervalSinceReferenceDate
  }
}
