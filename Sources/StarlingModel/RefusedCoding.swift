/// What stands for the coding of a property whose type cannot replicate. It lets the whole expansion compile but for
/// the setter, so that the compiler says what is wrong once, at the property, in words that help.
public struct RefusedCoding<Content, Reason> {
  @usableFromInline init() {}
}

/// Why a property cannot replicate.
public enum Refused {
  public enum NotCodable {}
  public enum ElementsNotCodable {}
  public enum ValuesNotCodable {}
  public enum MembersWithoutKeys {}
  public enum KeysWithoutKeys {}
  public enum OptionalRecord {}
  public enum OptionalModels {}
}

// MARK: Which types are refused. Each is disfavoured, or less specific than a coding that takes the type.

@_disfavoredOverload public func coding<V>(_: borrowing Field<V>) -> RefusedCoding<V, Refused.NotCodable> {
  RefusedCoding()
}

@_disfavoredOverload public func coding<E>(_: borrowing Field<[E]>) -> RefusedCoding<[E], Refused.ElementsNotCodable> {
  RefusedCoding()
}

@_disfavoredOverload public func coding<E>(
  _: borrowing Field<ReplicatedArray<E>>
) -> RefusedCoding<ReplicatedArray<E>, Refused.ElementsNotCodable> { RefusedCoding() }

@_disfavoredOverload public func coding<K: ReplicatedKey, V>(
  _: borrowing Field<[K: V]>
) -> RefusedCoding<[K: V], Refused.ValuesNotCodable> { RefusedCoding() }

@_disfavoredOverload public func coding<K: ReplicatedKey, V>(
  _: borrowing Field<ReplicatedDictionary<K, V>>
) -> RefusedCoding<ReplicatedDictionary<K, V>, Refused.ValuesNotCodable> { RefusedCoding() }

public func coding<E: Hashable>(_: borrowing Field<Set<E>>) -> RefusedCoding<Set<E>, Refused.MembersWithoutKeys> {
  RefusedCoding()
}

@_disfavoredOverload public func coding<K: Hashable, V>(
  _: borrowing Field<[K: V]>
) -> RefusedCoding<[K: V], Refused.KeysWithoutKeys> { RefusedCoding() }

public func coding<T: ReplicatedFields>(
  _: borrowing Field<ReplicatedRecord<T>?>
) -> RefusedCoding<ReplicatedRecord<T>?, Refused.OptionalRecord> { RefusedCoding() }

public func coding<M: ReplicatedModel>(
  _: borrowing Field<[M]?>
) -> RefusedCoding<[M]?, Refused.OptionalModels> { RefusedCoding() }

// MARK: What the expansion calls

extension ModelState {
  @available(
    *, unavailable,
    message: "the type of this property is not Codable: make it so, or declare the property a ReplicatedRecord of it"
  )
  public func set<Model: ReplicatedModel, Content>(
    _: borrowing Field<Content>, _: Int, _: Model, _: Content, _: RefusedCoding<Content, Refused.NotCodable>
  ) {}

  @available(
    *, unavailable,
    message: "the elements are not Codable: make them so, or a '@Replicated' class, so that they can be sent"
  )
  public func set<Model: ReplicatedModel, Content>(
    _: borrowing Field<Content>, _: Int, _: Model, _: Content, _: RefusedCoding<Content, Refused.ElementsNotCodable>
  ) {}

  @available(
    *, unavailable,
    message: "the values are not Codable: make them so, or a '@Replicated' class in a ReplicatedDictionary"
  )
  public func set<Model: ReplicatedModel, Content>(
    _: borrowing Field<Content>, _: Int, _: Model, _: Content, _: RefusedCoding<Content, Refused.ValuesNotCodable>
  ) {}

  @available(*, unavailable, message: "conform the members to ReplicatedKey, so that a set can merge member by member")
  public func set<Model: ReplicatedModel, Content>(
    _: borrowing Field<Content>, _: Int, _: Model, _: Content, _: RefusedCoding<Content, Refused.MembersWithoutKeys>
  ) {}

  @available(*, unavailable, message: "conform the keys to ReplicatedKey, so that a dictionary can merge key by key")
  public func set<Model: ReplicatedModel, Content>(
    _: borrowing Field<Content>, _: Int, _: Model, _: Content, _: RefusedCoding<Content, Refused.KeysWithoutKeys>
  ) {}

  @available(*, unavailable, message: "a record is always there; an optional of the struct itself replicates whole")
  public func set<Model: ReplicatedModel, Content>(
    _: borrowing Field<Content>, _: Int, _: Model, _: Content, _: RefusedCoding<Content, Refused.OptionalRecord>
  ) {}

  @available(*, unavailable, message: "an array of models is always there; let it be empty instead of nil")
  public func set<Model: ReplicatedModel, Content>(
    _: borrowing Field<Content>, _: Int, _: Model, _: Content, _: RefusedCoding<Content, Refused.OptionalModels>
  ) {}

  public func finish<Model: ReplicatedModel, Content, Reason>(
    _: Edit<Content>, _: borrowing Field<Content>, _: Int, _: Model, _: RefusedCoding<Content, Reason>
  ) {}
}

extension FieldVisitor {
  public mutating func visit<Content, Reason>(_: borrowing Field<Content>, _: RefusedCoding<Content, Reason>) {}
}

@available(
  *, unavailable, message: "a field of this type cannot replicate: make the type Codable, or its keys ReplicatedKey"
)
public func recordField<Content: ReplicatedFields, Member, Reason>(
  _: String, _: WritableKeyPath<Content, Member>, formerly: [String] = [],
  coding: @escaping (borrowing Field<Member>) -> RefusedCoding<Member, Reason>
) -> RecordField<Content> { preconditionFailure("unavailable") }

/// A class that no model is a subclass of. The macro joins it to what a model inherits from: with a protocol that is a
/// type, with a class the compiler says that both cannot be.
open class ReplicatedModelsInheritFromNoClass {}
