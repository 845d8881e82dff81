import StarlingCore
import StarlingReplica

/// Something that an operator does on the page.
enum ConsoleCommand: Equatable {
  /// Puts a value into a slot, in place of all values that conflict there.
  case set(DocumentID, SlotAddress, JSONValue, JSONForm?)
  /// Adds to a container: a key to a map, an element to a list, a member to a set.
  case add(DocumentID, DocumentTree.Container, outer: DocumentTree.Slot?, name: String, JSONValue, JSONForm?)
  case remove(DocumentID, SlotAddress)
  /// Chooses the value of a conflict that the write `by` made.
  case settle(DocumentID, SlotAddress, by: Dot)
  /// Makes a document look as it did after a step of its history.
  case restore(session: Int, step: Int)

  init(_ json: JSONValue) throws(CommandError) {
    switch json["do"]?.text {
    case "set":
      self = .set(try Self.document(json), try Self.slot(json), try Self.value(json), try Self.form(json))
    case "add":
      let place = try SlotPlace(json)
      let name = json["name"]?.text ?? ""
      if place.container.kind != .list, name.isEmpty { throw CommandError("What is added needs a name.") }
      if place.container.kind == .set {
        self = .add(try Self.document(json), place.container, outer: place.outer, name: name, .bool(true), nil)
      } else {
        self = .add(
          try Self.document(json), place.container, outer: place.outer, name: name, try Self.value(json),
          try Self.form(json))
      }
    case "remove": self = .remove(try Self.document(json), try Self.slot(json))
    case "settle":
      guard let by = json["by"]?.text.flatMap({ Dot(text: $0) }) else {
        throw CommandError("A conflict is settled by one of its values.")
      }
      self = .settle(try Self.document(json), try Self.slot(json), by: by)
    case "restore":
      guard let session = json["session"]?.number, let step = json["step"]?.number else {
        throw CommandError("A version is restored by its step.")
      }
      self = .restore(session: session, step: step)
    case let name?: throw CommandError("'\(name)' is no command of the console.")
    case nil: throw CommandError("A command says what to do.")
    }
  }

  private static func document(_ json: JSONValue) throws(CommandError) -> DocumentID {
    guard let document = json["document"]?.text.flatMap({ DocumentID($0) }) else {
      throw CommandError("A command names its document.")
    }
    return document
  }

  private static func slot(_ json: JSONValue) throws(CommandError) -> SlotAddress {
    let place = try SlotPlace(json)
    guard let key = json["key"]?.text.flatMap({ Key(text: $0) }) else { throw CommandError("A command names a key.") }
    return SlotAddress(container: place.container, outer: place.outer, key: key)
  }

  /// A text as it is, or JSON as text: what passes through a browser's numbers loses digits.
  private static func value(_ json: JSONValue) throws(CommandError) -> JSONValue {
    if let string = json["string"]?.text { return .string(string) }
    guard let text = json["json"]?.text else { throw CommandError("A command brings its value.") }
    do throws(JSONError) {
      return try JSONValue(parsing: text)
    } catch {
      throw CommandError("This is no JSON: column \(error.column), \(error.message). A text stands in double quotes.")
    }
  }

  private static func form(_ json: JSONValue) throws(CommandError) -> JSONForm? {
    guard let name = json["as"]?.text, !name.isEmpty else { return nil }
    guard let form = JSONForm(rawValue: name) else { throw CommandError("'\(name)' is no kind of value.") }
    return form
  }
}
