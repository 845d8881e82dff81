import StarlingCore

/// What a reader finds in a document from the root down, through the reads that models use; nothing of how it is
/// stored.
struct View: Equatable {
  struct Place: Hashable {
    var object: ObjectID
    var key: Key
  }

  /// What stands in a place.
  struct Look: Equatable {
    var visible: Visible
    /// All entries, where there are several.
    var conflicts: [Dot] = []

    func isSame(as other: Look) -> Bool { visible.isSame(as: other.visible) && conflicts == other.conflicts }
  }

  struct Sequence: Equatable {
    /// The elements of a list, by name, or the characters of a text.
    var items: [Item] = []
    /// The properties of each character.
    var properties: [[Key: Value]] = []
  }

  enum Item: Hashable {
    case element(Dot)
    case character(Unicode.Scalar)
  }

  private(set) var places: [Place: Look] = [:]
  private(set) var sequences: [ObjectID: Sequence] = [:]
  private(set) var objects: Set<ObjectID> = []

  init() {}

  init(_ document: borrowing Document) {
    var pending: [ObjectID] = [.root]
    while let object = pending.popLast() {
      guard objects.insert(object).inserted else { continue }
      let elements = document.elements(in: object)
      for key in document.keys(in: object) + elements.map(Key.element) {
        read(key, in: object, of: document, into: &pending)
      }
      if !elements.isEmpty { sequences[object] = Sequence(items: elements.map(Item.element)) }
    }
  }

  private mutating func read(
    _ key: Key, in object: ObjectID, of document: borrowing Document, into pending: inout [ObjectID]
  ) {
    let visible = document.visible(key, in: object)
    var look = Look(visible: visible)
    let entries = document.entries(key, in: object)
    if entries.count > 1 { look.conflicts = entries.map(\.dot) }
    places[Place(object: object, key: key)] = look
    if case .value(.object, let dot) = visible { pending.append(.assigned(by: dot)) }
    for kind in [Kind.map, .set, .dictionary, .list] {
      let child = ObjectID.derived(parent: object, key: key, kind: kind)
      if document.isLive(child) { pending.append(child) }
    }
    let text = ObjectID.derived(parent: object, key: key, kind: .text)
    guard document.isLive(text) else { return }
    objects.insert(text)
    let characters = Array(document.text(in: text).unicodeScalars)
    guard !characters.isEmpty else { return }
    var properties: [[Key: Value]] = Array(repeating: [:], count: characters.count)
    for marked in document.marks(in: text) {
      for place in marked.range { properties[place][marked.name] = marked.value }
    }
    sequences[text] = Sequence(items: characters.map(Item.character), properties: properties)
  }

  /// The first thing in which two views differ, for people.
  ///
  /// - Parameter ignoringWriters: whether it is no difference who wrote the same value.
  func difference(from other: View, ignoringWriters: Bool = false) -> String? {
    for (place, look) in places where other.places[place] != look {
      let otherLook = other.places[place]
      if ignoringWriters, let otherLook, look.isSame(as: otherLook) { continue }
      return "\(place.key) of \(place.object) is \(words(look)) and \(words(otherLook))"
    }
    for (place, look) in other.places where places[place] == nil {
      return "\(place.key) of \(place.object) is absent and \(words(look))"
    }
    for object in Set(sequences.keys).union(other.sequences.keys) where sequences[object] != other.sequences[object] {
      return "the items of \(object) are \(sequences[object, default: .init()]) and "
        + "\(other.sequences[object, default: .init()])"
    }
    return nil
  }

  private func words(_ look: Look?) -> String { look.map { "\($0)" } ?? "absent" }
}

extension Visible {
  /// Whether a reader sees the same: who wrote a value does not show, unless the value is an object, which the writer
  /// names.
  func isSame(as other: Visible) -> Bool {
    switch (self, other) {
    case (.value(.object(let left), let leftDot), .value(.object(let right), let rightDot)):
      left == right && leftDot == rightDot
    case (.value(let left, _), .value(let right, _)): left == right
    default: self == other
    }
  }
}
