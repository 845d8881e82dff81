import StarlingCore
import StarlingEngine
import StarlingGraph

extension ModelSpace {
  /// Writes the document as part of the transaction that is open on this thread, if there is one. Those of other
  /// threads are waited for.
  func write<Result>(_ body: (inout Document, inout Patch) -> Result) -> Result {
    TransactionScope.join(self)
    return handle.write(body)
  }

  /// Puts a value in place of what the slot of a property holds. Under the document's lock.
  func put(
    _ value: Value, _ names: FieldNames, in object: ObjectID, at place: inout SlotPlace, _ document: inout Document,
    _ patch: inout Patch
  ) {
    if !TransactionScope.isAny {
      document.set(value, for: names.key, in: object, at: &place, patch: &patch)
    } else if !document.setUnlessObject(value, for: names.key, in: object, at: &place, patch: &patch) {
      setAside(document.visible(names.key, in: object), in: &document, &patch)
      document.set(value, for: names.key, in: object, at: &place, patch: &patch)
    }
    guard !names.former.isEmpty, !document.hasRefusal else { return }
    for key in names.former { document.remove(key, in: object, patch: &patch) }
  }

  /// Performs one write of a field. Under the document's lock.
  func perform(
    _ write: FieldWrite, _ names: FieldNames, _ shape: FieldShape, of owner: Attachment,
    in document: inout Document, _ patch: inout Patch
  ) {
    perform(
      write, names.key(for: shape), in: owner.object, lineage: owner.lineage, owner: owner, &document, &patch)
    // What was refused for its size must not take away what stands.
    guard write.replaces, !document.hasRefusal else { return }
    for key in names.otherKeys(for: shape) { document.remove(key, in: owner.object, patch: &patch) }
  }

  func perform(
    _ write: FieldWrite, _ key: Key, in object: ObjectID, lineage: Lineage, owner: Attachment,
    _ document: inout Document, _ patch: inout Patch
  ) {
    // An element that holds nothing any more could not be written to.
    if write.replaces, !key.namesElement, TransactionScope.current != nil {
      setAside(document.visible(key, in: object), in: &document, &patch)
    }
    switch write {
    case .nothing: break
    case .set(let value): document.set(value, for: key, in: object, patch: &patch)
    case .remove:
      if document.visible(key, in: object) != .absent { document.remove(key, in: object, patch: &patch) }
    case .move(let moving): move(moving, to: key, in: object, &document, &patch)
    case .increment(let amount): document.increment(key, in: object, by: amount, patch: &patch)
    case .members(let members): perform(members, key, in: object, &document, &patch)
    case .list(let list): perform(list, key, in: object, owner: owner, &document, &patch)
    case .assign(let planting):
      let child = document.assignObject(.map, for: key, in: object, patch: &patch)
      // Refused for its size: there is nothing to be planted in.
      guard document.isLive(child) else { return }
      planting.plant(at: child, Lineage(base: child), in: self, owner, &document, &patch)
    case .declare(let kind, let planting):
      let child = document.declare(kind, for: key, in: object)
      planting.plant(at: child, lineage.appending(key, kind), in: self, owner, &document, &patch)
    }
  }

  private func perform(
    _ members: MemberWrites, _ key: Key, in object: ObjectID, _ document: inout Document, _ patch: inout Patch
  ) {
    let container = document.declare(members.kind, for: key, in: object)
    if let whole = members.whole, document.visible(key, in: object) == .absent {
      // The first write on top of a default that is not empty: from now on the document says what is there.
      document.set(.derived(members.kind), for: key, in: object, patch: &patch)
      for (member, value) in whole { document.set(value, for: member, in: container, patch: &patch) }
      return
    }
    for (member, value) in members.changes {
      if let value {
        document.set(value, for: member, in: container, patch: &patch)
      } else {
        document.remove(member, in: container, patch: &patch)
      }
    }
  }

  /// The object is no more, unless it only moved: its instance, if there is one, keeps its values and takes no writes.
  func remove(_ object: ObjectID) {
    if !object.isDerived, handle.read({ $0.isLive(object) }) { return lives.touch([object]) }
    if case .model(let attachment)? = resident(object) { return remove(attachment) }
    for attachment in outlived(object) { markGone(attachment) }
    lives.touch([object])
  }

  func remove(_ attachment: Attachment) {
    for attachment in outlived(attachment.object) { markGone(attachment) }
    if markGone(attachment) { lives.touch([attachment.object]) }
  }

  @discardableResult
  private func markGone(_ attachment: Attachment) -> Bool {
    guard attachment.markGone() else { return false }
    TransactionScope.current?.noteGone(attachment)
    return true
  }

  /// What can only be done with the lock released.
  func finish(_ write: FieldWrite) {
    switch write {
    case .assign(let planting), .declare(_, let planting): planting.finish(in: self)
    case .list(let list): for write in list.whole ?? list.writes { finish(write) }
    default: break
    }
  }
}

extension _Replicated {
  /// An object on its own, on its way into a document: what it must write there is worked out with no
  /// lock held, since encoding may be the user's; then it is written and attached under the document's lock.
  public class Planting {
    /// Of all that it writes below its object.
    let weight: ChangeWeight
    /// Whether it holds objects of the document, which move to it once it is there: `finish` sees to that, in the same
    /// transaction.
    let moves: Bool
    /// What stood for its object, kept for as long as the document's lock is held.
    private var displaced: ObjectTable.Live?

