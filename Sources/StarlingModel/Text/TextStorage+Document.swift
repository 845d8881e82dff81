import StarlingCore
import StarlingEngine
import StarlingGraph
import StarlingGuard

// How a text enters a document, and how what is written elsewhere becomes visible.

extension TextStorage {
  /// Stands in for what the document holds from now on.
  func open(at place: Place) {
    let owner = place.attachment
    guard bind(binding(at: place)) else { return }
    _ = home.attach(to: owner.space.domain)
    open(in: owner.space, owner)
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

  func binding(at place: Place) -> KeyedBinding {
    let owner = place.attachment
    return KeyedBinding(
      attachment: owner, object: .derived(parent: owner.object, key: place.key, kind: .text),
      lineage: owner.lineage.appending(place.key, .text))
  }

  /// Under the document's lock.
  fileprivate func plant(
    isDefault: Bool, hasDefault: Bool, _ binding: KeyedBinding, in space: ModelSpace, _ document: inout Document,
    _ patch: inout Patch
  ) {
    guard bind(binding) else { return }
    _ = home.attach(to: space.domain)
    space.register(.keyed(self), at: object)
    state.withLock { state in
      if isDefault {
        state.settle(besideItems: document.count(in: object))
      } else {
        state.plant(
          under: key, of: binding.attachment.object, in: object, isDefault: hasDefault, &document, &patch)
        state.looseMarks = []
      }
    }
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
    super.init(weight: weight)
  }

  override func plant(
    at object: ObjectID, _ lineage: Lineage, in space: ModelSpace, _ owner: Attachment, _ document: inout Document,
    _ patch: inout Patch
  ) {
    storage.plant(
      isDefault: isDefault, hasDefault: hasDefault,
      KeyedBinding(attachment: owner, object: object, lineage: lineage), in: space, &document, &patch)
  }

  /// What stood in the document already becomes visible where nothing was planted over it.
  override func finish(in space: ModelSpace) {
    if isDefault, let owner = storage.attachment { space.refresh([Subject(attachment: owner, itemsOf: storage)]) }
  }
}
