public import Observation
public import StarlingCore
public import StarlingGraph
import StarlingGuard
public import Synchronization

extension _Replicated {
  /// What stands behind every property of one model object: where its cells live, its object and its
  /// document, and its observers through the standard library.
  ///
  /// ```
  ///   detached ── planted or opened ──► attached ── removed, by whomever ──► gone
  ///   an observable like any other      writes go to the document            writes are dropped, and reported
  /// ```
  public final class ModelState: Sendable {
    @usableFromInline let home = Home()
    /// Set once, under the document's lock; then `isAttached` is. By it the attachment is found.
    private let residence_ = SetOnce<Residence>()
    @usableFromInline let isAttached = Atomic(false)
    /// Readers of conflicts, by field.
    let conflicts = ConflictSources()
    /// A bit a field: whether an observer read it in a scope of the standard library, and may therefore
    /// be waiting to be told through Observation. Fields from 63 on share the last bit.
    @usableFromInline let observed = Atomic<UInt64>(0)
    @usableFromInline let registrar_ = SetOnce<Registrar>()
    private let observing_ = Guarded([Observing]())
    let derivedProperties = Once<DerivedProperties>()

    /// The state of an object that is in no document yet.
    public init() {}

    var attachment: Attachment? { residence_.withLoaded { $0.attachment } }

    /// Nil while the object is in no document.
    var residence: Residence? { residence_.load() }

    /// - Returns: Where the object stands now, and whether it was on its own until then.
    func attach(_ attachment: Attachment) -> (residence: Residence, isFirst: Bool) {
      defer { isAttached.store(true, ordering: .sequentiallyConsistent) }
      let residence = residence_.setIfNil(Residence(attachment))
      return (residence, residence.attachment === attachment)
    }

    /// Where remote changes become visible, and so where the model is at home; nil: anywhere.
    package var isolation: (any Actor)? { attachment?.delivery.isolation }

    // MARK: Reading

    /// The property's content, noted as read by whoever observes. The macro's accessors call it.
    @inlinable
    public func get<Model: ReplicatedModel, Content>(
      _ field: borrowing Field<Content>, _ id: Int, _ model: Model
    ) -> Content {
      let listeners = Listeners.here
      if listeners.contains(.foreign) { noteObservation(of: model, id, as: Content.self) }
      checkIsolation(of: model, id, isWrite: false)
      return listeners.contains(.graph) ? field.cell.read(in: home) : field.cell.peek(in: home)
    }

    /// A handle is the same for as long as its property, so nobody needs to hear of it.
    @inlinable
    public func get<Model: ReplicatedModel, Handle: ReplicatedHandle>(
      _ field: borrowing Field<Handle>, _ id: Int, _ model: Model
    ) -> Handle { field.cell.peek(in: home) }

    /// What a weak property holds: the reference is the class's own, `writes` stands for it in the graph.
    public func get<Model: ReplicatedModel, Content>(
      _ content: @autoclosure () -> Content, countedBy writes: borrowing Field<Int>, _ id: Int, _ model: Model
    ) -> Content {
      if Listeners.here.contains(.foreign) { noteObservation(of: model, id, as: Content.self) }
      _ = writes.cell.read(in: home)
      return content()
    }

    /// The content, noted for nobody.
    @inlinable
    public func peek<Content>(_ field: borrowing Field<Content>) -> Content {
      field.cell.peek(in: home)
    }

    // MARK: Writing

    /// A property's content on its way through an in-place mutation: what it was, and what it becomes.
    public struct Edit<Content> {
      /// The content before the mutation.
      public let old: Content
      /// The content that is being mutated.
      public var value: Content
    }

    /// Begins an in-place mutation. No lock is held while the caller mutates; `finish` writes the difference.
    public func edit<Content>(_ field: borrowing Field<Content>) -> Edit<Content> {
      let content = field.cell.peek(in: home)
      return Edit(old: content, value: content)
    }

    /// Ends an in-place mutation: writes what became different. The macro's accessors call it.
    public func finish<Model: ReplicatedModel, C: FieldCoding>(
      _ edit: Edit<C.Content>, _ field: borrowing Field<C.Content>, _ id: Int, _ model: Model, _ coding: C
    ) {
      #if DEBUG
        checkRace(edit, field, id, model, coding)
      #endif
      write(field, id, model, from: edit.old, to: edit.value, coding)
    }

    /// Assigns a property; an equal value is no write. The macro's accessors call it.
    public func set<Model: ReplicatedModel, C: FieldCoding>(
      _ field: borrowing Field<C.Content>, _ id: Int, _ model: Model, _ content: C.Content, _ coding: C
    ) {
      write(field, id, model, from: field.cell.peek(in: home), to: content, coding)
    }

