package import StarlingCore
public import StarlingEngine
import StarlingGraph
import StarlingGuard
import Synchronization

/// The live models of one open document: one instance an identity, and the way of every change to
/// the instances it concerns.
///
/// ```
///   DocumentHandle ── onPatch ──► ModelSpace ──► table: who lives? ──► Delivery, one an isolation
///                                                                        └──► refresh: read, decode, store
/// ```
///
/// Instances are held weakly; a change to an object without an instance makes none.
public final class ModelSpace: Sendable {
  package let handle: DocumentHandle
  /// Whether the document stands at a version of the past, where nothing is written.
  let isPast: Bool
  /// Of the replica: it goes on for as long as a model is held, unless it is closed.
  private let lifetime: EngineLifetime?
  /// The lock of every cell of the document's models.
  let domain = Domain()
  private let table = Guarded(ObjectTable())
  /// Its lock is taken within the table's, where an instance goes that was looked up there.
  private let outlived = Guarded(Outlived())
  private let anywhere: Delivery
  /// On actors.
  private let deliveries = Guarded([Delivery]())
  /// What shows lists, texts and collections that a merge has just altered, until its patch is delivered.
  private let noted = Guarded([ObjectTable.Live]())
  let listeners = DeliveryListeners()
  let unreadable: UnreadableValues
  /// Readers of references, by the object referred to.
  let lives = LifeSources()
  /// How many keyed collections on no isolation have keys that nobody has read.
  let partlyReadCount = Atomic(0)
  /// How many turns its refreshes took, which names each.
  let refreshRounds = Atomic<UInt64>(0)
  /// What the processes that have the document open say of themselves for a while.
  public let presence: Presence

  /// - Parameter handle: An open document; it has one space.
  public convenience init(_ handle: DocumentHandle) {
    self.init(handle, isPast: false)
  }

  init(_ handle: DocumentHandle, isPast: Bool, reportsUnreadable: Bool = true) {
    unreadable = UnreadableValues(isReported: reportsUnreadable)
    self.handle = handle
    self.isPast = isPast
    lifetime = handle.lifetime
    anywhere = Delivery(isolation: nil, of: handle)
    presence = Presence(handle)
    handle.onMerge { [weak self] patch in self?.note(patch) }
    handle.onPatch { [weak self] patch in self?.deliver(patch) }
    handle.onJoinedTransaction { ModelIncident.report(.joinedTransaction($0)) }
  }

  // MARK: Opening

  /// The model of this name, at home where the caller is; every store that opens the name gets the same object.
  ///
  /// Remote changes become visible between the jobs of the caller's actor, never within one: in one job nothing changes
  /// but by its own writes, and what it looks at or opens is of one moment, that of the last delivery
  /// (Documentation/Wrappers.md, "One moment"). Where the caller has no actor they become visible at any moment, see
  /// `hold(_:)`; an actor's own initializer has none, which is reported.
  ///
  /// - Throws: `ModelError` where the name is open as another class or on another actor.
  public func model<Model: ReplicatedModel>(
    _ type: Model.Type, named name: String, caller: StaticString = #function,
    here: isolated (any Actor)? = #isolation
  ) throws(ModelError) -> Model {
    checkInitializer(caller, type, name, here)
    return try model(type, named: name, isolation: here)
  }

  /// In debug builds, reports who opens a model in an initializer without an isolation.
  package func checkInitializer<Model: ReplicatedModel>(
    _ caller: StaticString, _ type: Model.Type, _ name: String, _ isolation: (any Actor)?
  ) {
    #if DEBUG
      guard isolation == nil, "\(caller)".hasPrefix("init(") else { return }
      ModelIncident.reportOnce(.openedInInitializer(type: "\(type)", name: name))
    #endif
  }

  /// The same, at home on `isolation`; nil: anywhere.
  public func model<Model: ReplicatedModel>(
    _ type: Model.Type, named name: String, isolation: isolated (any Actor)?
  ) throws(ModelError) -> Model {
    try checkHome(of: type) { "model(\(Model.self).self, named: '\(name)')" }
    if let property = Model._$schema.varyingDefault {
      throw ModelError(
        .varyingDefault,
        "The default of '\(property)' differs each time it is made, as UUID() and Date() do. Defaults are never sent, so "
          + "every process would show its own under the name '\(name)'. Make the property optional and assign it once, or "
          + "keep such models in a list or dictionary, where what they hold is written when they enter it")
    }
    let lineage = Lineage(base: .root).appending(.name(name), .map)
    let object = ObjectID.derived(parent: .root, key: .name(name), kind: .map)
    switch resident(object) {
    case .model(let attachment)?:
      guard let model = attachment.model else { break }
      guard let model = model as? Model else {
        throw ModelError(.otherClass, "'\(name)' is open as \(Swift.type(of: model)); open it as that")
      }
      guard attachment.delivery.isolation === isolation || isolation == nil else {
        throw ModelError(
          .otherIsolation, "'\(name)' is open on another isolation; open it there, or hand the object over")
      }
      return opened(model, attachment)
    default: break
    }
    return open(type, object, lineage, delivery(on: isolation))
  }

