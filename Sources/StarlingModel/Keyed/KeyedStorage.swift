import StarlingCore
import StarlingEngine
import StarlingGraph
import StarlingGuard

/// The members of a keyed collection, and the readers of each.
final class KeyedStorage<Element>: KeyedCore, @unchecked Sendable {
  // Sendable: the members are guarded, `elements` is set once. Elements that are not Sendable stay
  // with the isolation of the model that owns the collection, for the collection is not Sendable then.
  let members = GuardedMembers<Element>()
  private let elements_ = Once<any KeyedElements<Element>>()
  let keys = KeyedSources<Key>()
  let countSource = Source()
  let structure = Source()

  deinit {
    if let attachment, !members.members.keys.isWhole { noteWhole(in: attachment) }
  }

  var elements: (any KeyedElements<Element>)? { elements_.ifMade }

  func use(_ elements: any KeyedElements<Element>) {
    _ = elements_.value { elements }
  }

  func withMembers<Result>(_ body: (inout KeyedMembers<Element>) -> Result) -> Result {
    members.lock.withLock { body(&members.members) }
  }

  // MARK: Reading

  func contains(_ key: Key) -> Bool {
    note { keys.track(key, in: home) }
    return member(at: key) != nil
  }

  func element(_ key: Key) -> Element? {
    note { keys.track(key, in: home) }
    return present(key)
  }

  /// In a model of the past: what the key would stand for, had somebody written it.
  func unwrittenOfPast(at key: Key) -> Element? {
    guard let attachment, attachment.space.isPast else { return nil }
    return elements?.instance(
      of: .derived(parent: object, key: key, kind: .map), lineage.appending(key, .map), at: attachment.place(key))
  }

  /// The element, noted for nobody.
  func present(_ key: Key) -> Element? {
    if let element = withMembers({ $0.element(at: key) }) { return element }
    guard let member = member(at: key) else { return nil }
    return resolve(member, key)
  }

  override func forgetInstance(at key: Key) {
    // The instance goes with the lock released.
    let old: Member<Element>? = withMembers { members in
      guard case .object(let object, let lineage, _?)? = members[key] else { return nil }
      defer { members.set(.object(object, lineage, nil), at: key) }
      return members[key]
    }
    withExtendedLifetime(old) {}
  }

  override func shown(at key: Key) -> Any? { present(key) }

  var count: Int {
    note { countSource.track(in: home) }
    readAll()
    return withMembers { $0.keys.count }
  }

  /// The keys that are there, in canonical order.
  func allKeys() -> [Key] {
    note { structure.track(in: home) }
    return presentKeys()
  }

  /// The same with the rows of their members, and the layout in which these are so.
  func allRows() -> (rows: [KeyRow], layout: Int) {
    note { structure.track(in: home) }
    readAll()
    return withMembers { ($0.keys.sorted(), $0.keys.layout) }
  }

  /// Notes a read for whoever observes: the graph, or the standard library.
  private func note(_ track: () -> Void) {
    observation.note(track)
  }

  /// The same, noted for nobody.
  func presentKeys() -> [Key] {
    readAll()
    return withMembers { $0.keys.sorted() }.map(\.key)
  }

  private func resolve(_ member: Member<Element>, _ key: Key) -> Element? {
    switch member {
    case .element(let element, isDerived: _): return element
    case .object(_, _, let instance?): return instance
    case .object(let object, let lineage, nil):
      guard let attachment, let instance = elements?.instance(of: object, lineage, at: attachment.place(key)) else {
        return nil
      }
      guard isTracking else {
        attachment.space.lives.track(object)
        return instance
      }
      withMembers { members in
        guard case .object(object, _, nil)? = members[key] else { return }
        members.set(.object(object, lineage, instance), at: key)
      }
      return instance
    }
  }

  // MARK: Writing

  /// - Returns: What stood there; it was decoded, since whoever writes or stores has looked before.
  @inline(__always)
  func replace(_ member: Member<Element>?, at key: Key) -> Member<Element>? { members.set(member, at: key) }

  override func tellWritten(_ key: Key) {
    keys.touch(key, in: home)
    observation.tell()
  }

  override func tellStructure() {
    countSource.touch(in: home)
    structure.touch(in: home)
  }

  // MARK: Changes made elsewhere

  private final class Pending {
    var member: Member<Element>?
    var wasThere = false
    /// Nobody had read the key when the member was to be decoded, so it was not.
    let isUnread: Bool

