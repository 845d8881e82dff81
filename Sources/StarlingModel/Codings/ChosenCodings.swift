import StarlingCore

/// What the macros' expansions call by name, so that no such name stands in a program's own.
public enum _Replicated {}

// MARK: Which coding a property has

extension _Replicated {
  /// A value with a spelling of its own in the protocol.
  @inlinable public static func coding<V: ReplicatedValue>(_: borrowing Field<V>) -> ValueCoding<V> { ValueCoding() }

  /// A value that is written as its raw value.
  @inlinable public static func coding<V: RawRepresentable>(_: borrowing Field<V>) -> RawValueCoding<V>
  where V.RawValue: ReplicatedValue { RawValueCoding() }

  /// An optional value that is written as its raw value.
  @inlinable public static func coding<V: RawRepresentable>(_: borrowing Field<V?>) -> OptionalRawValueCoding<V>
  where V.RawValue: ReplicatedValue { OptionalRawValueCoding() }

  /// A `Codable` value, written whole as JSON.
  @_disfavoredOverload @inlinable public static func coding<V: Codable>(_: borrowing Field<V>) -> JSONCoding<V> {
    JSONCoding()
  }

  /// A counter.
  @inlinable public static func coding(_: borrowing Field<ReplicatedCounter>) -> CounterCoding { CounterCoding() }

  /// A plain set.
  @inlinable public static func coding<E: ReplicatedKey>(_: borrowing Field<Set<E>>) -> SetCoding<E> { SetCoding() }

  /// A plain dictionary of values.
  @inlinable public static func coding<K: ReplicatedKey, V: ReplicatedValue>(
    _: borrowing Field<[K: V]>
  ) -> DictionaryCoding<K, ValueCoding<V>> { DictionaryCoding(element: ValueCoding()) }

  /// A plain dictionary of values that are written as their raw values.
  @inlinable public static func coding<K: ReplicatedKey, V: RawRepresentable>(
    _: borrowing Field<[K: V]>
  ) -> DictionaryCoding<K, RawValueCoding<V>> where V.RawValue: ReplicatedValue {
    DictionaryCoding(element: RawValueCoding())
  }

  /// A plain dictionary of `Codable` values.
  @_disfavoredOverload @inlinable public static func coding<K: ReplicatedKey, V: Codable>(
    _: borrowing Field<[K: V]>
  ) -> DictionaryCoding<K, JSONCoding<V>> { DictionaryCoding(element: JSONCoding()) }

  /// A plain array of values.
  @inlinable public static func coding<V: ReplicatedValue>(
    _: borrowing Field<[V]>
  ) -> ArrayCoding<ValueElements<ValueCoding<V>>> { ArrayCoding(elements: ValueElements(coding: ValueCoding())) }

  /// A plain array of values that are written as their raw values.
  @inlinable public static func coding<V: RawRepresentable>(
    _: borrowing Field<[V]>
  ) -> ArrayCoding<ValueElements<RawValueCoding<V>>> where V.RawValue: ReplicatedValue {
    ArrayCoding(elements: ValueElements(coding: RawValueCoding()))
  }

  /// A plain array of `Codable` values.
  @_disfavoredOverload @inlinable public static func coding<V: Codable>(
    _: borrowing Field<[V]>
  ) -> ArrayCoding<ValueElements<JSONCoding<V>>> { ArrayCoding(elements: ValueElements(coding: JSONCoding())) }

  /// A plain array of models.
  @inlinable public static func coding<M: ReplicatedModel>(_: borrowing Field<[M]>) -> ArrayCoding<ModelElements<M>> {
    ArrayCoding(elements: ModelElements())
  }

  /// A model that every object of the class has.
  @inlinable public static func coding<M: ReplicatedModel>(_: borrowing Field<M>) -> ModelCoding<M> { ModelCoding() }

  /// A model that may be there.
  @inlinable public static func coding<M: ReplicatedModel>(_: borrowing Field<M?>) -> OptionalModelCoding<M> {
    OptionalModelCoding()
  }

  /// A reference to a model that lives elsewhere.
  @inlinable public static func coding<M: ReplicatedModel>(_: borrowing Field<ReplicatedReference<M>>)
    -> ReferenceCoding<M>
  {
    ReferenceCoding()
  }

  /// A plain array of references.
  @inlinable public static func coding<M: ReplicatedModel>(
    _: borrowing Field<[ReplicatedReference<M>]>
  ) -> ArrayCoding<ValueElements<ReferenceCoding<M>>> {
    ArrayCoding(elements: ValueElements(coding: ReferenceCoding()))
  }

  /// A plain dictionary of references.
  @inlinable public static func coding<K: ReplicatedKey, M: ReplicatedModel>(
    _: borrowing Field<[K: ReplicatedReference<M>]>
  ) -> DictionaryCoding<K, ReferenceCoding<M>> { DictionaryCoding(element: ReferenceCoding()) }

  /// An array of references that is read element by element.
  @inlinable public static func coding<M: ReplicatedModel>(
    _: borrowing Field<ReplicatedArray<ReplicatedReference<M>>>
  ) -> ReplicatedArrayCoding<ReplicatedReference<M>> {
    ReplicatedArrayCoding(elements: ValueElements(coding: ReferenceCoding()))
  }