  /// - Parameter call: what the caller wrote, to be named where it is made off the class's actor.
  func checkHome<Model: ReplicatedModel>(of type: Model.Type, _ call: () -> String) throws(ModelError) {
    guard let home = Model._$schema.isolation, !home.isCurrent else { return }
    throw ModelError(
      .otherIsolation,
      "'\(Model.self)' belongs to \(Swift.type(of: home)), and \(call()) was called "
        + "elsewhere; call it there, from code that is isolated to \(Swift.type(of: home))")
  }

  /// The live instance of an object, or a new one that shows what the document holds.
  ///
  /// An instance is in the document before anybody can find it, so that no write goes to it alone; it may be found
  /// before it shows what the document holds, and then whoever finds it sees to that (`opened`).
  ///
  /// - Parameters:
  ///   - owner: in which it stands, if it does.
  ///   - openings: of a refresh that is under way and fills the instance before it shows it to anybody.
  func open<Model: ReplicatedModel>(
    _ type: Model.Type, _ object: ObjectID, _ lineage: Lineage, _ delivery: Delivery, prototype: Model? = nil,
    adopting detached: Model? = nil, in owner: Attachment? = nil, openings: Openings? = nil
  ) -> Model {
    if case .model(let attachment)? = resident(object), let model = attachment.model as? Model,
      !attachment.isGone || revive(attachment)
    {
      return opened(model, attachment, openings)
    }
    let model = detached ?? Model._$schema.instance()
    let made = Attachment(
      space: self, object: object, lineage: lineage, in: owner, delivery: delivery, schema: Model._$schema,
      model: model,
      prototype: prototype ?? Model._$schema.prototype)
    // Another thread may have just adopted the same instance.
    let residence = model._$model.attach(made).residence
    let attachment = residence.attachment
    _ = model._$model.home.attach(to: domain)
    if let scope = TransactionScope.current, !handle.read({ lineage.isLive(in: $0) }) { scope.noteOpened(attachment) }
    if let followed = lives.isFollowed(object) ? object : owner?.followed { attachment.follow(followed) }
    // Of two threads that open one object at once, one instance stays.
    var present: Attachment?
    while true {
      let found = table.withLock { $0.claim(residence, from: present) }
      guard case .model(let other)? = found, other !== present, other !== attachment else { break }
      if !other.isGone, let model = other.model as? Model { return opened(model, other, openings) }
      present = other
    }
    return opened(model, attachment, openings)
  }

  /// The instance, once it shows what the document holds.
  private func opened<Model: ReplicatedModel>(
    _ model: Model, _ attachment: Attachment, _ openings: Openings? = nil
  ) -> Model {
    if attachment.isFilled { return model }
    if let openings {
      openings.add(model, attachment)
    } else {
      fill(model, attachment, Openings())
    }
    return model
  }

  private func fill(_ model: any ReplicatedModel, _ attachment: Attachment, _ openings: Openings) {
    guard !attachment.isFilled, openings.isFirst(attachment) else { return }
    if let residence = model._$model.residence { registerContainers(of: attachment, residence, model) }
    let subjects = attachment.schema.replicated.map { Subject(attachment: attachment, field: $0) }
    let isOutermost = openings.begin()
    refresh(subjects, openings: openings)
    if isOutermost { fill(openings) }
  }

  /// Fills the instances that a refresh opened, and those that they hold, however deep: one after the other, since a
  /// chain of a thousand models is more than a stack holds.
  func fill(_ openings: Openings) {
    while let (model, attachment) = openings.take() { fill(model, attachment, openings) }
    openings.end()
  }

  func registerContainers(of attachment: Attachment, _ residence: Residence, _ model: AnyObject) {
    let schema = attachment.schema
    var containers: [ObjectID] = []
    for id in schema.replicated {
      let shape = schema.shape(of: id, in: model)
      guard case .members(let kind) = shape, let key = schema.names[id]?.key(for: shape) else { continue }
      let container = ObjectID.derived(parent: attachment.object, key: key, kind: kind)
      _ = register(.members(residence, field: id), at: container)
      containers.append(container)
    }
    if !containers.isEmpty { attachment.containers.withLock { $0 = containers } }
  }

