import StarlingCore
import StarlingEngine
import StarlingGraph

/// Models that move: one that stands in the document already, and is put somewhere else in it.
///
/// ```swift
/// to.cards.append(card)                            // takes it away from where it stands
/// withTransaction { to.cards.append(from.cards.remove(at: 0)) }
/// board.pinned = card
/// ```
///
/// It keeps its identity, and what others write to it at the same time. Where replicas put it to several places at
/// once, it stands at one of them, the same everywhere.
enum Moving {
  /// How a model comes to stand at `place`; nil where it cannot, which is reported.
  static func write<Model: ReplicatedModel>(_ model: Model, at place: Place, replacing old: Model?) -> FieldWrite? {
    guard let attachment = model._$model.attachment else {
      return .assign(ModelPlanting(model, prototype: Model._$schema.prototype, outer: place, replacing: old))
    }
    let (space, object) = (place.attachment.space, attachment.object)
    guard attachment.space === space, !object.isDerived else {
      ModelIncident.report(.attachedTwice(type: "\(Model.self)"))
      return nil
    }
    let (stands, isInItself) = space.handle.read { document in
      let target = place.attachment.object
      return (document.isLive(object), target == object || document.ancestors(of: target).contains(object))
    }
    if !stands || isInItself {
      let type = "\(Model.self)"
      ModelIncident.report(stands ? .movedIntoItself(type: type) : .placedAfterRemoval(type: type))
      return nil
    }
    return .move(object)
  }
}

/// What a write that moved objects altered.
struct Displacement {
  var patch: Patch
  /// The list that was written, which shows it already.
  var written: ObjectID?
  /// What lists hold may be the user's, and goes with every lock released.
  var lists: [ObjectTable.Live] = []
}

extension FieldWrite {
  /// Whether it alters more places than the one that is written.
  var moves: Bool {
    switch self {
    case .move: true
    case .list(let list): list.writes.contains { $0.moves } || list.whole?.contains { $0.moves } == true
    case .nothing, .set, .remove, .increment, .members, .assign, .declare: false
    }
  }
}

extension ModelSpace {
  // MARK: Under the document's lock

  /// Moves the object under the key. It stays where it is if it was removed in between, or holds its target by now.
  func move(_ object: ObjectID, to key: Key, in holder: ObjectID, _ document: inout Document, _ patch: inout Patch) {
    do {
      try document.place(object, for: key, in: holder, patch: &patch)
    } catch {
      document.putBack(object, patch: &patch)
    }
  }

  /// The same into a list.
  ///
  /// - Returns: The element at which it stands then.
  func move(
    _ object: ObjectID, to index: Int, in list: ObjectID, _ document: inout Document, _ patch: inout Patch
  ) -> Dot? {
    do {
      return try document.place(object, at: index, in: list, patch: &patch)
    } catch {
      // It is not to go because it could not be placed.
      document.putBack(object, patch: &patch)
      return nil
    }
  }

  /// Within a transaction what is taken away may be put elsewhere before it ends, and goes only if it is not.
  ///
  /// - Returns: Whether it was an object, and was taken away.
  @discardableResult
  func setAside(_ visible: Visible, in document: inout Document, _ patch: inout Patch) -> Bool {
    guard let scope = TransactionScope.current, case .value(.object(.map), let dot) = visible else { return false }
    let object = ObjectID.assigned(by: dot)
    guard document.setAside(object, patch: &patch) else { return false }
    scope.note(removed: object, of: self)
    return true
  }

  /// Lets lists from which objects moved away know, as of a merge.
  ///
  /// - Parameters:
  ///   - written: the list that was written, if it was one.
  ///   - isShown: whether it shows all of that by itself.
  func noteMoves(_ patch: Patch, besides written: ObjectID?, isShown: Bool) -> Displacement {
    Displacement(patch: patch, written: isShown ? written : nil, lists: noteLists(patch, besides: written))
  }

  // MARK: With every lock released

  /// Shows what a write altered elsewhere than where it was made: at once to models of the writer's own isolation, to
  /// others as a merge.
  func show(_ moves: Displacement, of writer: Attachment) {
    let (patch, written) = (moves.patch, moves.written)
    let subjects =
      patch.entries.filter { $0.object != written }.compactMap {
        resident($0.object)?.subject(at: $0.key, conflictsChanged: $0.conflictsChanged)
      }
      + patch.sequences.filter { $0.object != written }.compactMap { resident($0.object)?.subjectOfSequence }
    refresh(subjects.filter { $0.delivery === writer.delivery })
    for subject in subjects where subject.delivery !== writer.delivery {
      subject.delivery.add(Subjects([subject]), gone: [], of: self)
    }
  }
}

extension ReplicatedModel {
  /// The nearest model of this class that this one stands in: the column of a card, also if the card stands in one of
  /// its lists or dictionaries. Nil where it stands in none, or in no document.
  ///
  /// Whoever reads it runs again when this model moves.
  ///
  /// - Complexity: O(depth)
  public func ancestor<Ancestor: ReplicatedModel>(as type: Ancestor.Type = Ancestor.self) -> Ancestor? {
    guard let attachment = _$model.attachment else { return nil }
    let space = attachment.space
    space.lives.track(attachment.object)
    for object in space.handle.read({ $0.ancestors(of: attachment.object) }) {
      guard case .model(let resident)? = space.resident(object) else { continue }
      if let model = resident.model as? Ancestor { return model }
    }
    return nil
  }
}
