public import StarlingCore
public import StarlingGraph

extension _Replicated {
  /// One visit to a field whose type only the class knows: the macro's `switch` leads it there.
  public struct FieldVisitor {
    @usableFromInline enum Purpose {
      case shape
      /// The present content, into `content`.
      case peek
      /// What a new object must write to hold what this model holds, into `write`.
      case plant(Place, prototype: any ReplicatedModel, id: Int)
      /// Writes what the cell holds, once the model stands in its document.
      case rewrite(FieldRewrite)
      /// Decodes what was read, into `pending`; nil where the cell shows it already.
      case decode(PropertyRefresh)
      /// Puts `pending` into the cell. Under the document's lock.
      case store(PropertyRefresh)
      /// Both at once, where the content is a standard value. Under the document's lock.
      case show(UnsafeMutablePointer<ValueShowing>)
      /// Decodes the entries of a conflict, into `content` as `[Content?]`.
      case values([Entry], Place)
      /// Whether the default differs from that of another instance; then `content` is the name of the property, here or
      /// in a model that stands in it.
      case varies(from: any ReplicatedModel, id: Int)
    }

    @usableFromInline let purpose: Purpose
    var shape = FieldShape.slot
    /// Said with the shape.
    var isStandard = false
    var content: Any?
    var write = FieldWrite.nothing
    /// Whether what is planted holds more than was to be written: it cannot stand there.
    var isRefused = false
    private let model: ModelState?

    init(_ purpose: Purpose, of model: ModelState? = nil) {
      self.purpose = purpose
      self.model = model
    }

    /// Called by the macro's expansion.
    public mutating func visit<C: FieldCoding>(_ field: borrowing Field<C.Content>, _ coding: C) {
      visitAny(field, coding)
    }

    /// The same for a property of one slot, compiled into the application: what is received is mostly a value there.
    @inlinable @inline(never)
    public mutating func visit<C: SlotCoding>(_ field: borrowing Field<C.Content>, _ coding: C) {
      switch purpose {
      case .decode(let refresh):
        guard case .value(let value, by: _) = refresh.reading.visible,
          let content = coding.asksForPlace ? coding.decode(value, at: refresh.place) : coding.decode(value)
        else { return visitAny(field, coding) }
        if !coding.isSame(field.cell.peek(in: refresh.state.home), content) {
          refresh.pending = PendingContent(content)
        }
        refresh.noteReadable()
      case .store(let refresh): refresh.store(field)
      case .show(let showing): showing.pointee.show(field, coding)
      default: visitAny(field, coding)
      }
    }

    @usableFromInline
    mutating func visitAny<C: FieldCoding>(_ field: borrowing Field<C.Content>, _ coding: C) {
      switch purpose {
      case .shape:
        shape = coding.shape
        isStandard = (coding as? any SlotCoding)?.isStandard ?? false
      case .peek:
        content = field.cell.peek(in: model!.home)
      case .plant(let place, let prototype, let id):
        let present = field.cell.peek(in: model!.home)
        let standard = prototype.content(of: id, as: C.Content.self)
        if case .object = coding.shape {
          write = coding.write(from: present, to: present, default: standard, at: place)
        } else if !coding.isSame(standard, present) {
          write = coding.write(from: standard, to: present, default: standard, at: place)
          if case .nothing = write { isRefused = true }
        }
      case .rewrite(let rewrite): rewrite.perform(field, coding)
      case .decode(let refresh):
        let (reading, place) = (refresh.reading, refresh.place)
        let present = field.cell.peek(in: refresh.state.home)
        if let changes = reading.changes { return refresh.catchUp(present, changes, place, coding) }
        let standard: C.Content = refresh.standard()
        var content = coding.read(reading, default: standard, present: present, at: place)
        var strangers: [UnreadableValue] = []
        if content == nil || reading.stranger(to: coding.shape) != nil {
          strangers.append(place.unreadable(reading.visible, as: C.Content.self))
        }
        content = content ?? standard
        let unread = coding.unread(of: reading, in: content!, at: place)
        strangers += unread.map { place.unreadable($0.visible, as: C.Content.self, memberAt: $0.key, coding.shape) }
        if coding.shape == .members(.list) { refresh.showing = .whole(reading, without: unread) }
        place.note(strangers)
        if !coding.isSame(present, content!) { refresh.pending = PendingContent(content!) }
      case .store(let refresh): refresh.store(field)
      case .show: break
      case .values(let entries, let place):
        if let coding = coding as? any SlotCoding {
          content = coding.decodeAll(entries, at: place)
        } else if let coding = coding as? any OpeningCoding {
          content = coding.openAll(entries, at: place)
        }
      case .varies(let other, let id):
        let (mine, its) = (field.cell.peek(in: model!.home), other.content(of: id, as: C.Content.self))
        if let mine = mine as? any ReplicatedModel {
          content = mine.varyingDefault(beside: its)
        } else if coding is any SlotCoding, coding.isSame(mine, mine), !coding.isSame(mine, its) {
          content = type(of: other).label(of: id)
        }
      }
    }
  }
}

