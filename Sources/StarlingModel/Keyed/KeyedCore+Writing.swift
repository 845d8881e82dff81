import StarlingCore
import StarlingGraph

/// One key that is written.
class KeyedChange {
  let key: Key
  let write: FieldWrite
  /// Whether the object of the key follows from the key.
  let isDerived: Bool
  /// Whether something stands there afterwards.
  let comes: Bool
  /// Of what stood there before: whether anything did, and which object of the document it was.
  final var wasThere = false
  final var gone: ObjectID?
  private(set) final var outcome = Outcome.madeElsewhere

  enum Outcome {
    /// Nothing was done: of several that make the object of a key at once the first does.
    case madeElsewhere
    case refused(OversizedWrite)
    case written
  }

  init(key: Key, write: FieldWrite, isDerived: Bool, comes: Bool) {
    self.key = key
    self.write = write
    self.isDerived = isDerived
    self.comes = comes
  }

  /// Whether an element is there that was to be made. Under the document's lock, as `replace`.
  var isMadeElsewhere: Bool { preconditionFailure("abstract") }
  /// Puts the element among the members, and notes what stood there.
  func replace() { preconditionFailure("abstract") }

  /// Under the document's lock.
  fileprivate final func perform(
    in core: KeyedCore, _ attachment: Attachment, _ document: inout Document, _ patch: inout Patch
  ) {
    if isDerived, isMadeElsewhere { return }
    let (object, lineage) = (core.object, core.lineage)
    if let refusal = write.refusal(under: key, in: object, of: document) { return outcome = .refused(refusal) }
    attachment.space.perform(write, key, in: object, lineage: lineage, owner: attachment, &document, &patch)
    if isDerived { document.set(.derived(.map), for: key, in: object, patch: &patch) }
    if let refusal = document.takeRefusal() { return outcome = .refused(refusal) }
    replace()
    outcome = .written
  }
}

extension KeyedCore {
  /// Writes the changes of one call as one change of the document.
  func perform(_ first: KeyedChange, _ others: [KeyedChange], _ attachment: Attachment) {
    inOneChange(if: first.write.holdsMoves || others.contains { $0.write.holdsMoves }) {
      performTogether(first, others, attachment)
    }
  }

  private func performTogether(_ first: KeyedChange, _ others: [KeyedChange], _ attachment: Attachment) {
    batch {
      var moves: Displacement?
      let isDone = attachment.space.write { document, patch in
        guard !attachment.isGone, lineage.isLive(in: document) else { return false }
        lineage.declare(in: &document)
        first.perform(in: self, attachment, &document, &patch)
        for change in others { change.perform(in: self, attachment, &document, &patch) }
        let isMoving = first.write.moves || others.contains { $0.write.moves }
        moves = attachment.space.noteReach(of: patch, moves: isMoving, besides: nil, isShown: false)
        return true
      }
      guard isDone else {
        return ModelIncident.report(
          .writeToRemoved(attachment.object, property: attachment.schema.label(at: propertyKey)))
      }
      var isStructural = finish(first, in: attachment)
      for change in others where finish(change, in: attachment) { isStructural = true }
      if let moves { attachment.space.show(moves, of: attachment) }
      if isStructural { tellStructure() }
    }
  }

  /// Tells who has read the key.
  ///
  /// - Returns: Whether the key came or went.
  private func finish(_ change: KeyedChange, in attachment: Attachment) -> Bool {
    switch change.outcome {
    case .madeElsewhere: return false
    case .refused(let refusal):
      ModelIncident.refuse(refusal)
      attachment.space.refresh([Subject(attachment: attachment, member: change.key, of: self)])
      return false
    case .written:
      attachment.space.finish(change.write)
      attachment.noteWrite()
      if let object = change.gone { attachment.space.remove(object) }
      tellWritten(change.key)
      // It may have been removed in between, or hold this by now, and stands where it stood.
      if change.write.moves {
        attachment.space.refresh([Subject(attachment: attachment, member: change.key, of: self)])
      }
      return change.wasThere != change.comes
    }
  }
}
