extension _Replicated {
  /// What stands for the coding of a property whose type cannot replicate. It lets the whole expansion compile but for
  /// the setter, so that the compiler says what is wrong once, at the property, in words that help.
  public struct RefusedCoding<Content, Reason> {
    @usableFromInline init() {}
  }

  /// Why a property cannot replicate.
  public enum Refused {
    /// The type is not `Codable`.
    public enum NotCodable {}
    /// The elements are not `Codable`.
    public enum ElementsNotCodable {}
    /// The values of a dictionary are not `Codable`.
    public enum ValuesNotCodable {}
    /// The members of a set are no `ReplicatedKey`.
    public enum MembersWithoutKeys {}
    /// The keys of a dictionary are no `ReplicatedKey`.
    public enum KeysWithoutKeys {}
    /// A record is optional.
    public enum OptionalRecord {}
    /// An array of models is optional.
    public enum OptionalModels {}
  }
}

// MARK: Which types are refused. Each is disfavoured, or less specific than a coding that takes the type.

extension _Replicated {
  /// Refuses a type that is not `Codable`.
  @_disfavoredOverload public static func coding<V>(_: borrowing Field<V>) -> RefusedCoding<V, Refused.NotCodable> {
    RefusedCoding()
  }

  /// Refuses a plain array whose elements are not `Codable`.
  @_disfavoredOverload public static func coding<E>(_: borrowing Field<[E]>) -> RefusedCoding<
    [E], Refused.ElementsNotCodable
  > {
    RefusedCoding()
  }

  /// Refuses an array whose elements are not `Codable`.
  @_disfavoredOverload public static func coding<E>(
    _: borrowing Field<ReplicatedArray<E>>
  ) -> RefusedCoding<ReplicatedArray<E>, Refused.ElementsNotCodable> { RefusedCoding() }

  /// Refuses a plain dictionary whose values are not `Codable`.
  @_disfavoredOverload public static func coding<K: ReplicatedKey, V>(
    _: borrowing Field<[K: V]>
  ) -> RefusedCoding<[K: V], Refused.ValuesNotCodable> { RefusedCoding() }

  /// Refuses a dictionary whose values are not `Codable`.
  @_disfavoredOverload public static func coding<K: ReplicatedKey, V>(
    _: borrowing Field<ReplicatedDictionary<K, V>>
  ) -> RefusedCoding<ReplicatedDictionary<K, V>, Refused.ValuesNotCodable> { RefusedCoding() }

  /// Refuses a set whose members are no `ReplicatedKey`.
  public static func coding<E: Hashable>(_: borrowing Field<Set<E>>) -> RefusedCoding<
    Set<E>, Refused.MembersWithoutKeys
  > {
    RefusedCoding()
  }

  /// Refuses a dictionary whose keys are no `ReplicatedKey`.
  @_disfavoredOverload public static func coding<K: Hashable, V>(
    _: borrowing Field<[K: V]>
  ) -> RefusedCoding<[K: V], Refused.KeysWithoutKeys> { RefusedCoding() }

  /// Refuses an optional record.
  public static func coding<T: ReplicatedFields>(
    _: borrowing Field<ReplicatedRecord<T>?>
  ) -> RefusedCoding<ReplicatedRecord<T>?, Refused.OptionalRecord> { RefusedCoding() }

  /// Refuses an optional array of models.
  public static func coding<M: ReplicatedModel>(
    _: borrowing Field<[M]?>
  ) -> RefusedCoding<[M]?, Refused.OptionalModels> { RefusedCoding() }
}

// MARK: What the expansion calls

extension ModelState {
  /// Says at the property that its type is not `Codable`.
  @available(
    *, unavailable,
    message: "the type of this property is not Codable: make it so, or declare the property a ReplicatedRecord of it"
  )
  public func set<Model: ReplicatedModel, Content>(
    _: borrowing _Replicated.Field<Content>, _: Int, _: Model, _: Content,
    _: _Replicated.RefusedCoding<Content, _Replicated.Refused.NotCodable>
  ) {}

