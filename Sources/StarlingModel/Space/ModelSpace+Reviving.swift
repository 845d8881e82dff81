import StarlingCore
import StarlingEngine
import StarlingGraph

// To remove an object takes away all that is in it; to move it at the same time keeps it. So an object that is gone here
// may stand again after a merge, and its instance, which somebody may hold, is the object's as before.
extension ModelSpace {
  /// Has the instance of an object that stands again show what is in it, and take writes; those of what stands in it, too.
  ///
  /// - Returns: Whether it stands.
  func revive(_ attachment: Attachment) -> Bool {
    let object = attachment.object
    guard attachment.isRemoved, !object.isDerived, case .model(let present)? = resident(object), present === attachment,
      isLive(object, on: attachment.delivery)
    else { return false }
    let models = openModels
    let within = handle.read { document in
      models.filter { model in
        let base = model.lineage.base
        return base == object || document.ancestors(of: base).contains(object)
      }
    }
    for model in within { model.markPresent() }
    batch {
      for model in within { showAgain(model) }
      lives.touch(within.map(\.object))
    }
    return true
  }

  /// Has the instance, and its collections, show what the document holds.
  func showAgain(_ attachment: Attachment) {
    guard let model = attachment.model else { return }
    let (schema, state) = (attachment.schema, attachment.schema.state(of: model))
    for id in schema.replicated {
      var visitor = FieldVisitor(.peek, of: state)
      schema.visit(any: model, id, &visitor)
      (visitor.content as? any CollectionHandle)?.storage.showAgain()
    }
    refresh(schema.replicated.map { Subject(attachment: attachment, field: $0, conflictsChanged: true) })
  }
}
