import StarlingCore
import StarlingEngine
import StarlingGraph
import StarlingGuard

// How a text enters a document, and how what is written elsewhere becomes visible.

extension TextStorage {
  /// Stands in for what the document holds from now on.
  ///
  /// - Returns: What does that already; otherwise itself.
  func open(at place: Place) -> TextStorage {
    if let standing = stand(at: place, .text) { return unsafeDowncast(standing, to: TextStorage.self) }
    show()
    return self
  }

  /// What the text must write to stand in a document as it does here; nil where it stands in one already.
  func planting(at place: Place, default: TextStorage) -> Planting? {
    if let attachment {
      if attachment.object != place.attachment.object { ModelIncident.report(.attachedTwice(type: "ReplicatedText")) }
      return nil
    }
    let (text, marks) = state.withLock { ($0.buffer.string, $0.looseMarks) }
    let standard = `default`.state.withLock { ($0.buffer.string, $0.looseMarks) }
    return TextPlanting(
      self, text: text, marks: marks, isDefault: text.isSame(as: standard.0) && marks == standard.1,
      hasDefault: !standard.0.isEmpty)
  }
}

/// A text on its way into a document.
private final class TextPlanting: Planting {
  private let storage: TextStorage
  private let isDefault: Bool
  private let hasDefault: Bool

  init(_ storage: TextStorage, text: String, marks: [LooseMark], isDefault: Bool, hasDefault: Bool) {
    self.storage = storage
    self.isDefault = isDefault
    self.hasDefault = hasDefault
    var weight = ChangeWeight()
    if !isDefault {
      if !text.isEmpty { weight.add(.string(text), under: .element(.origin)) }
      for mark in marks { weight.add(mark.value, under: mark.name) }
    }
    super.init(weight: weight, moves: false)
  }

  override func plant(
    at object: ObjectID, _ lineage: Lineage, in space: ModelSpace, _ owner: Attachment, _ document: inout Document,
    _ patch: inout Patch
  ) {
    guard storage.bind(KeyedBinding(attachment: owner, object: object, lineage: lineage)) else { return }
    register(.keyed(storage), at: object, in: space)
    storage.state.withLock { state in
      if isDefault { return state.settle(besideItems: document.count(in: object)) }
      state.plant(under: storage.key, of: owner.object, in: object, isDefault: hasDefault, &document, &patch)
      state.looseMarks = []
    }
  }

  /// What stood in the document already becomes visible where nothing was planted over it.
  override func finish(in space: ModelSpace) {
    if isDefault, let owner = storage.attachment { space.refresh([Subject(attachment: owner, itemsOf: storage)]) }
  }
}
