import Foundation
import StarlingCore

extension Replica {
  /// What the main document holds, as JSON for a person: objects by key, sets as arrays, counters as
  /// numbers; where values conflict, `{"visible": …, "beside": […]}`.
  ///
  /// - Complexity: O(*n* log *n*) in what the document holds.
  public func dump() throws -> String {
    let tree = models.handle.read { DocumentDump(document: $0).object(.root, .map) }
    let data = try JSONSerialization.data(
      withJSONObject: tree, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    return String(decoding: data, as: UTF8.self)
  }
}

/// Walks a document from its root.
private struct DocumentDump {
  let document: Document

  init(document: borrowing Document) {
    self.document = copy document
  }

  func object(_ id: ObjectID, _ kind: Kind) -> Any {
    let keys = document.keys(in: id).sorted()
    if kind == .set { return keys.map { name(of: $0) } }
    return Dictionary(keys.map { (name(of: $0), slot($0, in: id)) }) { first, _ in first }
  }

  private func slot(_ key: Key, in object: ObjectID) -> Any {
    let entries = document.entries(key, in: object)
    guard entries.count > 1 else { return shown(document.visible(key, in: object), key, object) }
    let values = entries.map { shown(.value($0.value, by: $0.dot), key, object) }
    // Several writers may have said the same: that a derived object is there.
    if entries.allSatisfy({ $0.value == entries[0].value }) { return values[0] }
    return ["visible": values[0], "beside": Array(values.dropFirst())]
  }

  private func shown(_ visible: Visible, _ key: Key, _ object: ObjectID) -> Any {
    switch visible {
    case .absent: NSNull()
    case .count(let count): count
    case .container(let kind), .value(.derived(let kind), by: _):
      self.object(.derived(parent: object, key: key, kind: kind), kind)
    case .value(.object(let kind), by: let dot): self.object(.assigned(by: dot), kind)
    case .value(let value, by: _): plain(value)
    }
  }

  private func plain(_ value: Value) -> Any {
    switch value {
    case .null, .object, .derived: NSNull()
    case .bool(let value): value
    case .integer(let value): value
    case .unsigned(let value): value
    case .double(let value): value.isFinite ? value : "\(value)"
    case .string(let value): value
    case .bytes(let value): Data(value).base64EncodedString()
    case .json(let text):
      (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)) ?? text
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds).ISO8601Format()
    case .reference(let id): ["reference": "\(id.high):\(id.low)"]
    case .unknown(let tag, let payload): ["unknown": "\(tag)", "payload": Data(payload).base64EncodedString()]
    }
  }

  private func name(of key: Key) -> String {
    switch key {
    case .name(let name): name
    case .integer(let integer): "\(integer)"
    case .bytes(let bytes): Data(bytes).base64EncodedString()
    case .element(let dot): "\(dot)"
    }
  }
}
