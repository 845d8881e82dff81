import StarlingCore
import StarlingEngine
import StarlingGraph
import StarlingGuard
import Synchronization

/// The object that a model is, and its document.
///
/// ```
///   root ── "front-desk" map ──► Book ── "cover" map ──► Cover        derived: lineage [front-desk, cover]
///                                  └── "author" ──► Author            assigned: its own base, lineage []
/// ```
final class Attachment: Sendable {
  let space: ModelSpace
  let object: ObjectID
  /// How the object is derived from the root or from an assigned object.
  let lineage: Lineage
  /// The model in whose place it stands, of an object that is derived from that: it goes with it.
  private let owner: Attachment?
  /// Whether a collection, or a model in one of its places, may outlive its instance.
  private let hasDependents_ = Atomic(false)
  /// Where its remote changes become visible.
  let delivery: Delivery
  let schema: AnyModelSchema
  /// Nil once the instance has gone.
  // Sendable: a weak reference is read atomically, and what comes of the object is for the one who takes it out, on the
  // object's isolation.
  nonisolated(unsafe) weak let model: AnyObject?
  /// The model whose values are the defaults: of a nested model, the one that the outer prototype holds.
  let prototype: Prototype
  let lists = ShownLists()
  /// Where the document keeps the slots of the fields. Guarded by the document's lock.
  private nonisolated(unsafe) let slots: UnsafeMutablePointer<SlotPlace>
  private let lastRefresh_ = Atomic<UInt64>(0)
  /// Of its plain collections: what the space's table holds for it besides `object`.
  let containers = Guarded<[ObjectID]>([])
  private let absence = Atomic<UInt8>(0)
  private let isFilled_ = Atomic<Bool>(false)
  private let isFollowed = Atomic<Bool>(false)
  private let followed_ = Guarded<ObjectID?>(nil)

  init(
    space: ModelSpace, object: ObjectID, lineage: Lineage, in owner: Attachment?, delivery: Delivery,
    schema: AnyModelSchema,
    model: any ReplicatedModel, prototype: any ReplicatedModel
  ) {
    self.space = space
    self.object = object
    self.lineage = lineage
    self.owner = lineage.steps.isEmpty ? nil : owner
    self.delivery = delivery
    self.schema = schema
    self.model = model
    self.prototype = Prototype(model: prototype)
    slots = .allocate(capacity: schema.names.count)
    slots.initialize(repeating: SlotPlace(), count: schema.names.count)
    self.owner?.noteDependent()
  }

  deinit {
    slots.deallocate()
    space.forget(self)
  }

  /// Whether the object has been removed: its values stay as they were, its writes are dropped.
  var isGone: Bool {
    if absence.load(ordering: .acquiring) != 0 || space.handle.isForgotten { return true }
    return owner?.isGone ?? false
  }

  /// Whether nothing but its removal keeps it from being the object's.
  var isRemoved: Bool { absence.load(ordering: .acquiring) == Absence.removed && !space.handle.isForgotten }

  private enum Absence {
    static let removed: UInt8 = 1
    /// Another instance's collections stand for the object's.
    static let displaced: UInt8 = 2
  }

  /// - Returns: Whether it was not removed before.
  func markGone() -> Bool {
    absence.bitwiseOr(Absence.removed, ordering: .acquiringAndReleasing).oldValue & Absence.removed == 0
  }

  /// What took it away was taken back.
  func markPresent() { absence.bitwiseAnd(Absence.displaced, ordering: .releasing) }

  func markDisplaced() { absence.bitwiseOr(Absence.displaced, ordering: .releasing) }

  func markPlaced() { absence.bitwiseAnd(Absence.removed, ordering: .releasing) }

  var hasDependents: Bool { hasDependents_.load(ordering: .acquiring) }

  func noteDependent() { hasDependents_.store(true, ordering: .releasing) }

  func place(_ key: Key) -> Place { Place(attachment: self, key: key) }

  /// Whether the instance shows what the document held when it was opened, or entered the document with what it held.
  var isFilled: Bool { isFilled_.load(ordering: .acquiring) }

  func markFilled() { isFilled_.store(true, ordering: .releasing) }

  /// The turn of a refresh that stored in it last. Under the document's lock.
  var lastRefresh: UInt64 {
    get { lastRefresh_.load(ordering: .relaxed) }
    set { lastRefresh_.store(newValue, ordering: .relaxed) }
  }

  // MARK: Readers of an instance that went

