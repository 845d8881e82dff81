import StarlingCore
public import StarlingGuard

/// The members of a keyed collection and their lock. Going over many of them is compiled into the application, as each
/// type that follows from the element's is looked up with every step elsewhere.
@usableFromInline final class GuardedMembers<Element>: @unchecked Sendable {
  // Sendable: guarded by `lock`.
  @usableFromInline let lock = Guard()
  @usableFromInline var members = KeyedMembers<Element>()

  /// Nil for what is missing, and what is unread or not decoded yet.
  @inline(__always)
  func member(at key: Key, isSettled: inout Bool) -> Member<Element>? {
    lock.lock()
    defer { lock.unlock() }
    let row: Int?
    (row, isSettled) = members.keys.look(at: key)
    guard let row, row < members.members.count else { return nil }
    return members.members[row]
  }

  /// - Returns: What stood there.
  @inline(__always)
  func set(_ member: Member<Element>?, at key: Key) -> Member<Element>? {
    lock.lock()
    defer { lock.unlock() }
    return members.set(member, at: key)
  }

  /// The element in a row; nil for an object of the document too, and where the rows are other keys' by now.
  @inlinable func element(inRow row: Int, of layout: Int) -> Element? {
    lock.lock()
    defer { lock.unlock() }
    guard members.keys.layout == layout, row < members.members.count,
      case .element(let element, _)? = members.members[row]
    else { return nil }
    return element
  }
}

/// The members of a keyed collection, as far as its keys are known.
@usableFromInline struct KeyedMembers<Element> {
  @usableFromInline var keys = KnownKeys()
  /// By the rows of their keys; nil where there is none, or none yet.
  @usableFromInline var members: [Member<Element>?] = []

  /// Nil for what is missing, and what is unread or not decoded yet.
  subscript(key: Key) -> Member<Element>? {
    guard let row = keys.row(of: key), row < members.count else { return nil }
    return members[row]
  }

  /// The element under a key; nil also for an object of the document.
  func element(at key: Key) -> Element? {
    guard let row = keys.row(of: key), row < members.count, case .element(let element, _)? = members[row] else {
      return nil
    }
    return element
  }

  /// All members, in no order.
  var all: [(key: Key, member: Member<Element>)] {
    keys.members.compactMap { place in members[place.row].map { (place.key, $0) } }
  }

  /// - Returns: What stood there.
  @inline(__always)
  @discardableResult
  mutating func set(_ member: Member<Element>?, at key: Key) -> Member<Element>? {
    guard let member else { return keys.putMissing(at: key).flatMap { exchange(nil, $0) } }
    return exchange(member, keys.putMember(at: key))
  }

  /// What is stored has been decoded; nil for what this program cannot read.
  ///
  /// - Returns: Whether each was still to be decoded.
  mutating func settle(_ stored: [KnownKeys.Stored], _ found: [Member<Element>?], isMissing: [Bool]) -> [Bool] {
    let wasStored = stored.indices.map { keys.settle(stored[$0].row, isMissing: isMissing[$0]) }
    let rows = members.count..<members.count + stored.count
    if wasStored.allSatisfy(\.self), stored.indices.allSatisfy({ stored[$0].row == rows.lowerBound + $0 }) {
      // As it is where all were read at once: no member is copied by itself, or none at all.
      if members.isEmpty { members = found } else { members += found }
      return wasStored
    }
    for place in stored.indices where wasStored[place] { _ = exchange(found[place], stored[place].row) }
    return wasStored
  }

  /// From now on nothing is known.
  ///
  /// - Returns: What was, for the caller to release with every lock open.
  mutating func forgetAll() -> KeyedMembers {
    let old = self
    self = KeyedMembers()
    keys = .unread(after: old.keys)
    return old
  }

  init() {}

  @inline(__always)
  private mutating func exchange(_ member: Member<Element>?, _ row: Int) -> Member<Element>? {
    if row >= members.count {
      if member == nil { return nil }
      while members.count < row { members.append(nil) }
      members.append(member)
      return nil
    }
    let old = members[row]
    members[row] = member
    return old
  }
}
