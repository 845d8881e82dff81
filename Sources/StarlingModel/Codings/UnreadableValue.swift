public import StarlingCore
import StarlingEngine
import StarlingGuard

/// A value in the document that this program cannot show: it was written by a version of it in which
/// the property had another type. The property shows its default; the value stays as it is until
/// somebody writes the property.
public struct UnreadableValue: Sendable, Hashable {
  /// The document that holds the value.
  public var document: DocumentID
  /// The object in which it is.
  public var object: ObjectID
  /// The key under which it is.
  public var key: Key
  /// What stands there, in words: "a text".
  public var found: String
  /// The Swift type that was to be read.
  public var expected: String
  /// The property that was read: "Task.prio".
  public var property: String

  /// Describes a value that was found in place of another.
  public init(
    document: DocumentID, object: ObjectID, key: Key, found: String, expected: String, property: String
  ) {
    self.property = property
    self.document = document
    self.object = object
    self.key = key
    self.found = found
    self.expected = expected
  }
}

extension UnreadableValue: CustomStringConvertible {
  public var description: String {
    "'\(document)' holds \(found) in \(property), which cannot be read as \(expected)"
  }
}

extension ModelSpace {
  /// What of the document's values cannot be shown, as far as live models have looked; in no order.
  public var unreadableValues: [UnreadableValue] { unreadable.values }
}

/// The unreadable values of one document, by the place that was read.
final class UnreadableValues: Sendable {
  private struct Place: Hashable {
    var object: ObjectID
    var key: Key
  }

  private let found = Guarded<[Place: [UnreadableValue]]>([:])
  private let isReported: Bool

  init(isReported: Bool) {
    self.isReported = isReported
  }

  var isEmpty: Bool { found.withLock { $0.isEmpty } }

  var values: [UnreadableValue] { found.withLock { $0.values.flatMap(\.self) } }

  /// What is unreadable at one place now; what was not before is reported.
  func note(_ new: [UnreadableValue], at key: Key, of object: ObjectID) {
    let old: [UnreadableValue] = found.withLock { found in
      // As it nearly always is.
      if found.isEmpty, new.isEmpty { return [] }
      let old = found[Place(object: object, key: key)]
      if old != nil || !new.isEmpty { found[Place(object: object, key: key)] = new.isEmpty ? nil : new }
      return old ?? []
    }
    guard isReported else { return }
    for value in new where !old.contains(value) { ModelIncident.report(.unreadable(value)) }
  }

  /// Nobody looks at the object any more.
  func forget(_ object: ObjectID) {
    found.withLock { found in
      if !found.isEmpty { found = found.filter { $0.key.object != object } }
    }
  }
}

extension Place {
  func unreadable<Content>(_ found: Visible, as type: Content.Type) -> UnreadableValue {
    UnreadableValue(
      document: attachment.space.handle.id, object: attachment.object, key: key, found: found.kindInWords,
      expected: "\(type)", property: attachment.schema.label(at: key))
  }

  /// A member of the container that is derived from the place.
  func unreadable<Content>(
    _ found: Visible, as type: Content.Type, memberAt member: Key, _ shape: FieldShape
  ) -> UnreadableValue {
    var value = unreadable(found, as: type)
    if case .members(let kind) = shape { value.object = .derived(parent: attachment.object, key: key, kind: kind) }
    value.key = member
    value.property += ", under \(member)"
    return value
  }

  func note(_ unreadable: [UnreadableValue]) {
    attachment.space.unreadable.note(unreadable, at: key, of: attachment.object)
  }
}

extension Attachment {
  /// Nothing at the key is unreadable.
  func noteReadable(_ key: Key) { space.unreadable.note([], at: key, of: object) }

  /// The same of a field that has one name.
  func noteReadable(_ field: Int) {
    if space.unreadable.isEmpty { return }
    if let names = schema.names[field] { noteReadable(names.key) }
  }
}

extension FieldReading {
  /// What stands at the place itself and is not what a field of `shape` is made of.
  func stranger(to shape: FieldShape) -> Visible? {
    let kind: Kind
    switch shape {
    case .slot: return nil
    case .members(let own), .object(let own): kind = own
    }
    switch visible {
    case .absent, .container(kind), .value(.derived(kind), by: _): return nil
    default: return visible
    }
  }
}

extension Visible {
  /// What a reader finds, in words.
  var kindInWords: String {
    switch self {
    case .absent: "nothing"
    case .count: "a counter"
    case .container(let kind): kind.inWords
    case .value(let value, by: _): value.kindInWords
    }
  }
}

extension Kind {
  fileprivate var inWords: String { Kind.known.contains(self) ? "a \(self)" : "an object of a later version" }
}

extension Value {
  fileprivate var kindInWords: String {
    switch self {
    case .null: "null"
    case .bool: "a truth value"
    case .integer, .unsigned: "an integer"
    case .double: "a floating-point number"
    case .string: "a text"
    case .bytes: "bytes"
    case .json: "JSON"
    case .date: "a date"
    case .object(let kind), .derived(let kind): kind.inWords
    case .reference: "a reference"
    case .unknown(let tag, _): "a value of kind \(tag), of a later version"
    }
  }
}