  /// A dictionary of references that is read key by key.
  @inlinable public static func coding<K: ReplicatedKey, M: ReplicatedModel>(
    _: borrowing Field<ReplicatedDictionary<K, ReplicatedReference<M>>>
  ) -> KeyedDictionaryCoding<K, ReplicatedReference<M>> {
    KeyedDictionaryCoding(element: ValueElements(coding: ReferenceCoding()))
  }

  /// A struct that replicates field by field.
  @inlinable public static func coding<T: ReplicatedFields>(_: borrowing Field<ReplicatedRecord<T>>) -> RecordCoding<T>
  {
    RecordCoding()
  }

  /// An array of values that is read element by element.
  @inlinable public static func coding<V: ReplicatedValue>(
    _: borrowing Field<ReplicatedArray<V>>
  ) -> ReplicatedArrayCoding<V> { ReplicatedArrayCoding(elements: ValueElements(coding: ValueCoding())) }

  /// An array, read element by element, of values that are written as their raw values.
  @inlinable public static func coding<V: RawRepresentable>(
    _: borrowing Field<ReplicatedArray<V>>
  ) -> ReplicatedArrayCoding<V> where V.RawValue: ReplicatedValue {
    ReplicatedArrayCoding(elements: ValueElements(coding: RawValueCoding()))
  }

  /// An array of `Codable` values that is read element by element.
  @_disfavoredOverload @inlinable public static func coding<V: Codable>(
    _: borrowing Field<ReplicatedArray<V>>
  ) -> ReplicatedArrayCoding<V> { ReplicatedArrayCoding(elements: ValueElements(coding: JSONCoding())) }

  /// An array of models that is read element by element.
  @inlinable public static func coding<M: ReplicatedModel>(
    _: borrowing Field<ReplicatedArray<M>>
  ) -> ReplicatedArrayCoding<M> { ReplicatedArrayCoding(elements: ModelElements()) }

  /// A text.
  @inlinable public static func coding(_: borrowing Field<ReplicatedText>) -> TextCoding { TextCoding() }

  /// A set that is read member by member.
  @inlinable public static func coding<E: ReplicatedKey>(_: borrowing Field<ReplicatedSet<E>>) -> KeyedSetCoding<E> {
    KeyedSetCoding()
  }

  /// A dictionary of values that is read key by key.
  @inlinable public static func coding<K: ReplicatedKey, V: ReplicatedValue>(
    _: borrowing Field<ReplicatedDictionary<K, V>>
  ) -> KeyedDictionaryCoding<K, V> { KeyedDictionaryCoding(element: ValueElements(coding: ValueCoding())) }

  /// A dictionary, read key by key, of values that are written as their raw values.
  @inlinable public static func coding<K: ReplicatedKey, V: RawRepresentable>(
    _: borrowing Field<ReplicatedDictionary<K, V>>
  ) -> KeyedDictionaryCoding<K, V> where V.RawValue: ReplicatedValue {
    KeyedDictionaryCoding(element: ValueElements(coding: RawValueCoding()))
  }

  /// A dictionary of `Codable` values that is read key by key.
  @_disfavoredOverload @inlinable public static func coding<K: ReplicatedKey, V: Codable>(
    _: borrowing Field<ReplicatedDictionary<K, V>>
  ) -> KeyedDictionaryCoding<K, V> { KeyedDictionaryCoding(element: ValueElements(coding: JSONCoding())) }

  /// A dictionary of models that is read key by key.
  @inlinable public static func coding<K: ReplicatedKey, M: ReplicatedModel>(
    _: borrowing Field<ReplicatedDictionary<K, M>>
  ) -> KeyedDictionaryCoding<K, M> { KeyedDictionaryCoding(element: ModelElements()) }
}

// MARK: How local properties are compared

extension _Replicated {
  /// Compares by `==`.
  @inlinable public static func local<V: Equatable>(_: borrowing Field<V>) -> LocalCoding<V> { LocalCoding(isSame: ==) }
  /// Compares instances.
  @inlinable public static func local<V: AnyObject>(_: borrowing Field<V>) -> LocalCoding<V> {
    LocalCoding(isSame: ===)
  }
  /// Compares instances, also where they have `==`.
  @inlinable public static func local<V: AnyObject & Equatable>(_: borrowing Field<V>) -> LocalCoding<V> {
    LocalCoding(isSame: ===)
  }

  /// Nothing is known of the values, so every write counts as a change.
  @_disfavoredOverload @inlinable public static func local<V>(_: borrowing Field<V>) -> LocalCoding<V> {
    LocalCoding(isSame: { _, _ in false })
  }
}

// MARK: What a property without a default holds

extension _Replicated {
  /// What a property without a default holds until it hears of a value.
  public static func empty<V: ReplicatedValue>() -> V { V.empty }
  /// No elements.
  public static func empty<C: ExpressibleByArrayLiteral>() -> C { [] }
  /// No entries.
  public static func empty<C: ExpressibleByDictionaryLiteral>() -> C { [:] }
  /// Zero.
  public static func empty() -> ReplicatedCounter { 0 }
  /// No characters.
  public static func empty() -> ReplicatedText { ReplicatedText() }
  /// A reference to nothing.
  public static func empty<M>() -> ReplicatedReference<M> { nil }
}
