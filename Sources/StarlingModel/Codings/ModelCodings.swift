public import StarlingCore

extension _Replicated {
  /// A model that every object of the class has: its identity is derived, so nothing is written to
  /// make it. Assigning another instance writes that instance's values in the place of the old one's.
  public struct ModelCoding<Model: ReplicatedModel>: FieldCoding {
    /// The coding holds no state.
    @inlinable public init() {}
    @inlinable public var shape: FieldShape { .object(.map) }
    @inlinable public func isSame(_ old: Model, _ new: Model) -> Bool { old === new }

    public func write(from old: Model, to new: Model, default: Model, at place: Place) -> FieldWrite {
      guard place.admits(new) else { return .nothing }
      return .declare(.map, ModelPlanting(new, prototype: `default`, outer: place, replacing: old === new ? nil : old))
    }

    public func read(
      _ reading: FieldReading, default: Model, present: Model, at place: Place
    ) -> Model? {
      let owner = place.attachment
      let object = ObjectID.derived(parent: owner.object, key: place.key, kind: .map)
      let isDetached = present._$model.attachment == nil
      return owner.space.open(
        Model.self, object, owner.lineage.appending(place.key, .map), owner.delivery, prototype: `default`,
        adopting: isDetached ? present : nil, in: owner, openings: place.openings)
    }
  }

  /// A model that may be there: each assignment makes a new object in the document.
  public struct OptionalModelCoding<Model: ReplicatedModel>: FieldCoding {
    /// The coding holds no state.
    @inlinable public init() {}
    @inlinable public var shape: FieldShape { .slot }
    @inlinable public func isSame(_ old: Model?, _ new: Model?) -> Bool { old === new }

    public func write(from old: Model?, to new: Model?, default: Model?, at place: Place) -> FieldWrite {
      guard let new else { return `default` == nil ? .remove : .set(.null) }
      return Moving.write(new, at: place, replacing: old) ?? .nothing
    }

    public func read(
      _ reading: FieldReading, default: Model?, present: Model?, at place: Place
    ) -> Model?? {
      switch reading.visible {
      case .absent, .value(.null, by: _): return .some(nil)
      case .value(.object(.map), let dot):
        let object = ObjectID.assigned(by: dot)
        // One that another thread has opened and not filled yet is filled before it is shown here.
        if let present, let shown = present._$model.attachment, shown.object == object, shown.isFilled {
          return present
        }
        return place.attachment.space.open(
          Model.self, object, Lineage(base: object), place.attachment.delivery, in: place.attachment,
          openings: place.openings)
      default: return nil
      }
    }
  }
}

extension OptionalModelCoding: OpeningCoding {
  func open(_ entry: Entry, at place: Place) -> Model?? {
    switch entry.value {
    case .null: return .some(nil)
    case .object(.map):
      let object = ObjectID.assigned(by: entry.dot)
      // An observer keeps no instance that stands beside the visible one, and hears of it as through a reference.
      place.attachment.space.lives.track(object)
      return place.attachment.space.open(
        Model.self, object, Lineage(base: object), place.attachment.delivery, in: place.attachment)
    default: return nil
    }
  }
}

extension _Replicated {
  /// A reference to an object that lives elsewhere.
  public struct ReferenceCoding<Model: ReplicatedModel>: SlotCoding {
    /// The coding holds no state.
    @inlinable public init() {}

    public func isSame(_ old: ReplicatedReference<Model>, _ new: ReplicatedReference<Model>) -> Bool { old == new }

    /// What tells references apart; of a model that is in no document yet, no more than that it is none of the others.
    public func encode(_ content: ReplicatedReference<Model>) -> Value {
      content.location.map { .reference($0.object) } ?? .null
    }

    @inlinable public var asksForPlace: Bool { true }

    public func encode(_ content: ReplicatedReference<Model>, at place: Place) -> Value? {
      if content.isNil { return .null }
      guard let (space, object) = content.location, space === place.attachment.space else {
        ModelIncident.report(.detachedReference(type: "\(Model.self)"))
        return nil
      }
      return .reference(object)
    }

    /// Nothing: where it points to is known at its place alone.
    public func decode(_ value: Value) -> ReplicatedReference<Model>? { nil }

    public func decode(_ value: Value, at place: Place) -> ReplicatedReference<Model>? {
      switch value {
      case .null: nil as ReplicatedReference<Model>
      case .reference(let object): ReplicatedReference(object, at: place)
      default: nil
      }
    }
  }
}

// MARK: Elements of collections

extension _Replicated {
  /// The elements of a collection of values.
  public struct ValueElements<Coding: SlotCoding>: KeyedElements {
    @usableFromInline let coding: Coding

    /// Elements that `coding` codes.
    @inlinable
    public init(coding: Coding) {
      self.coding = coding
    }

