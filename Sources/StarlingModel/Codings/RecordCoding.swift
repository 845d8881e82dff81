public import StarlingCore

extension _Replicated {
  /// A record stands in the document like a nested model that every object of the class has: its
  /// identity is derived, so nothing is written to make it.
  public struct RecordCoding<Content: ReplicatedFields>: FieldCoding {
    /// The coding holds no state.
    @inlinable public init() {}
    @inlinable public var shape: FieldShape { .object(.map) }

    public func isSame(_ old: ReplicatedRecord<Content>, _ new: ReplicatedRecord<Content>) -> Bool {
      old.model === new.model
    }

    public func move(_ new: ReplicatedRecord<Content>, into old: ReplicatedRecord<Content>) -> Bool {
      if !isSame(old, new) { old.model.write(new.model.value(of: .nobody)) }
      return true
    }

    public func write(
      from old: ReplicatedRecord<Content>, to new: ReplicatedRecord<Content>, default: ReplicatedRecord<Content>,
      at place: Place
    ) -> FieldWrite {
      guard new.model._$model.attachment == nil else {
        ModelIncident.report(.attachedTwice(type: "\(ReplicatedRecord<Content>.self)"))
        return .nothing
      }
      return .declare(.map, ModelPlanting(new.model, prototype: `default`.model, outer: place, replacing: nil))
    }

    public func read(
      _ reading: FieldReading, default: ReplicatedRecord<Content>, present: ReplicatedRecord<Content>, at place: Place
    ) -> ReplicatedRecord<Content>? {
      let owner = place.attachment
      let object = ObjectID.derived(parent: owner.object, key: place.key, kind: .map)
      // A handle that two models were made with belongs to the first that entered a document.
      let isFree = present.model._$model.attachment == nil
      return ReplicatedRecord(
        owner.space.open(
          RecordModel<Content>.self, object, owner.lineage.appending(place.key, .map), owner.delivery,
          prototype: `default`.model,
          adopting: isFree ? present.model : RecordModel(`default`.model.value(of: .nobody)),
          in: owner))
    }
  }
}