  /// The object whose readers read this one through a reference, by an instance that is no more.
  var followed: ObjectID? { isFollowed.load(ordering: .relaxed) ? followed_.withLock { $0 } : nil }

  func follow(_ object: ObjectID) {
    followed_.withLock { $0 = object }
    isFollowed.store(true, ordering: .releasing)
  }

  /// Wakes, at the first write, readers of an earlier instance through a reference: they read this one then.
  func noteWrite() {
    guard isFollowed.load(ordering: .relaxed), isFollowed.exchange(false, ordering: .acquiringAndReleasing),
      let object = followed_.withLock({ $0 })
    else { return }
    space.lives.touch([object])
  }

  // MARK: Writing

  /// Writes the document and the cell under the document's lock, so that both agree on the order;
  /// then, with every lock released, tells the standard library and flushes.
  func write<Model: ReplicatedModel, C: FieldCoding>(
    _ field: borrowing Field<C.Content>, _ id: Int, _ model: Model, from old: C.Content, to new: C.Content,
    _ coding: C
  ) {
    guard let names = schema.names[id] else { return }
    if refusesAsPast(names, isSame: coding.isSame(old, new)) { return }
    if coding.shape == .members(.list) { return writeList(field, id, model, from: old, to: new, coding) }
    let isEqual = coding.isSame(old, new)
    // Choosing the visible value of a conflict resolves it.
    if isEqual, coding.shape != .slot || !hasConflict(names) { return }
    let write = write(of: id, from: old, to: new, coding, at: place(names.key(for: coding.shape)))
    perform(write, field, id, model, from: old, to: isEqual ? nil : new, coding)
  }

  /// What leads from `old` to `new` in the document.
  func write<C: FieldCoding>(
    of id: Int, from old: C.Content, to new: C.Content, _ coding: C, at place: Place
  ) -> FieldWrite {
    withExtendedLifetime(prototype) {
      coding.write(from: old, to: new, default: prototype.content(of: id), at: place)
    }
  }

  /// - Parameters:
  ///   - new: what the cell is to hold; nil if it holds that already.
  ///   - isStale: asked under the document's lock, before anything is written.
  /// - Returns: False if nothing was done because the write was stale.
  @discardableResult
  func perform<Model: ReplicatedModel, C: FieldCoding>(
    _ write: FieldWrite, _ field: borrowing Field<C.Content>, _ id: Int, _ model: Model, from old: C.Content,
    to new: C.Content?, _ coding: C, unless isStale: (borrowing Document) -> Bool = { _ in false }
  ) -> Bool {
    if write.holdsMoves {
      return withTransaction { performAlone(write, field, id, model, from: old, to: new, coding, unless: isStale) }
    }
    return performAlone(write, field, id, model, from: old, to: new, coding, unless: isStale)
  }

  private func performAlone<Model: ReplicatedModel, C: FieldCoding>(
    _ write: FieldWrite, _ field: borrowing Field<C.Content>, _ id: Int, _ model: Model, from old: C.Content,
    to new: C.Content?, _ coding: C, unless isStale: (borrowing Document) -> Bool
  ) -> Bool {
    var found: C.Content?
    let (state, shape) = (model._$model, coding.shape)
    return perform(write, id, shape, model, state, unless: isStale) {
      if let new { found = field.cell.exchange(new, in: state.home) }
    } isCrossed: {
      found.map { !coding.isSame($0, old) }
    }
  }

  /// Writes a property whose whole value is one entry of one slot.
  func writeSlot(
    _ id: Int, _ model: AnyObject, _ state: ModelState, isSame: Bool, encode: (() -> Place) -> Value?,
    store: () -> Void,
    isCrossed: () -> Bool
  ) {
    guard let names = schema.names[id] else { return }
    if refusesAsPast(names, isSame: isSame) { return }
    // Choosing the visible value of a conflict resolves it.
    if isSame, !hasConflict(names) { return }
    guard let value = encode({ place(names.key) }) else { return }
    batch {
      var refusal: Refusal?
      var removed: [ObjectID] = []
      var conflictsChanged = false
      var reach: Displacement?
      let outcome = space.write { document, patch -> Written in
        guard !isGone, isLive(in: &document) else { return .gone }
        patch.listsPlainWrites = patch.isAwaited
        declare(in: &document)
        space.put(value, names, in: object, at: &slots[id], &document, &patch)
        if !patch.removedObjects.isEmpty { removed = patch.removedObjects }
        if document.hasRefusal {
          refusal = document.takeRefusal().map { Refusal($0) }
          return .refused
        }
        if !isSame { store() }
        if patch.reachesHolders { reach = space.noteHolders(patch) }
        conflictsChanged = patch.conflictsChanged || !names.former.isEmpty
        return .done
      }
      guard case .done = outcome else { return notWritten(outcome, refusal?.write, id, names, removed) }
      noteWrite()
      if let reach { space.show(reach, of: self) }
      if !removed.isEmpty { for object in removed { space.remove(object) } }
      if conflictsChanged { state.conflicts.touch(id, in: state) }
      if isSame { return }
      if state.isObserved(id) { schema.tell(model, that: id) }
      // Another thread wrote in between: the document knows both writes, the cell only ours.
      if isCrossed() { space.refresh([Subject(attachment: self, field: id)]) }
    }
  }