    func write<Model: ReplicatedModel, C: FieldCoding>(
      _ field: borrowing Field<C.Content>, _ id: Int, _ model: Model, from old: C.Content, to new: C.Content,
      _ coding: C
    ) {
      GraphDiagnostics.noteWrite { Model._$schema.label(of: id) }
      checkIsolation(of: model, id, isWrite: true)
      if coding.move(new, into: old) { return }
      if let attachment {
        attachment.write(field, id, model, from: old, to: new, coding)
      } else {
        writeDetachedAndTell(field, id, model, from: old, to: new, coding)
      }
    }

    @usableFromInline
    func writeDetachedAndTell<Model: ReplicatedModel, C: FieldCoding>(
      _ field: borrowing Field<C.Content>, _ id: Int, _ model: Model, from old: C.Content, to new: C.Content,
      _ coding: C
    ) {
      guard !coding.isSame(old, new) else { return }
      batch {
        var (from, to) = (old, new)
        while true {
          let present = field.cell.peek(in: home)
          let found = field.cell.exchange(coding.merge(present, from: from, to: to), in: home)
          if coding.isUntouched(found, since: present) { break }
          // Another thread wrote in between, and its write is gone: it is made again, on top of ours.
          (from, to) = (present, found)
        }
        tellObservation(model, id)
      }
      // The object may have been planted by now, before or after its new owner looked at this field.
      if let attachment { attachment.rewrite(field, id, model, coding) }
    }

    // MARK: Writing properties that are one slot

    // Compiled into the application once for each type of property in a class: a copy in each accessor would run no faster,
    // and take the compiler twice as long.

    /// The same for a property of one slot, compiled into the application.
    @inlinable @inline(never)
    public func finish<Model: ReplicatedModel, C: SlotCoding>(
      _ edit: Edit<C.Content>, _ field: borrowing Field<C.Content>, _ id: Int, _ model: Model, _ coding: C
    ) {
      #if DEBUG
        checkRace(edit, field, id, model, coding)
      #endif
      write(field, id, model, from: edit.old, to: edit.value, coding)
    }

    /// The same for a property of one slot, compiled into the application.
    @inlinable @inline(never)
    public func set<Model: ReplicatedModel, C: SlotCoding>(
      _ field: borrowing Field<C.Content>, _ id: Int, _ model: Model, _ content: C.Content, _ coding: C
    ) {
      write(field, id, model, from: field.cell.peek(in: home), to: content, coding)
    }

    /// What is generic is compiled into the application; what is long is the same for all.
    @inlinable
    func write<Model: ReplicatedModel, C: SlotCoding>(
      _ field: borrowing Field<C.Content>, _ id: Int, _ model: Model, from old: C.Content, to new: C.Content,
      _ coding: C
    ) {
      if GraphDiagnostics.isFlushing { noteWrite(of: model, id) }
      checkIsolation(of: model, id, isWrite: true)
      let isSame = coding.isSame(old, new)
      if isAttached.load(ordering: .acquiring) {
        var found = old
        writeSlot(id, of: model, isSame: isSame) {
          coding.asksForPlace ? coding.encode(new, at: $0()) : coding.encode(new)
        } store: {
          found = field.cell.exchange(new, in: home)
        } isCrossed: {
          !coding.isUntouched(found, since: old)
        }
      } else if !isSame {
        writeDetached(field, id, model, from: old, to: new, coding)
      }
    }

    @inlinable
    func writeDetached<Model: ReplicatedModel, C: SlotCoding>(
      _ field: borrowing Field<C.Content>, _ id: Int, _ model: Model, from old: C.Content, to new: C.Content,
      _ coding: C
    ) {
      // Listeners of the standard library hear of it before the graph's readers run.
      if isObserved(id) { return writeDetachedAndTell(field, id, model, from: old, to: new, coding) }
      let present = field.cell.peek(in: home)
      let found = field.cell.exchange(new, in: home)
      let isCrossed = !coding.isUntouched(found, since: present)
      if isCrossed || isObserved(id) || isAttached.load(ordering: .sequentiallyConsistent) {
        finishDetached(field, id, model, from: present, found: found, coding)
      }
    }

    @usableFromInline
    func noteWrite<Model: ReplicatedModel>(of model: Model, _ id: Int) {
      GraphDiagnostics.noteWrite { Model._$schema.label(of: id) }
    }

    /// - Parameters:
    ///   - encode: with no lock held.
    ///   - store: puts the new value into the cell. Under the document's lock.
    ///   - isCrossed: whether the cell held another value by then than the writer saw. With no lock held.
    @usableFromInline
    func writeSlot(
      _ id: Int, of model: AnyObject, isSame: Bool, encode: (() -> Place) -> Value?, store: () -> Void,
      isCrossed: () -> Bool
    ) {
      _ = residence_.withLoaded {
        $0.attachment.writeSlot(id, model, self, isSame: isSame, encode: encode, store: store, isCrossed: isCrossed)
      }
    }