  /// Says at the property that its elements are not `Codable`.
  @available(
    *, unavailable,
    message: "the elements are not Codable: make them so, or a '@Replicated' class, so that they can be sent"
  )
  public func set<Model: ReplicatedModel, Content>(
    _: borrowing _Replicated.Field<Content>, _: Int, _: Model, _: Content,
    _: _Replicated.RefusedCoding<Content, _Replicated.Refused.ElementsNotCodable>
  ) {}

  /// Says at the property that its values are not `Codable`.
  @available(
    *, unavailable,
    message: "the values are not Codable: make them so, or a '@Replicated' class in a ReplicatedDictionary"
  )
  public func set<Model: ReplicatedModel, Content>(
    _: borrowing _Replicated.Field<Content>, _: Int, _: Model, _: Content,
    _: _Replicated.RefusedCoding<Content, _Replicated.Refused.ValuesNotCodable>
  ) {}

  /// Says at the property that its members are no `ReplicatedKey`.
  @available(*, unavailable, message: "conform the members to ReplicatedKey, so that a set can merge member by member")
  public func set<Model: ReplicatedModel, Content>(
    _: borrowing _Replicated.Field<Content>, _: Int, _: Model, _: Content,
    _: _Replicated.RefusedCoding<Content, _Replicated.Refused.MembersWithoutKeys>
  ) {}

  /// Says at the property that its keys are no `ReplicatedKey`.
  @available(*, unavailable, message: "conform the keys to ReplicatedKey, so that a dictionary can merge key by key")
  public func set<Model: ReplicatedModel, Content>(
    _: borrowing _Replicated.Field<Content>, _: Int, _: Model, _: Content,
    _: _Replicated.RefusedCoding<Content, _Replicated.Refused.KeysWithoutKeys>
  ) {}

  /// Says at the property that a record is always there.
  @available(*, unavailable, message: "a record is always there; an optional of the struct itself replicates whole")
  public func set<Model: ReplicatedModel, Content>(
    _: borrowing _Replicated.Field<Content>, _: Int, _: Model, _: Content,
    _: _Replicated.RefusedCoding<Content, _Replicated.Refused.OptionalRecord>
  ) {}

  /// Says at the property that an array of models is always there.
  @available(*, unavailable, message: "an array of models is always there; let it be empty instead of nil")
  public func set<Model: ReplicatedModel, Content>(
    _: borrowing _Replicated.Field<Content>, _: Int, _: Model, _: Content,
    _: _Replicated.RefusedCoding<Content, _Replicated.Refused.OptionalModels>
  ) {}

  /// Lets the rest of the expansion compile: the setter says what is wrong.
  public func finish<Model: ReplicatedModel, Content, Reason>(
    _: Edit<Content>, _: borrowing _Replicated.Field<Content>, _: Int, _: Model,
    _: _Replicated.RefusedCoding<Content, Reason>
  ) {}
}

extension FieldVisitor {
  /// Lets the rest of the expansion compile: the setter says what is wrong.
  public mutating func visit<Content, Reason>(
    _: borrowing _Replicated.Field<Content>, _: _Replicated.RefusedCoding<Content, Reason>
  ) {}
}

extension _Replicated {
  /// Says at the field that its type cannot replicate.
  @available(
    *, unavailable, message: "a field of this type cannot replicate: make the type Codable, or its keys ReplicatedKey"
  )
  public static func recordField<Content: ReplicatedFields, Member, Reason>(
    _: String, _: WritableKeyPath<Content, Member>, formerly: [String] = [],
    coding: @escaping (borrowing Field<Member>) -> RefusedCoding<Member, Reason>
  ) -> RecordField<Content> { preconditionFailure("unavailable") }
}

/// A class that no model is a subclass of. The macro joins it to what a model inherits from: with a protocol that is a
/// type, with a class the compiler says that both cannot be.
open class ReplicatedModelsInheritFromNoClass {}