  func resident(_ object: ObjectID) -> ObjectTable.Live? {
    table.withLock { $0.resident(object) }
  }

  func collection(_ object: ObjectID) -> KeyedCore? {
    if case .keyed(let core)? = resident(object) { core } else { nil }
  }

  /// Has it stand for an object. A collection that did until now hears of no changes any more, so that it keeps what it
  /// shows and takes no writes. A sequence, under the document's lock.
  ///
  /// - Returns: What did until now, for the caller to release with every lock open.
  func register(_ resident: ObjectTable.Resident, at object: ObjectID) -> ObjectTable.Live? {
    let displaced = table.withLock { $0.add(resident, at: object) }
    if case .keyed(let core)? = displaced { core.attachment?.markDisplaced() }
    return displaced
  }

  /// How many of the document's objects are open: models, and the collections in them.
  package var openObjectCount: Int { table.withLock { $0.count } }

  /// The instance has gone, and something that depends on its attachment may not have.
  func noteOutlived(_ attachment: Attachment) {
    outlived.withLock { $0.add(attachment) }
  }

  /// What stood for the object with instances that have gone, where something of theirs is still held.
  func outlived(_ object: ObjectID) -> [Attachment] {
    outlived.withLock { $0.attachments(of: object) }
  }

  /// Called by an attachment that is going away, so nothing can be weakly loaded from it any more.
  func forget(_ object: ObjectID) {
    if table.withLock({ $0.sweep(object) }) == nil { unreadable.forget(object) }
  }

  func forget(_ attachment: Attachment) {
    forget(attachment.object)
    if attachment.hasDependents { _ = outlived.withLock { $0.sweep(attachment.object) } }
    for container in attachment.containers.withLock({ $0 }) { forget(container) }
  }

  /// All models whose instances somebody holds.
  var openModels: [Attachment] { table.withLock { $0.models } }

  /// The models that are open by name and may be used where the caller is.
  package var named: [NamedModel] {
    openModels.compactMap { attachment in
      guard attachment.lineage.base == .root, attachment.lineage.steps.count == 1, attachment.schema.isHere,
        case .name(let name) = attachment.lineage.steps[0].key
      else { return nil }
      return NamedModel(name: name, schema: attachment.schema)
    }
  }

  func delivery(on isolation: (any Actor)?) -> Delivery {
    guard let isolation else { return anywhere }
    // With the lock open: an actor that is held here for a moment may go with it. The caller is on the actor, so nobody
    // asks for the same one at the same time.
    let all = deliveries.withLock { $0 }
    if let known = all.first(where: { $0.isolation === isolation }) { return known }
    let orphaned = all.filter(\.isOrphaned)
    let delivery = Delivery(isolation: isolation, of: handle)
    deliveries.withLock { deliveries in
      deliveries.removeAll { delivery in orphaned.contains { $0 === delivery } }
      deliveries.append(delivery)
    }
    return delivery
  }

  // MARK: Changes made elsewhere

  /// Lets lists and texts know which edits of the document are not visible yet. Under the document's lock, so that
  /// no write falls in between.
  package func note(_ patch: Patch) {
    var live = noteLists(patch, besides: nil)
    if partlyReadCount.load(ordering: .relaxed) > 0 { live += keepFormer(patch) }
    // What they hold may be the user's, and goes with the lock released.
    if !live.isEmpty { noted.withLock { $0 += live } }
  }

  /// Lets collections know what their unread keys show until the patch is delivered. Actors see that by their views.
  private func keepFormer(_ patch: Patch) -> [ObjectTable.Live] {
    var found: [ObjectTable.Live] = []
    // Entries of one collection mostly follow one another.
    var last: (object: ObjectID, core: KeyedCore?)?
    for entry in patch.entries {
      if last?.object != entry.object {
        let live = resident(entry.object)
        if case .keyed(let core)? = live { last = (entry.object, core) } else { last = (entry.object, nil) }
        if let live { found.append(live) }
      }
      last?.core?.keepFormer(entry)
    }
    return found
  }

