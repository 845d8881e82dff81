import StarlingCore
import StarlingEngine
import StarlingGraph
import StarlingGuard

/// What stands behind a `ReplicatedArray`: its elements as they are visible here, and sources for the count, the
/// order, what stands at each index, and each element.
///
/// ```
///   list[3]        reads  source of index 3, then of the element that stands there
///   list.count     reads  source of the count
///   for … in       reads  source of the order, then of each element that it comes to
/// ```
///
/// Elements are guarded by their own lock, the innermost, and change nested under the document's once the list is
/// attached.
final class ListStorage<Element>: SequenceCore, @unchecked Sendable {
  // Sendable: the contents are guarded, `elements` is set once. Elements that are not Sendable stay with the
  // isolation of the model that owns the list, for the list is not Sendable then.
  typealias Name = ElementOrder<Item>.Name

  /// One visible element.
  struct Item {
    var member: Member<Element>
    /// What the document calls it; nil for what is in no document yet.
    var dot: Dot?
  }

  /// What is here, guarded by the lock beside it.
  struct State {
    var order = ElementOrder<Item>()
    var names: [Dot: Name] = [:]
    var alignment = Alignment(both: 0)
    /// Whether the list stands in a document where nobody has written it yet.
    var showsDefault = false
  }

  private final class Contents: @unchecked Sendable {
    // Sendable: guarded by `lock`.
    let lock = Guard()
    var state = State()
  }

  private let contents = Contents()
  private let elements_ = Once<any KeyedElements<Element>>()
  private let countSource = Source()
  private let orderSource = Source()
  private let indexSources = KeyedSources<Int>()
  private let elementSources = KeyedSources<Name>()

  var elements: (any KeyedElements<Element>)? { elements_.ifMade }

  func use(_ elements: any KeyedElements<Element>) {
    _ = elements_.value { elements }
  }

  func withState<Result>(_ body: (inout State) -> Result) -> Result {
    contents.lock.withLock { body(&contents.state) }
  }

  // MARK: Reading

  var count: Int {
    note { countSource.track(in: home) }
    return presentCount
  }

  var presentCount: Int { withState { $0.order.count } }

  /// The names of all elements in order.
  var names: [Name] {
    note { orderSource.track(in: home) }
    return withState { $0.order.names }
  }

  func name(at index: Int) -> Name {
    note { indexSources.track(index, in: home) }
    return withState { state in
      precondition(index >= 0 && index < state.order.count, "\(index) is not within 0..<\(state.order.count).")
      return state.order.name(at: index)
    }
  }

  /// The element at an index; nil if none stands there.
  func elementIfAny(at index: Int) -> Element? {
    note { indexSources.track(index, in: home) }
    let name = withState { state in
      index >= 0 && index < state.order.count ? state.order.name(at: index) : nil
    }
    return name.flatMap { element($0) }
  }

  func index(of name: Name) -> Int? {
    note { orderSource.track(in: home) }
    return withState { $0.order.index(of: name) }
  }

  func element(_ name: Name) -> Element? {
    note { elementSources.track(name, in: home) }
    return withState { $0.order[name] }.flatMap { resolve($0, name) }
  }

  /// All elements, noted for nobody.
  var present: [(name: Name, element: Element)] {
    untracked { names.compactMap { name in element(name).map { (name, $0) } } }
  }

  override func shown(at key: Key) -> Any? {
    guard case .element(let dot) = key, let name = withState({ $0.names[dot] }) else { return nil }
    return untracked { element(name) }
  }

  override var shownDefault: [Any]? { withState { $0.showsDefault } ? present.map(\.element) : nil }

  private func note(_ track: () -> Void) {
    observation.note(track)
  }

  private func resolve(_ item: Item, _ name: Name) -> Element? {
    switch item.member {
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
      withState { state in
        guard case .object(object, _, nil)? = state.order[name]?.member else { return }
        _ = state.order.exchange(Item(member: .object(object, lineage, instance), dot: item.dot), of: name)
      }
      return instance
    }
  }

  /// The values that stand beside each other in one element, the visible one first.
  func conflicts(of name: Name) -> [Conflict<Element>] {
    note { elementSources.track(name, in: home) }
    guard let attachment, let elements, let dot = withState({ $0.order[name]?.dot }) else { return [] }
    let entries = attachment.space.handle.read { $0.entries(.element(dot), in: object) }
    guard entries.count > 1 else { return [] }
    return entries.compactMap { entry in
      elements.element(.value(entry.value, by: entry.dot), at: attachment.place(key)).map {
        Conflict(value: $0, author: entry.dot.replica, stamp: entry.stamp)
      }
    }
  }

  // MARK: Telling

  /// What a write or a delivery did, to be told with every lock released; what was displaced leaves with it.
  final class Done {
    var isGone = false
    /// Whether the steps were meant for other elements than stand there, and none was taken.
    var isStale = false
    /// Whether less was written than is shown.
    var isMisaligned = false
    /// What a move altered, elsewhere too.
    var moves: Displacement?
    var refusal: OversizedWrite?
    /// Indices at which another element stands now.
    var indices: [Range<Int>] = []
    var elements: [Name] = []
    var countChanged = false
    var orderChanged = false
    var displaced: [Item] = []
    var removed: [ObjectID] = []
    /// Elements that went before they could be written.
    var missed = 0
  }

