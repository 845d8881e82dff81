public import StarlingCore

extension _Replicated {
  /// A plain array of values or models: a list whose elements keep their identity, read as a whole.
  ///
  /// A write is the difference to what the user saw: an element that stands elsewhere afterwards is moved, a value
  /// replaced by one other is set in its element, all else is removed and inserted. Equal values stand for each other
  /// in their order; models are told apart as instances.
  ///
  /// - Complexity: a write is O(*m* log *m*) in the stretch that differs and O(log *n*) in the elements, besides the copy
  ///   of the array that a change in place makes and one comparison of the two, both of plain memory (`CommonEnds`). A
  ///   delivery of *m* changed elements is O(*m* log *n*), besides one copy and one comparison of the same kind.
  public struct ArrayCoding<Elements: KeyedElements>: PlainCoding {
    /// What the arrays hold.
    public typealias Element = Elements.Element

    @usableFromInline let elements: Elements

    /// Codes arrays whose elements `elements` codes.
    @inlinable
    public init(elements: Elements) {
      self.elements = elements
    }

    @inlinable public var shape: FieldShape { .members(.list) }

    public func isSame(_ old: [Element], _ new: [Element]) -> Bool {
      old.count == new.count && CommonEnds.prefix(old, new, isSame: elements.isSame) == old.count
    }

    public func write(
      from old: [Element], to new: [Element], default: [Element], at place: Place
    ) -> FieldWrite {
      guard let difference = elements.difference(from: old, to: new) else { return .nothing }
      if difference.repeatsElements {
        ModelIncident.report(.attachedTwice(type: "\(Element.self)"))
        return .nothing
      }
      let start = difference.seen.lowerBound
      var steps: [ListWrites.Step] = []
      for (element, step) in zip(new[difference.wanted], difference.steps) {
        switch step {
        case .kept(let index): steps.append(.kept(start + index))
        case .moved(let index): steps.append(.moved(start + index))
        case .rewritten(let index):
          guard let write = elements.write(element, at: place, isDerived: false) else { return .nothing }
          steps.append(.rewritten(start + index, write))
        case .new:
          guard let write = elements.write(element, at: place, isDerived: false) else { return .nothing }
          steps.append(.new(write))
        }
      }
      var whole: [FieldWrite]?
      if !`default`.isEmpty, !place.isWritten {
        whole = []
        for element in new {
          guard let write = elements.write(element, at: place, isDerived: false) else { return .nothing }
          whole!.append(write)
        }
      }
      return .list(ListWrites(seenCount: old.count, stretch: difference.seen, steps: steps, whole: whole))
    }

    public func read(
      _ reading: FieldReading, default: [Element], present: [Element], at place: Place
    ) -> [Element]? {
      guard !reading.isUnwritten else { return `default` }
      return reading.members.compactMap { elements.element($0.visible, at: place) }
    }

    public func catchUp(
      _ present: [Element], _ changes: ListChanges, at place: Place
    ) -> (content: [Element], unread: [FieldReading.Member])? {
      changes.caughtUp(present) { elements.element($0, at: place) }
    }

    public func unread(of reading: FieldReading, in content: [Element], at place: Place) -> [FieldReading.Member] {
      if reading.isUnwritten || content.count == reading.members.count { return [] }
      return reading.members.filter { !elements.isReadable($0.visible, at: place) }
    }

    /// What another thread inserted and removed stands.
    public func merge(_ present: [Element], from old: [Element], to new: [Element]) -> [Element] {
      if isSame(present, old) { return new }
      let (presentNames, oldNames, newNames) = (names(of: present), names(of: old), names(of: new))
      let (isPresent, wasThere, isWanted) = (Set(presentNames), Set(oldNames), Set(newNames))
      // By the element that each follows, of those that stay; nil for those at the front.
      var arrivals: [Name?: [Element]] = [:]
      var last: Name?
      for (name, element) in zip(presentNames, present) {
        if isWanted.contains(name) {
          last = name
        } else if !wasThere.contains(name) {
          arrivals[last, default: []].append(element)
        }
      }
      var result = arrivals[nil] ?? []
      for (name, element) in zip(newNames, new) {
        if isPresent.contains(name) || !wasThere.contains(name) { result.append(element) }
        result += arrivals[name] ?? []
      }
      return result
    }

    /// An element among its equals.
    private struct Name: Hashable {
      var identity: Elements.Identity
      var occurrence: Int
    }

    private func names(of content: [Element]) -> [Name] {
      var counts: [Elements.Identity: Int] = [:]
      return content.map { element in
        let identity = elements.identity(of: element)
        counts[identity, default: 0] += 1
        return Name(identity: identity, occurrence: counts[identity]!)
      }
    }
  }
}

extension KeyedElements {
  /// The element that a slot of a list shows; nil if it is of another kind.
  func element(_ visible: Visible, at place: Place) -> Element? {
    switch visible {
    case .value(.object(.map), let dot) where holdsObjects:
      let object = ObjectID.assigned(by: dot)
      return instance(of: object, Lineage(base: object), at: place)
    case .value(let value, by: _): return self.value(value, at: place)
    case .absent, .count, .container: return nil
    }
  }

  func isReadable(_ visible: Visible, at place: Place) -> Bool {
    switch visible {
    case .value(.object(.map), by: _) where holdsObjects: true
    case .value(let value, by: _): self.value(value, at: place) != nil
    case .absent, .count, .container: false
    }
  }
}

extension _Replicated {
  /// Changes to the elements of an array that is read as a whole.
  public struct ListWrites {
    /// An element that stands in the stretch afterwards. Indices count in what the user saw.
    enum Step {
      case kept(Int)
      case moved(Int)
      case rewritten(Int, FieldWrite)
      case new(FieldWrite)

      var isNew: Bool { write != nil }

      /// What a new element writes.
      var write: FieldWrite? {
        if case .new(let write) = self { write } else { nil }
      }
    }

    /// How many elements the user saw.
    var seenCount: Int
    /// The part of them that is altered.
    var stretch: Range<Int>
    /// What stands there afterwards.
    var steps: [Step]
    /// Everything that must stand there if the list was never written and its default is not empty; nil where the
    /// default is empty.
    var whole: [FieldWrite]?

    /// The writes of new elements and values.
    var writes: [FieldWrite] {
      steps.compactMap {
        switch $0 {
        case .rewritten(_, let write), .new(let write): write
        case .kept, .moved: nil
        }
      }
    }
  }
}