    /// What seldom happens beside a write of an object that is in no document.
    @usableFromInline
    func finishDetached<Model: ReplicatedModel, C: FieldCoding>(
      _ field: borrowing Field<C.Content>, _ id: Int, _ model: Model, from old: C.Content, found: C.Content, _ coding: C
    ) {
      if !coding.isUntouched(found, since: old) {
        // Another thread wrote in between, and its write is gone: it is made again, on top of ours.
        writeDetachedAndTell(field, id, model, from: old, to: found, coding)
      } else {
        tellObservation(model, id)
        attachment?.rewrite(field, id, model, coding)
      }
    }

    // MARK: Properties that stay here

    /// Ends an in-place mutation of a `@Local` property.
    public func finish<Model: ReplicatedModel, Content>(
      _ edit: Edit<Content>, _ field: borrowing Field<Content>, _ id: Int, _ model: Model,
      _ coding: LocalCoding<Content>
    ) {
      set(field, id, model, edit.value, coding)
    }

    /// Assigns a `@Local` property: its readers run, nothing is sent.
    public func set<Model: ReplicatedModel, Content>(
      _ field: borrowing Field<Content>, _ id: Int, _ model: Model, _ content: Content, _ coding: LocalCoding<Content>
    ) {
      GraphDiagnostics.noteWrite { Model._$schema.label(of: id) }
      guard !coding.isSame(field.cell.peek(in: home), content) else { return }
      batch {
        _ = field.cell.exchange(content, in: home)
        tellObservation(model, id)
      }
    }

    // MARK: The user's willSet and didSet

    /// A run of a field's observers: an assignment to the field inside it does not run them again, as
    /// the language has it for stored properties.
    private struct Observing: Equatable {
      var field: Int
      var thread: ThreadNumber
    }

    /// Runs a property's `willSet` or `didSet`, and not again where that assigns the property itself.
    public func observing(_ field: Int, _ body: () -> Void) {
      let run = Observing(field: field, thread: .current)
      let isFirst = observing_.withLock { runs in
        if runs.contains(run) { return false }
        runs.append(run)
        return true
      }
      guard isFirst else { return }
      defer { observing_.withLock { runs in runs.removeAll { $0 == run } } }
      body()
    }

    // MARK: The standard library's Observation

    @usableFromInline final class Registrar: Sendable {
      @usableFromInline let registrar = ObservationRegistrar()
      /// Of the model's class: at hand, as every read asks for one.
      @usableFromInline let paths: AnyModelSchema.Paths

      init(_ paths: AnyModelSchema.Paths) { self.paths = paths }
    }

    @inlinable
    func noteObservation<Model: ReplicatedModel, Content>(of model: Model, _ field: Int, as type: Content.Type) {
      // First the bit, then the read, and a write stores before it looks at the bit: one of the two sees the other.
      let bit = Self.bit(of: field)
      if observed.load(ordering: .relaxed) & bit == 0 { observed.bitwiseOr(bit, ordering: .sequentiallyConsistent) }
      let isNoted: Void? = registrar_.withLoaded { registrar in
        registrar.paths.with(field) {
          registrar.registrar.access(model, keyPath: unsafeDowncast($0, to: KeyPath<Model, Content>.self))
        }
      }
      if isNoted == nil { noteFirstObservation(of: model, field, as: type) }
    }

    @inlinable @inline(never)
    func noteFirstObservation<Model: ReplicatedModel, Content>(of model: Model, _ field: Int, as type: Content.Type) {
      makeRegistrar(Model._$schema)
      noteObservation(of: model, field, as: type)
    }

    @usableFromInline
    func makeRegistrar(_ schema: AnyModelSchema) { _ = registrar_.setIfNil(Registrar(schema.paths)) }

    @inlinable static func bit(of field: Int) -> UInt64 { 1 << UInt64(min(field, 63)) }

    /// Whether somebody read the field in a scope of the standard library. Asked after a write has stored.
    @inlinable func isObserved(_ field: Int) -> Bool {
      observed.load(ordering: .sequentiallyConsistent) & Self.bit(of: field) != 0
    }

    /// Will-set and did-set, both after the new value is stored and every lock is released: told
    /// before, an observer on another thread could read the old value and miss the new one.
    func tellObservation<Model: ReplicatedModel>(_ model: Model, _ field: Int) {
      guard isObserved(field), let registrar = registrar_.load() else { return }
      registrar.paths.with(field) { keyPath in
        func tell<Content>(_: Content.Type) {
          let keyPath = unsafeDowncast(keyPath, to: KeyPath<Model, Content>.self)
          registrar.registrar.willSet(model, keyPath: keyPath)
          registrar.registrar.didSet(model, keyPath: keyPath)
        }
        _openExistential(type(of: keyPath).valueType, do: tell)
      }
    }
  }
}
