public import StarlingCore

extension _Replicated {
  /// A plain `Set`: merged member by member, an addition winning over a concurrent removal, and read
  /// as a whole.
  ///
  /// - Complexity: a write is O(*n*) in the members, for it compares what was with what is to be.
  public struct SetCoding<Element: ReplicatedKey>: PlainCoding {
    /// The coding holds no state.
    @inlinable public init() {}
    @inlinable public var shape: FieldShape { .members(.set) }
    public func isSame(_ old: Set<Element>, _ new: Set<Element>) -> Bool { old == new }

    public func write(
      from old: Set<Element>, to new: Set<Element>, default: Set<Element>, at place: Place
    ) -> FieldWrite {
      var changes: [(key: Key, value: Value?)] = []
      for element in new where !old.contains(element) { changes.append((element.replicatedKey, SetCoding.member)) }
      for element in old where !new.contains(element) { changes.append((element.replicatedKey, nil)) }
      let whole = `default`.isEmpty ? nil : new.map { (key: $0.replicatedKey, value: SetCoding.member) }
      return .members(MemberWrites(kind: .set, changes: changes, whole: whole))
    }

    public func read(
      _ reading: FieldReading, default: Set<Element>, present: Set<Element>, at place: Place
    ) -> Set<Element>? {
      guard !reading.isUnwritten else { return `default` }
      return Set(reading.members.compactMap { Element(replicatedKey: $0.key) })
    }

    /// Members whose keys spell no element.
    public func unread(of reading: FieldReading, in content: Set<Element>, at place: Place) -> [FieldReading.Member] {
      if reading.isUnwritten || content.count == reading.members.count { return [] }
      return reading.members.filter { Element(replicatedKey: $0.key) == nil }
    }

    /// What another thread did to other members stands.
    public func merge(_ present: Set<Element>, from old: Set<Element>, to new: Set<Element>) -> Set<Element> {
      present == old ? new : present.subtracting(old.subtracting(new)).union(new.subtracting(old))
    }

    static var member: Value { .bool(true) }
  }

  /// A plain dictionary of values: merged key by key and read as a whole.
  public struct DictionaryCoding<K: ReplicatedKey, Element: SlotCoding>: PlainCoding {
    @usableFromInline let element: Element

    /// Codes dictionaries whose values `element` codes.
    @inlinable
    public init(element: Element) {
      self.element = element
    }

    @inlinable public var shape: FieldShape { .members(.dictionary) }

    public func isSame(_ old: [K: Element.Content], _ new: [K: Element.Content]) -> Bool {
      old.count == new.count
        && old.allSatisfy { key, value in new[key].map { element.isSame(value, $0) } ?? false }
    }

    public func write(
      from old: [K: Element.Content], to new: [K: Element.Content], default: [K: Element.Content], at place: Place
    ) -> FieldWrite {
      var changes: [(key: Key, value: Value?)] = []
      for (key, value) in new where !(old[key].map { element.isSame($0, value) } ?? false) {
        guard let encoded = element.encode(value, at: place) else { return .nothing }
        changes.append((key.replicatedKey, encoded))
      }
      for key in old.keys where new[key] == nil { changes.append((key.replicatedKey, nil)) }
      let whole =
        `default`.isEmpty
        ? nil
        : new.compactMap { key, value in
          element.encode(value, at: place).map { (key: key.replicatedKey, value: $0) }
        }
      return .members(MemberWrites(kind: .dictionary, changes: changes, whole: whole))
    }

    public func read(
      _ reading: FieldReading, default: [K: Element.Content], present: [K: Element.Content], at place: Place
    ) -> [K: Element.Content]? {
      guard !reading.isUnwritten else { return `default` }
      var result: [K: Element.Content] = [:]
      for member in reading.members {
        guard let key = K(replicatedKey: member.key), case .value(let value, by: _) = member.visible,
          let decoded = element.decode(value, at: place)
        else { continue }
        result[key] = decoded
      }
      return result
    }

    public func unread(
      of reading: FieldReading, in content: [K: Element.Content], at place: Place
    ) -> [FieldReading.Member] {
      if reading.isUnwritten || content.count == reading.members.count { return [] }
      return reading.members.filter { K(replicatedKey: $0.key).flatMap { content[$0] } == nil }
    }

    /// What another thread did to other keys stands.
    public func merge(
      _ present: [K: Element.Content], from old: [K: Element.Content], to new: [K: Element.Content]
    ) -> [K: Element.Content] {
      guard !isSame(present, old) else { return new }
      var result = present
      for (key, value) in new where !(old[key].map { element.isSame($0, value) } ?? false) { result[key] = value }
      for key in old.keys where new[key] == nil { result[key] = nil }
      return result
    }
  }
}

extension FieldReading {
  /// Whether nobody ever wrote the container: its default shows.
  var isUnwritten: Bool { visible == .absent && members.isEmpty }
}
