import StarlingCore
import StarlingReplica

/// What a page looks at; the page says it as a whole, whenever it changes.
struct PageView: Hashable, Sendable {
  var document: DocumentID?
  var windows: [TreeWindow] = []

  /// So many containers a page can have open.
  static let windowCountMax = 64

  init() {}

  /// - Throws: `CommandError` where the JSON says no view.
  init(_ json: JSONValue) throws(CommandError) {
    guard let name = json["document"]?.text, let document = DocumentID(name), let windows = json["windows"]?.elements
    else { throw CommandError("A view names a document and its windows.") }
    guard windows.count <= Self.windowCountMax else {
      throw CommandError("More than \(Self.windowCountMax) containers are open; close some.")
    }
    self.document = document
    var objects: Set<ObjectID> = []
    for window in windows {
      let window = try TreeWindow(window)
      if objects.insert(window.container.object).inserted { self.windows.append(window) }
    }
  }
}

extension TreeWindow {
  init(_ json: JSONValue) throws(CommandError) {
    let place = try SlotPlace(json)
    container = place.container
    outer = place.outer
    from = max(0, json["from"]?.number ?? 0)
    count = min(max(0, json["count"]?.number ?? Self.countMax), Self.countMax)
    prefix = json["prefix"]?.text ?? ""
  }
}

/// A container as the page names it: `object`, `kind`, and where it stands.
struct SlotPlace {
  var container: DocumentTree.Container
  var outer: DocumentTree.Slot?

  init(_ json: JSONValue) throws(CommandError) {
    guard let object = json["object"]?.text.flatMap({ ObjectID(text: $0) }),
      let kind = json["containerKind"]?.text.flatMap({ Kind(text: $0) })
    else { throw CommandError("A container has an object and a kind.") }
    container = DocumentTree.Container(object: object, kind: kind)
    if let outer = json["outer"], outer != .null {
      guard let object = outer["object"]?.text.flatMap({ ObjectID(text: $0) }),
        let key = outer["key"]?.text.flatMap({ Key(text: $0) })
      else { throw CommandError("A container stands in a slot, which has an object and a key.") }
      self.outer = DocumentTree.Slot(key: key, object: object)
    }
  }
}

/// Why a request of the page cannot be done, in words for a person.
struct CommandError: Error, Hashable, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