extension PropertyRefresh {
  /// Nothing at the place is unreadable.
  @usableFromInline func noteReadable() { subject.attachment.noteReadable(names.key(for: shape)) }

  /// Puts what is pending into the cell.
  @inlinable @inline(__always)
  func store<Content>(_ field: borrowing Field<Content>) {
    let box = unsafeDowncast(pending!, to: PendingContent<Content>.self)
    // What was there leaves with the box, after the lock.
    box.content = field.cell.exchange(box.content, in: state.home)
  }

  /// Decodes what of a list is not visible yet.
  fileprivate func catchUp<C: FieldCoding>(
    _ present: C.Content, _ changes: ListChanges, _ place: Place, _ coding: C
  ) {
    guard let (content, unread) = coding.catchUp(present, changes, at: place) else { return }
    let stranger = reading.stranger(to: coding.shape).map { place.unreadable($0, as: C.Content.self) }
    // What could not be read before is still not visible, and so among what was read now.
    place.note(
      (stranger.map { [$0] } ?? [])
        + unread.map { place.unreadable($0.visible, as: C.Content.self, memberAt: $0.key, coding.shape) })
    showing = .changes(changes, unread: Set(unread.map(\.key)))
    if !coding.isSame(present, content) { pending = PendingContent(content) }
  }
}

extension SlotCoding {
  fileprivate func decodeAll(_ entries: [Entry], at place: Place) -> Any { entries.map { decode($0.value, at: place) } }
}

/// A coding of a slot whose values are objects.
protocol OpeningCoding<Content>: FieldCoding {
  /// What an entry stands for, visible or not; nil where it is of another kind.
  func open(_ entry: Entry, at place: Place) -> Content?
}

extension OpeningCoding {
  fileprivate func openAll(_ entries: [Entry], at place: Place) -> Any { entries.map { open($0, at: place) } }
}

/// A field whose content is written once its model stands in a document.
@usableFromInline final class FieldRewrite {
  private let attachment: Attachment
  private let model: any ReplicatedModel
  private let id: Int

  init(_ attachment: Attachment, _ model: any ReplicatedModel, _ id: Int) {
    (self.attachment, self.model, self.id) = (attachment, model, id)
  }

  fileprivate func perform<C: FieldCoding>(_ field: borrowing Field<C.Content>, _ coding: C) {
    func rewrite(_ model: some ReplicatedModel, _ field: borrowing Field<C.Content>) {
      attachment.rewrite(field, id, model, coding)
    }
    rewrite(model, field)
  }
}

/// A decoded content on its way into its cell; then what was there before.
@usableFromInline final class PendingContent<Content> {
  @usableFromInline var content: Content

  @inlinable init(_ content: Content) {
    self.content = content
  }
}

extension ReplicatedModel {
  /// The first property whose default differs between this instance and the other.
  func varyingDefault(beside other: Any) -> String? {
    guard let other = other as? Self else { return nil }
    for field in Self._$schema.replicated {
      var visitor = FieldVisitor(.varies(from: other, id: field), of: _$model)
      Self._$schema.visit(self, field, &visitor)
      if let name = visitor.content as? String { return name }
    }
    return nil
  }

  static func label(of field: Int) -> String { _$schema.label(of: field) }

  /// What a field of a prototype holds.
  func content<Content>(of field: Int, as type: Content.Type) -> Content {
    var visitor = FieldVisitor(.peek, of: _$model)
    Self._$schema.visit(self, field, &visitor)
    guard let content = visitor.content as? Content else {
      preconditionFailure("field \(field) of \(Self.self) holds \(visitor.content as Any), not a \(Content.self)")
    }
    return content
  }
}