  /// Whether nothing is written because the model is one of the past; that is reported where it would alter anything.
  private func refusesAsPast(_ names: FieldNames, isSame: @autoclosure () -> Bool) -> Bool {
    guard space.isPast else { return false }
    if !isSame() { _ = refusesWrite(under: names.key) }
    return true
  }

  /// What happens to a write that was not made, or made in part only.
  private func notWritten(
    _ outcome: Written, _ refusal: OversizedWrite?, _ id: Int, _ names: FieldNames, _ removed: [ObjectID]
  ) {
    switch outcome {
    case .done, .stale: return
    case .gone: ModelIncident.report(.writeToRemoved(object, property: schema.label(at: names.key)))
    case .refused:
      if let refusal { ModelIncident.refuse(refusal) }
      // Of several operations some may stand: the cell shows what does.
      for object in removed { space.remove(object) }
      space.refresh([Subject(attachment: self, field: id)])
    }
  }

  /// Not generic, as what runs under the document's lock would look its types up with every write.
  ///
  /// - Parameters:
  ///   - store: puts the new value into the cell, if it holds another. Under the document's lock.
  ///   - isCrossed: whether the cell held another value by then than the writer saw; nil if nothing was stored.
  @discardableResult
  private func perform(
    _ write: FieldWrite, _ id: Int, _ shape: FieldShape, _ model: AnyObject, _ state: ModelState,
    unless isStale: (borrowing Document) -> Bool = { _ in false }, store: () -> Void, isCrossed: () -> Bool?
  ) -> Bool {
    guard let names = schema.names[id] else { return true }
    if case .nothing = write { return true }
    return batch {
      // What seldom is there stays out of the outcome, which is handed from one to the next.
      var refusal: OversizedWrite?
      var removed: [ObjectID] = []
      var moves: Displacement?
      var conflictsChanged = false
      let outcome = space.write { document, patch -> Written in
        guard !isGone, lineage.isLive(in: document) else { return .gone }
        if isStale(document) { return .stale }
        declare(in: &document)
        refusal = write.refusal(under: names.key(for: shape), in: object, of: document)
        if refusal != nil { return .refused }
        space.perform(write, names, shape, of: self, in: &document, &patch)
        removed = patch.removedObjects
        if document.hasRefusal {
          refusal = document.takeRefusal()
          lists.startAgain(names.key(for: shape))
          return .refused
        }
        store()
        conflictsChanged = patch.conflictsChanged || !names.former.isEmpty
        moves = space.noteReach(of: patch, moves: write.moves, besides: list(names, shape), isShown: false)
        return .done
      }
      switch outcome {
      case .stale: return false
      case .gone, .refused: notWritten(outcome, refusal, id, names, removed)
      case .done:
        space.finish(write)
        noteWrite()
        if let moves { space.show(moves, of: self) }
        // It may have been removed in between, or hold this by now, and stands where it stood.
        if write.moves { space.refresh([Subject(attachment: self, field: id)]) }
        for object in removed { space.remove(object) }
        if conflictsChanged { state.conflicts.touch(id, in: state) }
        guard let isCrossed = isCrossed() else { break }
        if state.isObserved(id) { schema.tell(model, that: id) }
        // Another thread wrote in between: the document knows both writes, the cell only ours.
        if isCrossed { space.refresh([Subject(attachment: self, field: id)]) }
      }
      return true
    }
  }

  /// The same that the lineage knows, of a document that is not copied for the question.
  @inline(__always)
  private func isLive(in document: inout Document) -> Bool {
    lineage.base.isDerived || lineage.isLive(in: document)
  }