    init(_ member: Member<Element>?, isUnread: Bool = false) {
      self.member = member
      self.isUnread = isUnread
    }
  }

  override func decode(_ visible: Visible, at key: Key) -> AnyObject? {
    guard let elements, let attachment else { return nil }
    guard settle(key) else { return Pending(nil, isUnread: true) }
    let present = withMembers { $0[key] }
    let new = decoded(visible, at: key, elements, attachment)
    let isUnreadable = new == nil && visible != .absent
    attachment.space.unreadable.note(
      isUnreadable ? [unreadable(visible, at: key, attachment)] : [], at: key, of: object)
    switch (present, new) {
    case (nil, nil): return nil
    case (.element(let old, _)?, .element(let new, _)?) where elements.isSame(old, new): return nil
    case (.object(let old, _, _)?, .object(let new, _, _)?) where old == new: return nil
    default: return Pending(new)
    }
  }

  override func standing(of pending: AnyObject, at key: Key) -> PendingStanding {
    guard unsafeDowncast(pending, to: Pending.self).isUnread else { return .shown }
    return withMembers { members in
      if members.keys.isKnown(key) { return .outOfDate }
      members.keys.dropFormer(at: key)
      return .unread
    }
  }

  override func keepFormer(_ entry: Patch.Entry) {
    if attachment?.delivery.reader == nil { withMembers { $0.keys.keepFormer(entry.from, at: entry.key) } }
  }

  override func store(_ pending: AnyObject, at key: Key) {
    let pending = unsafeDowncast(pending, to: Pending.self)
    let old = replace(pending.member, at: key)
    pending.wasThere = old != nil
    let isThere = pending.member != nil
    // What was there leaves with this call, after the lock.
    pending.member = old
    arrived.withLock { $0[key] = (isThere != pending.wasThere) }
    if case .object(let object, _, _)? = old { departed.withLock { $0.append(object) } }
  }

  /// What `store` did under the lock and `tell` must act on: whether a key came or went, and which
  /// objects left.
  private let arrived = Guarded([Key: Bool]())
  private let departed = Guarded([ObjectID]())

  override func tell(_ key: Key) {
    tellWritten(key)
    if arrived.withLock({ $0.removeValue(forKey: key) }) == true { tellStructure() }
    let gone = departed.withLock { gone in
      defer { gone = [] }
      return gone
    }
    for object in gone { attachment?.space.remove(object) }
  }

  // MARK: Entering a document

  /// What the collection must write to stand in a document as it does here.
  func planting(at place: Place, _ elements: any KeyedElements<Element>, kind: Kind) -> KeyedPlanting<Element>? {
    use(elements)
    if let attachment {
      if attachment.object != place.attachment.object { ModelIncident.report(.attachedTwice(type: "collection")) }
      return nil
    }
    return KeyedPlanting(self, at: place, elements)
  }

  /// Stands in for what the document holds from now on.
  ///
  /// - Returns: What does that already; otherwise itself.
  func open(at place: Place, _ elements: any KeyedElements<Element>, kind: Kind) -> KeyedStorage {
    use(elements)
    if let standing = stand(at: place, kind) { return unsafeDowncast(standing, to: KeyedStorage.self) }
    show()
    return self
  }

  override func show() {
    guard let owner = attachment else { return }
    let displaced = owner.space.register(.keyed(self), at: object)
    defer { withExtendedLifetime(displaced) {} }
    if leavesMembers(in: owner) { return }
    let keys = owner.space.handle.readViews(ofAllIn: object) { document, views in
      document.keys(in: object) + (views[owner.delivery.reader]?.document.keys(in: object) ?? [])
    }
    owner.space.refresh(
      Set(keys + presentKeys()).sorted().map { Subject(attachment: owner, member: $0, of: self) })
  }

  func snapshot() -> [(key: Key, element: Element, isDerived: Bool)] {
    withMembers { $0.all }.sorted { $0.key < $1.key }.compactMap { key, member in
      guard case .element(let element, let isDerived) = member else { return nil }
      return (key, element, isDerived)
    }
  }

  /// Under the document's lock: the element has become an object of the document.
  func settle(_ element: Element, at key: Key, _ elements: any KeyedElements<Element>) -> Member<Element>? {
    guard let (object, lineage) = elements.object(of: element) else { return nil }
    return replace(.object(object, lineage, element), at: key)
  }
}
