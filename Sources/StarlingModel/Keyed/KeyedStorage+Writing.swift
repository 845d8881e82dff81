import StarlingCore
import StarlingGraph

// What is written to a keyed collection here. Several changes are one change of the document. Each type that follows from
// the type of the elements is looked up at run time in every function that names it. So what does not depend on that is
// in `KeyedCore`, and what does is inlined into few.
//
//   differs? ─ what the document must be told ─┐ lock ─ document, members ─ unlock │ tell who read it
extension KeyedStorage {
  /// Puts an element under a key, or nothing there.
  func set(_ element: Element?, at key: Key, isDerived: Bool = false) {
    guard let attachment, let elements else {
      return batch { setDetached(element, at: key, isDerived: isDerived) }
    }
    guard differs(element, at: key, elements), !attachment.refusesWrite(under: propertyKey),
      let change = change(element, at: key, isDerived: isDerived, elements, attachment)
    else { return }
    perform(change, [], attachment)
  }

  func write(_ changes: [(key: Key, element: Element?)]) {
    guard let attachment, let elements else {
      return batch { for (key, element) in changes { setDetached(element, at: key, isDerived: false) } }
    }
    read(changes.map(\.key))
    var prepared: [KeyedChange] = []
    for (key, element) in changes where differs(element, at: key, elements) {
      if attachment.refusesWrite(under: propertyKey) { return }
      if let change = change(element, at: key, isDerived: false, elements, attachment) { prepared.append(change) }
    }
    guard let first = prepared.first else { return }
    perform(first, Array(prepared.dropFirst()), attachment)
  }

  @inline(__always)
  private func differs(_ element: Element?, at key: Key, _ elements: any KeyedElements<Element>) -> Bool {
    guard let element else { return member(at: key) != nil }
    return !isUnchanged(element, at: key, elements)
  }

  /// Nil for what cannot stand there.
  @inline(__always)
  private func change(
    _ element: Element?, at key: Key, isDerived: Bool, _ elements: any KeyedElements<Element>, _ attachment: Attachment
  ) -> KeyedChange? {
    guard let element else { return ElementChange<Element>(nil, at: key, .remove, isDerived: isDerived, in: self) }
    return elements.write(element, at: attachment.place(key), isDerived: isDerived).map {
      ElementChange(element, at: key, $0, isDerived: isDerived, in: self)
    }
  }

  // MARK: On its own

  private func setDetached(_ element: Element?, at key: Key, isDerived: Bool) {
    if let element, isUnchanged(element, at: key, elements) { return }
    let member = element.map { Member.element($0, isDerived: isDerived) }
    if isDerived, !insert(member, at: key) { return }
    let old = isDerived ? nil : replace(member, at: key)
    if old == nil, element == nil { return }
    tellWritten(key)
    if (old == nil) != (element == nil) { tellStructure() }
  }

  @inline(__always)
  private func isUnchanged(_ element: Element, at key: Key, _ elements: (any KeyedElements<Element>)?) -> Bool {
    switch member(at: key) {
    case nil: return false
    case .element(let present, isDerived: _)?:
      return elements?.isSame(present, element) ?? areEqual(present, element) ?? false
    case .object(let object, _, _)?:
      // An object without an instance is none that anybody could assign.
      guard case .model(let resident)? = attachment?.space.resident(object),
        let present = resident.model as? Element
      else { return false }
      return elements?.isSame(present, element) ?? false
    }
  }

  /// - Returns: Whether nothing stood there.
  private func insert(_ member: Member<Element>?, at key: Key) -> Bool {
    withMembers { members in
      guard members[key] == nil else { return false }
      members.set(member, at: key)
      return true
    }
  }
}

/// One key that is written with an element.
private final class ElementChange<Element>: KeyedChange {
  private let storage: KeyedStorage<Element>
  private let element: Element?
  /// What stood there leaves with the change, after every lock.
  private var old: Member<Element>?

  init(_ element: Element?, at key: Key, _ write: FieldWrite, isDerived: Bool, in storage: KeyedStorage<Element>) {
    self.storage = storage
    self.element = element
    super.init(key: key, write: write, isDerived: isDerived, comes: element != nil)
  }

  override var isMadeElsewhere: Bool { storage.withMembers { $0[key] } != nil }

  override func replace() {
    old = storage.replace(member, at: key)
    switch old {
    case nil: break
    case .element?: wasThere = true
    case .object(let object, _, _)?: (wasThere, gone) = (true, object)
    }
  }

  @inline(__always)
  private var member: Member<Element>? {
    guard let element else { return nil }
    guard let (object, lineage) = storage.elements?.object(of: element) else {
      return .element(element, isDerived: false)
    }
    return .object(object, lineage, nil)
  }
}