  /// Makes the object known to the change under way.
  private func declare(in document: inout Document) {
    // Which it nearly always is: nothing need be derived.
    if !document.findDeclared(object) { lineage.declare(in: &document) }
  }

  /// Writes what the cell holds, for a write that crossed with the planting of its object.
  func rewrite<Model: ReplicatedModel, C: FieldCoding>(
    _ field: borrowing Field<C.Content>, _ id: Int, _ model: Model, _ coding: C
  ) {
    let present = model._$model.peek(field)
    if let names = schema.names[id] { space.handle.read { _ in lists.startAgain(names.key(for: coding.shape)) } }
    space.refresh([Subject(attachment: self, field: id)])
    write(field, id, model, from: model._$model.peek(field), to: present, coding)
  }

  /// A refused write on its way out of the lock. An object, since most writes have none: nil of a type that only another
  /// module lays out takes long to make and to destroy.
  private final class Refusal {
    let write: OversizedWrite

    init(_ write: OversizedWrite) { self.write = write }
  }

  /// The outcome of a write under the document's lock.
  private enum Written {
    case done
    case refused
    case gone
    case stale
  }

  /// The list behind an array that is read as a whole.
  private func list(_ names: FieldNames, _ shape: FieldShape) -> ObjectID? {
    guard shape == .members(.list) else { return nil }
    return .derived(parent: object, key: names.key(for: shape), kind: .list)
  }

  private func hasConflict(_ names: FieldNames) -> Bool {
    space.handle.read { names.entries(in: object, of: $0).count > 1 }
  }

  /// What stands in the slot of a field with one name; no names are copied. Under the document's lock.
  func visible(_ id: Int, in document: borrowing Document) -> Visible {
    guard let key = schema.names[id]?.key else { return .absent }
    return document.visible(key, in: object, at: &slots[id])
  }

  /// What a field's place in the document shows. Under the document's lock.
  ///
  /// - Parameter isWhole: whether what is shown of a list counts in another state of the document than this one.
  func reading(
    of id: Int, _ names: FieldNames, _ shape: FieldShape, in document: borrowing Document, isWhole: Bool = false
  ) -> FieldReading {
    var reading = FieldReading(visible: names.visible(shape, in: object, of: document, at: &slots[id]))
    if case .members(let kind) = shape {
      let container = ObjectID.derived(parent: object, key: names.key(for: shape), kind: kind)
      if kind == .list, !isWhole, let changes = lists.changes(names.key(for: shape), of: container, in: document) {
        // A list that nobody has written shows its default.
        if reading.visible != .absent || changes.alignment.documentCount > 0 {
          reading.changes = changes
          return reading
        }
      }
      let members = kind == .list ? document.elements(in: container).map { .element($0) } : document.keys(in: container)
      reading.members = members.map { member in
        FieldReading.Member(key: member, visible: document.visible(member, in: container))
      }
    }
    return reading
  }
}

/// The instance whose values are the defaults of an object; nobody writes it after it was made.
struct Prototype: @unchecked Sendable {
  // Sendable: never written, and read only where its class is isolated.
  let model: any ReplicatedModel

  func content<Content>(of field: Int) -> Content {
    func open<Model: ReplicatedModel>(_ model: Model) -> Content { model.content(of: field, as: Content.self) }
    return open(model)
  }
}

/// How an object is derived: the steps from the root or from the assigned object that stands at its base.
public struct Lineage: Sendable {
  var base: ObjectID
  var steps: [Step] = []

  struct Step: Sendable {
    var key: Key
    var kind: Kind
  }

  func appending(_ key: Key, _ kind: Kind) -> Lineage {
    var copy = self
    copy.steps.append(Step(key: key, kind: kind))
    return copy
  }

  /// Of a derived object: in which one, and under which key.
  var place: (parent: ObjectID, key: Key)? {
    guard let last = steps.last else { return nil }
    let parent = steps.dropLast().reduce(base) { .derived(parent: $0, key: $1.key, kind: $1.kind) }
    return (parent, last.key)
  }

  /// Only an assigned object can go for good.
  func isLive(in document: borrowing Document) -> Bool {
    base.isDerived || document.isLive(base)
  }

  /// Makes the derived objects on the way known to the change under way.
  @discardableResult
  func declare(in document: inout Document) -> ObjectID {
    var object = base
    for step in steps { object = document.declare(step.kind, for: step.key, in: object) }
    return object
  }
}

extension Patch {
  var conflictsChanged: Bool {
    for place in entries.indices where entries[place].conflictsChanged { return true }
    return false
  }
}
