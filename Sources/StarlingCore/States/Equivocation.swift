/// A dot that has one content in one state and another content in a second state.
///
/// A replica uses each dot once, so whoever writes under that replica id signed two different operations with one name.
public struct Equivocation: Hashable, Sendable {
  public var dot: Dot

  public init(_ dot: Dot) { self.dot = dot }

  public var replica: ReplicaID { dot.replica }
}

extension Snapshot {
  /// The dots that both states hold, with different contents. Ascending.
  ///
  /// What one state holds and the other lacks is no equivocation: somebody else may have removed it.
  ///
  /// - Complexity: O(entries, shares, items and marks of both)
  public func equivocations(with other: Snapshot) -> [Equivocation] {
    let (mine, theirs) = (DottedContents(self), DottedContents(other))
    return mine.equivocations(with: theirs).sorted().map(Equivocation.init)
  }
}

/// What each dot of a state names: all that its writer alone decides.
private struct DottedContents {
  private enum Content: Hashable {
    case entry(ObjectID, Key, Stamp, Value)
    case shareBirth(ObjectID, Key)
    /// Of increments only the last one of a share is known, with the sum up to it.
    case shareTotal(ObjectID, Key, birth: UInt64, total: Int64, Stamp)
    case mark(ObjectID, Mark)
  }

  private struct Item: Hashable {
    var object: ObjectID
    var anchor: Edge
    /// What it was inserted as, where that is known: of a removed item it is not.
    var scalar: Unicode.Scalar?
    var moved: Dot?

    func contradicts(_ other: Item) -> Bool {
      if object != other.object || anchor != other.anchor { return true }
      if let scalar, let theirs = other.scalar, scalar != theirs { return true }
      if let moved, let theirs = other.moved, moved != theirs { return true }
      return scalar != nil && other.moved != nil || moved != nil && other.scalar != nil
    }
  }

  private var contents: [Dot: Set<Content>] = [:]
  private var items: [Dot: Item] = [:]

  init(_ snapshot: Snapshot) {
    for object in snapshot.objects {
      for slot in object.slots { add(slot, of: object.id) }
      guard let sequence = object.sequence else { continue }
      for mark in sequence.marks { contents[mark.dot, default: []].insert(.mark(object.id, mark)) }
      sequence.forEachRun { add($0, $1, of: object.id) }
    }
  }

  private mutating func add(_ slot: Snapshot.Slot, of object: ObjectID) {
    for entry in slot.entries {
      contents[entry.dot, default: []].insert(.entry(object, slot.key, entry.stamp, entry.value))
    }
    for share in slot.shares {
      contents[Dot(share.replica, share.birth), default: []].insert(.shareBirth(object, slot.key))
      contents[Dot(share.replica, share.last), default: []].insert(
        .shareTotal(object, slot.key, birth: share.birth, total: share.total, share.stamp))
    }
  }

  private mutating func add(_ run: Snapshot.Run, _ text: ArraySlice<UInt8>, of object: ObjectID) {
    var scalars: [Unicode.Scalar]?
    var moved: Dot?
    if case .text = run.content { scalars = Array(String(decoding: text, as: UTF8.self).unicodeScalars) }
    if case .moved(let element, _) = run.content { moved = element }
    var anchor = run.anchor
    for offset in 0..<run.content.count {
      let dot = Dot(run.first.replica, run.first.counter + UInt64(offset))
      items[dot] = Item(object: object, anchor: anchor, scalar: scalars?[offset], moved: moved)
      anchor = Edge(.right, of: dot)
    }
  }

  func equivocations(with other: DottedContents) -> Set<Dot> {
    var found: Set<Dot> = []
    for (dot, mine) in contents {
      // The same dot names both the birth and the total of a share that was incremented once.
      guard let theirs = other.contents[dot], mine != theirs, !Self.agree(mine, theirs) else { continue }
      found.insert(dot)
    }
    for (dot, mine) in items {
      if let theirs = other.items[dot], mine.contradicts(theirs) { found.insert(dot) }
    }
    // One dot names either an item or something else, but for the value that a list's element begins with.
    for (dot, mine) in contents where Self.isNoElement(mine, dot) && other.items[dot] != nil { found.insert(dot) }
    for (dot, theirs) in other.contents where Self.isNoElement(theirs, dot) && items[dot] != nil { found.insert(dot) }
    return found
  }

  /// Whether everything that both say of a dot is the same; of a share, one may know the birth alone.
  private static func agree(_ mine: Set<Content>, _ theirs: Set<Content>) -> Bool {
    mine.isSubset(of: theirs) || theirs.isSubset(of: mine)
  }

  private static func isNoElement(_ contents: Set<Content>, _ dot: Dot) -> Bool {
    contents.contains { content in
      if case .entry(_, .element(dot), _, _) = content { return false }
      return true
    }
  }
}
