import StarlingCore
import StarlingEngine
import StarlingGraph
import Synchronization

// What nobody has read of a keyed collection stays in the document: a dictionary of a hundred thousand keys is opened
// like an empty one, and one key is read without the others.
//
//   lock ─ what the document shows: stored ─ unlock │ decode │ still stored? member
extension KeyedStorage {
  // MARK: What is left in the document

  /// Leaves the members in the document until somebody reads them, unless somebody has read the collection while it was
  /// on its own, and must be told what there is.
  ///
  /// A model that can be removed has its members read at once, for it keeps what it held.
  func leavesMembers(in owner: Attachment) -> Bool {
    guard owner.lineage.isForGood, !isRead else { return false }
    let old = withMembers { $0.forgetAll() }
    if owner.delivery.reader == nil { owner.space.partlyReadCount.add(1, ordering: .relaxed) }
    withExtendedLifetime(old) {}
    // Of an empty one everything is known.
    let isEmpty = owner.space.handle.readViews { document, views in
      document.keyCount(in: object) == 0 && views[owner.delivery.reader] == nil
    }
    if isEmpty { readAll() }
    // Readers from now on read the document. Those that read until now are told.
    if !isRead { return true }
    let isFirst = withMembers { members in
      defer { if !members.keys.isWhole { members.keys.finishReading() } }
      return !members.keys.isWhole
    }
    if isFirst { noteWhole(in: owner) }
    return false
  }

  private var isRead: Bool {
    observation.mayBeObserved || countSource.hasReaders(in: home) || structure.hasReaders(in: home)
      || keys.hasReaders(in: home)
  }

  /// No key is unread any more, or nobody is there to read.
  func noteWhole(in owner: Attachment) {
    if owner.delivery.reader == nil { owner.space.partlyReadCount.subtract(1, ordering: .relaxed) }
  }

  // MARK: Reading some

  /// What stands under a key.
  ///
  /// - Complexity: O(1); O(log *n*) for the first who asks for the key in a document that was opened from a log.
  @inline(__always)
  func member(at key: Key) -> Member<Element>? {
    var isSettled = false
    let member = members.member(at: key, isSettled: &isSettled)
    if isSettled { return member }
    if !settle(key) {
      read(CollectionOfOne(key))
      _ = settle(key)
    }
    return withMembers { $0[key] }
  }

  /// Decodes what was read under a key.
  ///
  /// - Returns: Whether anybody has read the key.
  func settle(_ key: Key) -> Bool {
    let (isKnown, stored) = withMembers { ($0.keys.isKnown(key), $0.keys.stored(at: key)) }
    if let stored { settle([stored]) }
    return isKnown
  }

  /// Reads what nobody has read yet of some keys.
  func read(_ keys: some Collection<Key>) {
    guard let attachment else { return }
    let unread = withMembers { members in members.keys.isWhole ? [] : keys.filter { !members.keys.isKnown($0) } }
    if unread.isEmpty { return }
    let isMostlyMissing = attachment.space.handle.readViews { document, views in
      let view = views[attachment.delivery.reader]
      return withMembers { members in
        for key in unread {
          if attachment.isGone {
            members.keys.read(.absent, at: key)
          } else if let view, view.shows(key, in: object) {
            members.keys.read(view.document.visible(key, in: object), at: key)
          } else {
            members.keys.read(document.visible(key, in: object), at: key)
          }
        }
        return members.keys.missingCount > max(64, document.keyCount(in: object))
      }
    }
    // Keys that are not there are known one by one only while they are few.
    if isMostlyMissing { readAll() }
  }

  // MARK: Reading all

  /// Reads what nobody has read yet.
  ///
  /// - Complexity: O(*n*) once, O(1) from then on.
  func readAll() {
    while true {
      let (isWhole, isSettled) = withMembers { ($0.keys.isWhole, $0.keys.isSettled) }
      if isSettled { return }
      if !isWhole { readUnread() }
      settle(withMembers { $0.keys.stored })
    }
  }

  private func readUnread() {
    guard let attachment else { return }
    let isFirst = attachment.space.handle.readViews { document, views in
      withMembers { members in
        if members.keys.isWhole { return false }
        if !attachment.isGone { members.keys.read(document, views[attachment.delivery.reader], object) }
        members.keys.finishReading()
        return true
      }
    }
    if isFirst { noteWhole(in: attachment) }
  }

  // MARK: Decoding

  /// Decodes what was read. With every lock released, as decoding may be the user's.
  private func settle(_ stored: [KnownKeys.Stored]) {
    guard let attachment, let elements else { return }
    var found: [Member<Element>?] = []
    var isMissing: [Bool] = []
    found.reserveCapacity(stored.count)
    isMissing.reserveCapacity(stored.count)
    for stored in stored {
      let member = decoded(stored.visible, at: stored.key, elements, attachment)
      isMissing.append(member == nil)
      found.append(member)
    }
    // What is stored stays so until somebody has decoded it.
    let wasStored = withMembers { $0.settle(stored, found, isMissing: isMissing) }
    for place in stored.indices where wasStored[place] && isMissing[place] {
      let (key, visible) = (stored[place].key, stored[place].visible)
      attachment.space.unreadable.note([unreadable(visible, at: key, attachment)], at: key, of: object)
    }
  }

  /// What the document shows under a key, to this program; nil for nothing, and for what is of another type.
  ///
  /// Inlined, so that what the type of the members is gets looked up once where many are decoded.
  @inline(__always)
  func decoded(
    _ visible: Visible, at key: Key, _ elements: any KeyedElements<Element>, _ attachment: Attachment
  ) -> Member<Element>? {
    switch visible {
    case .absent, .count: return nil
    case .value(.object(.map), let dot):
      guard elements.holdsObjects else { return nil }
      let id = ObjectID.assigned(by: dot)
      return .object(id, Lineage(base: id), nil)
    case .value(.derived(.map), by: _), .container(.map):
      guard elements.holdsObjects else { return nil }
      return .object(.derived(parent: object, key: key, kind: .map), lineage.appending(key, .map), nil)
    case .value(let value, by: _):
      guard let element = elements.value(value, at: attachment.place(key)) else { return nil }
      return .element(element, isDerived: false)
    case .container: return nil
    }
  }

  func unreadable(_ visible: Visible, at key: Key, _ attachment: Attachment) -> UnreadableValue {
    UnreadableValue(
      document: attachment.space.handle.id, object: object, key: key, found: visible.kindInWords,
      expected: "\(Element.self)", property: "\(attachment.schema.label(at: propertyKey)), under \(key)")
  }
}

extension Lineage {
  /// Whether nothing but another instance can take the object's place: it is a model with a name, or is declared in
  /// one.
  fileprivate var isForGood: Bool { base == .root && steps.allSatisfy { $0.kind == .map } }
}

extension KnownKeys {
  /// Notes what one sees under each key who reads on the isolation of the view.
  fileprivate mutating func read(_ document: borrowing Document, _ view: ReaderView?, _ object: ObjectID) {
    guard let view else {
      reserveCapacity(document.keyCount(in: object))
      // A document shows each key once.
      if isBlank { return document.forEachVisible(in: object) { readFirst($1, at: $0) } }
      return document.forEachVisible(in: object) { read($1, at: $0) }
    }
    view.document.forEachVisible(in: object) { if view.shows($0, in: object) { read($1, at: $0) } }
    if view.shows(object) { return }
    document.forEachVisible(in: object) { if !view.shows($0, in: object) { read($1, at: $0) } }
  }
}
