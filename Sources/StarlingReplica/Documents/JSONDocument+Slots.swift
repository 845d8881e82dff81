package import StarlingCore

/// A slot by its identity, which stays when elements before it come and go; a path counts them.
package struct SlotAddress: Hashable, Sendable {
  package var container: DocumentTree.Container
  /// Where the container stands; nil for the root.
  package var outer: DocumentTree.Slot?
  package var key: Key

  package init(container: DocumentTree.Container, outer: DocumentTree.Slot?, key: Key) {
    self.container = container
    self.outer = outer
    self.key = key
  }

  fileprivate var path: DocumentPath { DocumentPath(parts: [DocumentTree.name(of: key)]) }
}

extension JSONDocument {
  /// Puts a value into the slot, as one change; where values conflict there, it takes the place of all of them.
  ///
  /// - Throws: `JSONDocumentError`; then nothing is written.
  package func set(
    _ json: JSONValue, at slot: SlotAddress, as form: JSONForm? = nil, message: String? = nil
  ) throws(JSONDocumentError) {
    try write(at: slot.path, isMerging: false, message) { writer throws(JSONDocumentError) in
      try writer.checkStands(slot)
      try writer.set(json, slot.key, in: slot.container, under: slot.outer, as: form, path: slot.path)
    }
  }

  /// Takes away what stands in the slot.
  ///
  /// - Throws: `JSONDocumentError`; then nothing is written.
  package func remove(at slot: SlotAddress, message: String? = nil) throws(JSONDocumentError) {
    try write(at: slot.path, isMerging: false, message) { writer throws(JSONDocumentError) in
      try writer.checkStands(slot)
      guard writer.tree.document.contains(slot.key, in: slot.container.object) else { throw Self.gone(slot) }
      writer.remove(slot.key, from: slot.container)
    }
  }

  /// What conflicts in the slot, the visible value first; empty where nothing does.
  package func sides(of slot: SlotAddress) throws(JSONDocumentError) -> [JSONConflict.Side] {
    try tree().sides(of: slot.key, in: slot.container.object)
  }

  /// The key for a name in a container that may not have it yet, in the form that the others have.
  package func newKey(_ name: String, in container: DocumentTree.Container) throws(JSONDocumentError) -> Key {
    try tree().newKey(name, in: container)
  }

  fileprivate static func gone(_ slot: SlotAddress) -> JSONDocumentError {
    JSONDocumentError(.missing, at: slot.path, "'\(slot.path)' is gone: somebody has removed it.")
  }
}

extension DocumentWriter {
  /// - Throws: where the container is gone, or the element of a list is.
  fileprivate func checkStands(_ slot: SlotAddress) throws(JSONDocumentError) {
    let document = tree.document
    // A derived one that was removed is known still; its outer slot tells.
    var stands =
      slot.outer.map { tree.container(under: $0.key, in: $0.object) == slot.container }
      ?? document.isLive(slot.container.object)
    if case .element(let dot) = slot.key, dot != .origin {
      stands = stands && document.contains(slot.key, in: slot.container.object)
    }
    if !stands { throw JSONDocument.gone(slot) }
  }
}