  func tell(_ done: Done) {
    let indices = done.indices
    if !indices.isEmpty { indexSources.touch(in: home) { index in indices.contains { $0.contains(index) } } }
    if !done.elements.isEmpty { elementSources.touch(done.elements, in: home) }
    if done.countChanged { countSource.touch(in: home) }
    if done.orderChanged { orderSource.touch(in: home) }
    if done.orderChanged || !done.elements.isEmpty { observation.tell() }
    for object in done.removed { attachment?.space.remove(object) }
    for item in done.displaced {
      if case .object(let object, _, _) = item.member { attachment?.space.remove(object) }
    }
  }

  // MARK: What is written elsewhere

  override func note(_ edits: [SequenceEdit]) {
    withState { state in
      for edit in edits { state.alignment.note(edit) }
    }
  }

  override func settle(besideItems count: Int) {
    withState { $0.settle(besideItems: count) }
  }

  override func startAgain(_ document: borrowing Document) {
    withState { state in
      state.alignment = Alignment(visible: state.order.count, document: document.count(in: object))
    }
  }

  override var alignedCount: Int { withState { $0.alignment.documentCount } }

  override func readItems(_ document: borrowing Document) -> AnyObject {
    ListArrivals<Element>(alignment: withState { $0.alignment }, list: object, document)
  }

  override func decodeItems(_ reading: AnyObject) {
    guard let elements, let attachment else { return }
    let reading = unsafeDowncast(reading, to: ListArrivals<Element>.self)
    reading.decode { arrival in
      let key = Key.element(arrival.dot)
      let member = elements.member(arrival.visible, at: attachment.place(self.key))
      attachment.space.unreadable.note(
        member == nil ? [unreadable(arrival.visible, at: key, attachment)] : [], at: key, of: object)
      let present = withState { state in state.names[arrival.dot].flatMap { state.order[$0] } }
      return (member, present.map { present in member.map { !elements.isSame(present.member, $0) } ?? false } ?? false)
    }
  }

  override func storeItems(_ reading: AnyObject, _ document: borrowing Document) -> Bool {
    let reading = unsafeDowncast(reading, to: ListArrivals<Element>.self)
    return withState { state in
      if state.showsDefault, isUnwritten(in: document) { return true }
      guard state.alignment == reading.alignment, reading.isStill(in: document, of: object) else { return false }
      state.showsDefault = false
      state.catchUp(reading)
      return true
    }
  }

  override func tellItems(_ reading: AnyObject) {
    tell(unsafeDowncast(reading, to: ListArrivals<Element>.self).done)
  }

  /// Whether the element is visible, so that a change of its value concerns it alone.
  override func knows(_ key: Key) -> Bool {
    guard case .element(let dot) = key else { return false }
    return withState { $0.names[dot] != nil }
  }

  private final class Pending {
    let member: Member<Element>?
    var done = Done()
    init(_ member: Member<Element>?) { self.member = member }
  }

  override func decode(_ visible: Visible, at key: Key) -> AnyObject? {
    guard case .element(let dot) = key, let elements, let attachment,
      let present = withState({ state in state.names[dot].flatMap { state.order[$0] } })
    else { return nil }
    // What went whole is told by the order.
    if visible == .absent { return nil }
    let member = elements.member(visible, at: attachment.place(self.key))
    attachment.space.unreadable.note(
      member == nil ? [unreadable(visible, at: key, attachment)] : [], at: key, of: object)
    if let member, elements.isSame(present.member, member) { return nil }
    return Pending(member)
  }

  override func store(_ pending: AnyObject, at key: Key) {
    guard case .element(let dot) = key else { return }
    let pending = unsafeDowncast(pending, to: Pending.self)
    withState { state in
      guard let name = state.names[dot] else { return }
      guard let member = pending.member else { return state.hide(name, dot, pending.done) }
      if let old = state.order.exchange(Item(member: member, dot: dot), of: name) { pending.done.displaced.append(old) }
      pending.done.elements.append(name)
    }
    stored.withLock { $0[key] = pending.done }
  }

  /// What `store` did and `tell` must act on.
  private let stored = GuardedTable()

  /// Guarded by its lock.
  private final class GuardedTable: @unchecked Sendable {
    let lock = Guard()
    var done: [Key: Done] = [:]

    func withLock<Result>(_ body: (inout [Key: Done]) -> Result) -> Result { lock.withLock { body(&done) } }
  }

  override func tell(_ key: Key) {
    if let done = stored.withLock({ $0.removeValue(forKey: key) }) { tell(done) }
  }

  private func unreadable(_ visible: Visible, at key: Key, _ attachment: Attachment) -> UnreadableValue {
    UnreadableValue(
      document: attachment.space.handle.id, object: object, key: key, found: visible.kindInWords,
      expected: "\(Element.self)", property: "\(attachment.schema.label(at: propertyKey)), under \(key)")
  }
}

extension KeyedElements {
  /// An element as a slot of a list shows it; nil if it is of another kind.
  func member(_ visible: Visible, at place: Place) -> Member<Element>? {
    switch visible {
    case .value(.object(.map), let dot) where holdsObjects:
      let object = ObjectID.assigned(by: dot)
      return .object(object, Lineage(base: object), nil)
    case .value(let value, by: _): return self.value(value, at: place).map { .element($0, isDerived: false) }
    case .absent, .count, .container: return nil
    }
  }

  func isSame(_ old: Member<Element>, _ new: Member<Element>) -> Bool {
    switch (old, new) {
    case (.element(let old, _), .element(let new, _)): isSame(old, new)
    case (.object(let old, _, _), .object(let new, _, _)): old == new
    default: false
    }
  }
}