    public var holdsObjects: Bool { false }
    public func identity(of element: Coding.Content) -> Value { coding.encode(element) }
    public func isSame(_ old: Coding.Content, _ new: Coding.Content) -> Bool { coding.isSame(old, new) }

    public func write(_ element: Coding.Content, at place: Place, isDerived: Bool) -> FieldWrite? {
      coding.encode(element, at: place).map { .set($0) }
    }

    public func instance(of object: ObjectID, _ lineage: Lineage, at place: Place) -> Coding.Content? { nil }
    public func make() -> Coding.Content? { nil }
    public func value(_ value: Value, at place: @autoclosure () -> Place) -> Coding.Content? {
      coding.asksForPlace ? coding.decode(value, at: place()) : coding.decode(value)
    }
    public func object(of element: Coding.Content) -> (ObjectID, Lineage)? { nil }
  }

  /// The elements of a collection of models.
  public struct ModelElements<Model: ReplicatedModel>: KeyedElements {
    /// The coding holds no state.
    @inlinable public init() {}

    public var holdsObjects: Bool { true }
    public func identity(of element: Model) -> ObjectIdentifier { ObjectIdentifier(element) }
    public func isSame(_ old: Model, _ new: Model) -> Bool { old === new }

    public func write(_ element: Model, at place: Place, isDerived: Bool) -> FieldWrite? {
      guard isDerived else { return Moving.write(element, at: place, replacing: nil) }
      guard place.admits(element) else { return nil }
      return .declare(.map, ModelPlanting(element, prototype: Model._$schema.prototype, outer: place, replacing: nil))
    }

    public func instance(of object: ObjectID, _ lineage: Lineage, at place: Place) -> Model? {
      place.attachment.space.open(
        Model.self, object, lineage, place.attachment.delivery, in: place.attachment, openings: place.openings)
    }

    public func make() -> Model? { Model._$schema.instance() }
    public func value(_ value: Value, at place: @autoclosure () -> Place) -> Model? { nil }

    public func object(of element: Model) -> (ObjectID, Lineage)? {
      element._$model.attachment.map { ($0.object, $0.lineage) }
    }
  }

  /// A `ReplicatedSet`: its identity is derived, so nothing is written to make it.
  public struct KeyedSetCoding<Element: ReplicatedKey>: FieldCoding {
    /// The coding holds no state.
    @inlinable public init() {}
    @inlinable public var shape: FieldShape { .object(.set) }

    public func isSame(_ old: ReplicatedSet<Element>, _ new: ReplicatedSet<Element>) -> Bool { old === new }

    public func move(_ new: ReplicatedSet<Element>, into old: ReplicatedSet<Element>) -> Bool {
      if old !== new { old.replaceMembers(by: new) }
      return true
    }

    public func write(
      from old: ReplicatedSet<Element>, to new: ReplicatedSet<Element>, default: ReplicatedSet<Element>, at place: Place
    ) -> FieldWrite {
      new.storage.planting(at: place, ValueElements(coding: ValueCoding<Bool>()), kind: .set).map {
        .declare(.set, $0)
      } ?? .nothing
    }

    public func read(
      _ reading: FieldReading, default: ReplicatedSet<Element>, present: ReplicatedSet<Element>, at place: Place
    ) -> ReplicatedSet<Element>? {
      present.handle(of: present.storage.open(at: place, ValueElements(coding: ValueCoding<Bool>()), kind: .set))
    }
  }

  /// A `ReplicatedDictionary`: its identity is derived, so nothing is written to make it.
  public struct KeyedDictionaryCoding<K: ReplicatedKey, V>: FieldCoding {
    @usableFromInline let element: any KeyedElements<V>

    /// Codes dictionaries whose values `element` codes.
    @inlinable
    public init(element: any KeyedElements<V>) {
      self.element = element
    }

    @inlinable public var shape: FieldShape { .object(.dictionary) }

    public func isSame(_ old: ReplicatedDictionary<K, V>, _ new: ReplicatedDictionary<K, V>) -> Bool { old === new }

    public func move(_ new: ReplicatedDictionary<K, V>, into old: ReplicatedDictionary<K, V>) -> Bool {
      if old !== new { old.replaceEntries(by: new) }
      return true
    }

    public func write(
      from old: ReplicatedDictionary<K, V>, to new: ReplicatedDictionary<K, V>, default: ReplicatedDictionary<K, V>,
      at place: Place
    ) -> FieldWrite {
      new.storage.planting(at: place, element, kind: .dictionary).map { .declare(.dictionary, $0) } ?? .nothing
    }

    public func read(
      _ reading: FieldReading, default: ReplicatedDictionary<K, V>, present: ReplicatedDictionary<K, V>, at place: Place
    ) -> ReplicatedDictionary<K, V>? {
      present.handle(of: present.storage.open(at: place, element, kind: .dictionary))
    }
  }
}
