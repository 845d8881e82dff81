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
      guard place.admits(model) else { return nil }
      return .assign(ModelPlanting(model, prototype: Model._$schema.prototype, outer: place, replacing: old))
    }
    let (space, object) = (place.attachment.space, attachment.object)
    // What a transaction made that was taken back has gone, though its name may be that of what was made since.
    let isThere = !attachment.isGone || space.revive(attachment)
    guard attachment.space === space, !object.isDerived else {
      ModelIncident.report(.attachedTwice(type: "\(Model.self)"))
      return nil
    }
    let (stands, isInItself) = space.handle.read { document in
      // What is derived need not stand in the document yet; what it is derived from does.
      let base = place.attachment.lineage.base
      return (isThere && document.isLive(object), base == object || document.ancestors(of: base).contains(object))
    }
    if !stands || isInItself {
      let type = "\(Model.self)"
      ModelIncident.report(stands ? .movedIntoItself(type: type) : .placedAfterRemoval(type: type))
      return nil
    }
    return .move(object)
  }
}

/// What a write altered elsewhere than where it was made.
final class Displacement {
  let patch: Patch
  /// The list that was written, which shows it already.
  let written: ObjectID?
  /// What lists hold may be the user's, and goes with every lock released.
  private let lists: [ObjectTable.Live]

  init(patch: Patch, written: ObjectID?, lists: [ObjectTable.Live]) {
    self.patch = patch
    self.written = written
    self.lists = lists
  }
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

  /// Whether models that are planted hold objects of the document, which are to move to them.
  var holdsMoves: Bool {
    switch self {
    case .assign(let planting), .declare(_, let planting): planting.moves
    case .list(let list): list.writes.contains { $0.holdsMoves } || list.whole?.contains { $0.holdsMoves } == true
    case .nothing, .set, .remove, .increment, .members, .move: false
    }
  }
}

/// Runs `body` as one change with what moves after it.
func inOneChange(if holdsMoves: Bool, _ body: () -> Void) {
  if holdsMoves { withTransaction { body() } } else { body() }
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

  /// What a write altered elsewhere than where it was made; nil for nothing. Lists from which objects moved away come to
  /// know, as of a merge.
  ///
  /// - Parameters:
  ///   - moves: whether it moved objects.
  ///   - written: the list that was written, if it was one.
  ///   - isShown: whether it shows all of that by itself.
  func noteReach(of patch: Patch, moves: Bool, besides written: ObjectID?, isShown: Bool) -> Displacement? {
    if moves {
      return Displacement(patch: patch, written: isShown ? written : nil, lists: noteLists(patch, besides: written))
    }
    return patch.reachesHolders ? noteHolders(patch) : nil
  }

  /// The same where nothing moved: an entry of a dictionary may stand by nothing but what is in it, which came or went.
  func noteHolders(_ patch: Patch) -> Displacement? {
    var (entries, holders): ([Patch.Entry], [ObjectTable.Live]) = ([], [])
    for entry in patch.entries where entry.from == .container(.map) || entry.to == .container(.map) {
      guard let holder = resident(entry.object) else { continue }
      holders.append(holder)
      if case .keyed = holder { entries.append(entry) }
    }
    return holders.isEmpty ? nil : Displacement(patch: Patch(entries: entries), written: nil, lists: holders)
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