  /// - Parameter written: which knows already.
  /// - Returns: What shows the lists and texts, for the caller to release with the lock open.
  func noteLists(_ patch: Patch, besides written: ObjectID?) -> [ObjectTable.Live] {
    var noted: [ObjectTable.Live] = []
    // Entries of one list mostly follow one another.
    var last: (object: ObjectID, live: ObjectTable.Live?)?
    func resident(_ object: ObjectID) -> ObjectTable.Live? {
      if let last, last.object == object { return last.live }
      let found = object == written ? nil : self.resident(object)
      if let found { noted.append(found) }
      last = (object, found)
      return found
    }
    for edits in patch.sequences { resident(edits.object)?.note(edits.edits) }
    for entry in patch.entries {
      guard case .element(let dot) = entry.key else { continue }
      resident(entry.object)?.note(altered: dot)
    }
    return noted
  }

  /// Leads a patch to the instances it concerns.
  package func deliver(_ patch: Patch) {
    let noted = noted.withLock { noted in
      defer { noted = [] }
      return noted
    }
    defer { withExtendedLifetime(noted) {} }
    // Actors look for what concerns them when it is delivered there: until then they may open more.
    let here = concerned(by: patch, on: anywhere)
    let actors = deliveries.withLock { $0 }
    batch {
      if !here.subjects.isEmpty || !here.gone.isEmpty { anywhere.add(here.subjects, gone: here.gone, of: self) }
      for delivery in actors { delivery.arrived(in: self) }
      // Readers that read an object through a reference and released its instance.
      lives.touch(here.unheld)
    }
  }

  /// What patches concern of the instances of one delivery.
  struct Concerned {
    var subjects = Subjects()
    var gone: [ObjectTable.Live] = []
    /// Objects that nobody holds.
    var unheld: [ObjectID] = []
  }

  func concerned(by patches: [Patch], on delivery: Delivery) -> Concerned {
    var concerned = Concerned()
    // Each is looked at where it stands: a copy would retain all that it tells.
    for place in patches.indices { add(patches[place], on: delivery, isFirst: place == 0, to: &concerned) }
    return concerned
  }

  private func concerned(by patch: Patch, on delivery: Delivery) -> Concerned {
    var concerned = Concerned()
    add(patch, on: delivery, isFirst: true, to: &concerned)
    return concerned
  }

  private func add(_ patch: Patch, on delivery: Delivery, isFirst: Bool, to concerned: inout Concerned) {
    // What the table hands out is released here, outside its lock.
    var (holders, sequences, removed) = table.withLock { table in
      (
        patch.entries.indices.map { table.resident(patch.entries[$0].object) },
        patch.sequences.map { table.resident($0.object) },
        patch.removedObjects.map { table.resident($0) }
      )
    }
    for place in holders.indices {
      // Handed on, which counts no reference.
      var holder: ObjectTable.Live?
      swap(&holder, &holders[place])
      guard let live = consume holder else {
        concerned.unheld.append(patch.entries[place].object)
        continue
      }
      let conflictsChanged = patch.entries[place].conflictsChanged
      guard
        let subject = live.subject(at: patch.entries[place].key, conflictsChanged: conflictsChanged, on: delivery)
      else { continue }
      // A patch has one entry for a slot.
      if isFirst, subject.isOfOneSlot {
        concerned.subjects.add(new: subject)
      } else {
        concerned.subjects.add(subject)
      }
    }
    for case let live? in sequences where live.delivery === delivery {
      if let subject = live.subjectOfSequence { concerned.subjects.add(subject) }
    }
    for (live, object) in zip(removed, patch.removedObjects) {
      guard let live else {
        concerned.unheld.append(object)
        continue
      }
      if live.delivery === delivery { concerned.gone.append(live) }
    }
  }

  /// Whether the object is there, as one sees it who reads on an isolation.
  func isLive(_ object: ObjectID, on delivery: Delivery) -> Bool {
    handle.readViews { document, views in
      if let view = views[delivery.reader] { return view.isLive(object, in: document) }
      return document.isLive(object)
    }
  }

  /// Runs `body` with no remote change becoming visible to models that were opened on no isolation.
  /// What arrives during it is delivered when it ends.
  public func withConsistentRead<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result
  {
    let delivery = delivery(on: nil)
    delivery.hold(self)
    defer { delivery.release(self) }
    return try body()
  }
}

/// Why a model could not be opened.
public struct ModelError: Error, Sendable, CustomStringConvertible {
  /// The cause, to switch on.
  public enum Code: Sendable, Hashable {
    /// The object is open as an instance of another class.
    case otherClass
    /// The object is open on another actor.
    case otherIsolation
    /// A property of the class, or of a model that it holds, has another default each time.
    case varyingDefault
  }

  /// The cause.
  public var code: Code
  /// What happened and what to do.
  public var message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
