import StarlingCore
import StarlingEngine
import StarlingGraph

// What models do when a transaction is taken back.
extension ModelSpace {
  /// Ends the transaction of this thread with nothing written, and has lists and texts ready to show that.
  func takeBack() -> AlteredPlaces {
    // What it holds may be the user's, and goes with the lock released.
    var lists: [ObjectTable.Live] = []
    let altered = handle.takeBackTransaction { document, altered in
      for object in altered.sequences {
        guard let live = resident(object) else { continue }
        live.startAgain(document)
        lists.append(live)
      }
      for slot in altered.slots {
        guard case .element(let dot) = slot.key, let live = resident(slot.object) else { continue }
        live.note(altered: dot)
        lists.append(live)
      }
    }
    withExtendedLifetime(lists) {}
    return altered
  }

  /// Shows what stands at the places, on this thread and at once: its own code goes on with that.
  func refresh(_ altered: AlteredPlaces) {
    var subjects = Subjects()
    for slot in altered.slots {
      switch resident(slot.object) {
      case .model(let attachment)?:
        for field in attachment.schema.replicated {
          subjects.add(Subject(attachment: attachment, field: field, conflictsChanged: true))
        }
      case .members(let attachment, let field)?: subjects.add(Subject(attachment: attachment, field: field))
      case .keyed(let core)?:
        if core.knows(slot.key), let attachment = core.attachment {
          subjects.add(Subject(attachment: attachment, member: slot.key, of: core))
        }
      case nil: break
      }
    }
    for object in altered.sequences {
      if let subject = resident(object)?.subjectOfSequence { subjects.add(subject) }
    }
    refresh(subjects.all)
    lives.touch(altered.slots.compactMap { resident($0.object) == nil ? $0.object : nil })
  }

  /// The object stands again.
  func restore(_ attachment: Attachment) {
    attachment.markPresent()
    lives.touch([attachment.object])
  }

  /// What stood for objects before the transaction does so again.
  func restore(_ displaced: [(object: ObjectID, live: ObjectTable.Live)]) {
    var models: [Attachment] = []
    for (object, live) in displaced {
      switch live {
      case .model(let attachment):
        models.append(attachment)
        guard let model = attachment.model, let residence = attachment.schema.state(of: model).residence else {
          continue
        }
        _ = register(.model(residence), at: object)
        registerContainers(of: attachment, residence, model)
      case .keyed(let core): core.attachment?.markPlaced()
      case .members: break
      }
    }
    for case (_, .keyed(let core)) in displaced { core.showAgain() }
    // The outer ones first: they are noted when all that is in them is.
    for attachment in models.reversed() { restorePlace(of: attachment) }
  }

  /// Has the property or dictionary of a derived object hold that object's instance again, not the one that was taken
  /// back.
  private func restorePlace(of attachment: Attachment) {
    guard let (parent, key) = attachment.lineage.place else { return }
    switch resident(parent) {
    case .model(let owner)?:
      if let field = owner.schema.field(at: key) { refresh([Subject(attachment: owner, field: field)]) }
    case .keyed(let core)?: core.forgetInstance(at: key)
    case .members?, nil: break
    }
  }
}