    init(weight: ChangeWeight, moves: Bool) {
      self.weight = weight
      self.moves = moves
    }

    func plant(
      at object: ObjectID, _ lineage: Lineage, in space: ModelSpace, _ owner: Attachment,
      _ document: inout Document, _ patch: inout Patch
    ) {
      preconditionFailure("abstract")
    }

    /// Has it stand for the object, until the transaction is taken back. Under the document's lock.
    func register(_ resident: ObjectTable.Resident, at object: ObjectID, in space: ModelSpace) {
      displaced = space.register(resident, at: object)
      if let displaced { TransactionScope.current?.noteDisplaced(displaced, at: object, of: space) }
    }

    /// After the lock is released.
    func finish(in space: ModelSpace) {}
  }
}

/// What a program's models keep within.
public enum ModelLimits {
  /// So many models that are not in a document yet may stand one in the other when the outermost enters one; they are
  /// written by calls one in the other. What grows in a document, model by model, may be deeper.
  public static let plantedDepthMax = 500
}

/// A model and what it holds beyond its defaults.
final class ModelPlanting<Model: ReplicatedModel>: Planting {
  private let model: Model
  private let prototype: Model
  private let old: Model?
  private let writes: [(names: FieldNames, shape: FieldShape, write: FieldWrite)]
  /// Fields that hold objects of the document, and those that hold what cannot stand in it.
  private let moving: [Int]
  private let refused: [Int]
  /// Whether another replica made the object already, and nothing of that was visible here.
  private var wasThere = false

  /// - Parameter outer: the place where the model is to stand; its delivery becomes the model's.
  /// - Parameter old: the model whose place this one takes; its writes are dropped from then on.
  init(_ model: Model, prototype: Model, outer: Place, replacing old: Model?) {
    self.model = model
    self.old = old
    self.prototype = prototype
    let schema = Model._$schema
    guard outer.depth < ModelLimits.plantedDepthMax else {
      (writes, moving, refused) = ([], [], [])
      var weight = ChangeWeight()
      weight.refuseDepth(outer.depth + 1, limit: ModelLimits.plantedDepthMax, under: outer.key)
      super.init(weight: weight, moves: false)
      return
    }
    let planted = outer.planted ?? PlantedModels()
    planted.add(model._$model)
    var (moving, refused): ([Int], [Int]) = ([], [])
    let writes = schema.replicated.map { id in
      let (names, shape) = (schema.names[id]!, schema.shape(of: id, in: model))
      var place = outer.under(names.key(for: shape))
      (place.depth, place.planted) = (outer.depth + 1, planted)
      var visitor = FieldVisitor(.plant(place, prototype: prototype, id: id), of: model._$model)
      schema.visit(model, id, &visitor)
      if visitor.isRefused { refused.append(id) }
      guard visitor.write.moves else { return (names: names, shape: shape, write: visitor.write) }
      moving.append(id)
      return (names: names, shape: shape, write: .nothing)
    }
    (self.writes, self.moving, self.refused) = (writes, moving, refused)
    var weight = ChangeWeight()
    for (names, shape, write) in writes { write.weigh(under: names.key(for: shape), into: &weight) }
    super.init(weight: weight, moves: !moving.isEmpty || writes.contains { $0.write.holdsMoves })
  }

  override func plant(
    at object: ObjectID, _ lineage: Lineage, in space: ModelSpace, _ owner: Attachment,
    _ document: inout Document, _ patch: inout Patch
  ) {
    let attachment = Attachment(
      space: space, object: object, lineage: lineage, in: owner, delivery: owner.delivery, schema: Model._$schema,
      model: model,
      prototype: prototype)
    wasThere = object.isDerived && document.keyCount(in: object) > 0
    for (names, shape, write) in writes {
      space.perform(write, names, shape, of: attachment, in: &document, &patch)
    }
    attachment.markFilled()
    let (residence, isFirst) = model._$model.attach(attachment)
    guard isFirst else { return }
    _ = model._$model.home.attach(to: space.domain)
    TransactionScope.current?.notePlanted(attachment)
    register(.model(residence), at: object, in: space)
    space.registerContainers(of: attachment, residence, model)
  }

  override func finish(in space: ModelSpace) {
    for (_, _, write) in writes { space.finish(write) }
    if let attachment = model._$model.attachment {
      for id in moving {
        var visitor = FieldVisitor(.rewrite(FieldRewrite(attachment, model, id)), of: model._$model)
        Model._$schema.visit(model, id, &visitor)
      }
      let fields = wasThere ? Array(Model._$schema.replicated) : refused
      if !fields.isEmpty { space.refresh(fields.map { Subject(attachment: attachment, field: $0) }) }
    }
    guard let old = old?._$model.attachment else { return }
    // What is derived has the object of the one that took its place.
    if old.object.isDerived { space.remove(old) } else { space.remove(old.object) }
  }
}

extension Key {
  fileprivate var namesElement: Bool {
    if case .element = self { true } else { false }
  }
}
