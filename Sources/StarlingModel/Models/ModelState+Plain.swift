// What the accessors of the commonest types call. Each function is declared once: where a name has several generic
// forms, the compiler tries all of them, at every property. Each does what `get`, `set` and `finish` do for its coding.

extension ModelState {
  /// The content of a property that is no handle, noted as read by whoever observes.
  @inlinable
  public func read<Model: ReplicatedModel, Content>(
    _ field: borrowing _Replicated.Field<Content>, _ id: Int, _ model: Model
  ) -> Content { get(field, id, model) }

  // MARK: Values

  /// Assigns a property of one slot; an equal value is no write.
  @inlinable
  public func setValue<Model: ReplicatedModel, V: ReplicatedValue>(
    _ field: borrowing _Replicated.Field<V>, _ id: Int, _ model: Model, _ content: V
  ) { set(field, id, model, content, ValueCoding()) }

  /// Ends an in-place mutation of a property of one slot.
  @inlinable
  public func finishValue<Model: ReplicatedModel, V: ReplicatedValue>(
    _ edit: Edit<V>, _ field: borrowing _Replicated.Field<V>, _ id: Int, _ model: Model
  ) { finish(edit, field, id, model, ValueCoding()) }

  // MARK: Sets

  /// Assigns a plain set: writes the members that differ.
  @inlinable
  public func setMembers<Model: ReplicatedModel, Element: ReplicatedKey>(
    _ field: borrowing _Replicated.Field<Set<Element>>, _ id: Int, _ model: Model, _ content: Set<Element>
  ) { set(field, id, model, content, SetCoding()) }

  /// Ends an in-place mutation of a plain set.
  @inlinable
  public func finishMembers<Model: ReplicatedModel, Element: ReplicatedKey>(
    _ edit: Edit<Set<Element>>, _ field: borrowing _Replicated.Field<Set<Element>>, _ id: Int, _ model: Model
  ) { finish(edit, field, id, model, SetCoding()) }

  // MARK: Arrays

  /// Assigns a plain array of values: writes the elements that differ.
  @inlinable
  public func setElements<Model: ReplicatedModel, V: ReplicatedValue>(
    _ field: borrowing _Replicated.Field<[V]>, _ id: Int, _ model: Model, _ content: [V]
  ) { set(field, id, model, content, ArrayCoding(elements: ValueElements(coding: ValueCoding()))) }

  /// Ends an in-place mutation of a plain array of values.
  @inlinable
  public func finishElements<Model: ReplicatedModel, V: ReplicatedValue>(
    _ edit: Edit<[V]>, _ field: borrowing _Replicated.Field<[V]>, _ id: Int, _ model: Model
  ) { finish(edit, field, id, model, ArrayCoding(elements: ValueElements(coding: ValueCoding()))) }

  // MARK: Dictionaries

  /// Assigns a plain dictionary of values: writes the entries that differ.
  @inlinable
  public func setEntries<Model: ReplicatedModel, K: ReplicatedKey, V: ReplicatedValue>(
    _ field: borrowing _Replicated.Field<[K: V]>, _ id: Int, _ model: Model, _ content: [K: V]
  ) { set(field, id, model, content, DictionaryCoding(element: ValueCoding())) }

  /// Ends an in-place mutation of a plain dictionary of values.
  @inlinable
  public func finishEntries<Model: ReplicatedModel, K: ReplicatedKey, V: ReplicatedValue>(
    _ edit: Edit<[K: V]>, _ field: borrowing _Replicated.Field<[K: V]>, _ id: Int, _ model: Model
  ) { finish(edit, field, id, model, DictionaryCoding(element: ValueCoding())) }

  // MARK: Properties that stay here

  /// Assigns a `@Local` property; an equal value is no write.
  @inlinable
  public func setLocal<Model: ReplicatedModel, Content: Equatable>(
    _ field: borrowing _Replicated.Field<Content>, _ id: Int, _ model: Model, _ content: Content
  ) { set(field, id, model, content, LocalCoding(isSame: ==)) }

  /// Ends an in-place mutation of a `@Local` property.
  @inlinable
  public func finishLocal<Model: ReplicatedModel, Content: Equatable>(
    _ edit: Edit<Content>, _ field: borrowing _Replicated.Field<Content>, _ id: Int, _ model: Model
  ) { finish(edit, field, id, model, LocalCoding(isSame: ==)) }
}

extension FieldVisitor {
  /// Visits a property of one slot.
  public mutating func visitValue<V: ReplicatedValue>(_ field: borrowing _Replicated.Field<V>) {
    visit(field, ValueCoding())
  }

  /// Visits a plain set.
  public mutating func visitMembers<Element: ReplicatedKey>(_ field: borrowing _Replicated.Field<Set<Element>>) {
    visit(field, SetCoding())
  }

  /// Visits a plain array of values.
  public mutating func visitElements<V: ReplicatedValue>(_ field: borrowing _Replicated.Field<[V]>) {
    visit(field, ArrayCoding(elements: ValueElements(coding: ValueCoding())))
  }

  /// Visits a plain dictionary of values.
  public mutating func visitEntries<K: ReplicatedKey, V: ReplicatedValue>(_ field: borrowing _Replicated.Field<[K: V]>)
  {
    visit(field, DictionaryCoding(element: ValueCoding()))
  }
}
