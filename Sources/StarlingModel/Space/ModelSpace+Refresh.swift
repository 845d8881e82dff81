import StarlingCore
import StarlingEngine
import StarlingGraph
import Synchronization

extension ModelSpace {
  /// Brings cells up to what the document shows now, to those who read on the instances' isolations.
  ///
  /// Decoding and comparing may be the application's code, unless they are of standard values (`showValues`), so no
  /// lock is held then; whether the document still shows what was decoded, and the instance what it was compared with,
  /// is looked at again when it is stored:
  ///
  /// ```
  ///   lock ─ read ─ unlock │ decode, compare │ lock ─ same? store ─ unlock │ tell Observation, flush
  ///                                                    └ no ──► once more
  /// ```
  ///
  /// - Parameters:
  ///   - openings: where models that are opened on the way wait to be filled, by the caller; nil: they are filled here.
  ///   - isHeld: asked under the document's lock, before anything is stored.
  /// - Returns: What could not be brought up to date because models are held.
  @discardableResult
  func refresh(
    _ subjects: [Subject], openings: Openings? = nil, unless isHeld: () -> Bool = { false }
  ) -> [Subject] {
    batch {
      var remaining = showValues(of: subjects, unless: isHeld)
      while !remaining.isEmpty {
        let round = refreshRounds.add(1, ordering: .relaxed).newValue
        let refreshes = remaining.compactMap { PropertyRefresh($0, round) }
        handle.readViews { document, views in
          for refresh in refreshes { refresh.read(document, views) }
        }
        let opened = openings ?? Openings()
        if openings == nil { _ = opened.begin() }
        for refresh in refreshes { refresh.decode(opened) }
        if openings == nil { fill(opened) }
        let left: [Subject]? = handle.readViews { document, views in
          if isHeld() { return nil }
          var left: [Subject] = []
          for refresh in refreshes where !refresh.store(document, views) { left.append(refresh.subject) }
          return left
        }
        guard let left else { return remaining }
        remaining = left
        for refresh in refreshes { refresh.tell() }
      }
      return []
    }
  }
}

/// One subject on its way through a refresh.
@usableFromInline final class PropertyRefresh {
  let subject: Subject
  /// The instance, and what stands behind it: of a field. A collection may have outlived its own.
  private let instance: (model: AnyObject, state: ModelState)?
  /// One turn of a refresh, and the one that had stored in the instance before it.
  private let round: UInt64
  private var roundBefore: UInt64 = 0
  @usableFromInline private(set) var reading = FieldReading(visible: .absent)
  /// Of a list or text in place of the above; nil where it stands no more.
  private var items: AnyObject?
  @usableFromInline var pending: AnyObject?
  /// Of an array that was decoded, which elements it shows then; nil where it must be read whole for that.
  var showing: ListShowing?
  private var openings: Openings?
  private var isStored = false
  let shape: FieldShape
  let names: FieldNames

  /// Nil where it concerns a field of an instance that has gone since.
  init?(_ subject: Subject, _ round: UInt64) {
    let attachment = subject.attachment
    self.subject = subject
    self.round = round
    instance = attachment.model.map { ($0, attachment.schema.state(of: $0)) }
    switch subject.target {
    case .field(let id):
      guard let (model, _) = instance, let names = attachment.schema.names[id] else { return nil }
      self.names = names
      shape = attachment.schema.shape(of: id, in: model)
    case .member(let key, _):
      names = FieldNames(key: key, former: [])
      shape = .slot
    case .items:
      names = FieldNames(key: subject.sequence.key, former: [])
      shape = .slot
    }
  }

  private var model: AnyObject { instance!.model }
  @usableFromInline var state: ModelState { instance!.state }

  /// Under the document's lock.
  private func present(_ document: borrowing Document, _ views: borrowing ReaderViews) -> FieldReading {
    if let view = view(in: views) { return present(view.document, isWhole: true) }
    return present(document, isWhole: false)
  }

  /// Which one shows the subject, if the document itself does not.
  private func view(in views: borrowing ReaderViews) -> ReaderView? {
    views[subject.delivery.reader].flatMap { isShown(by: $0) ? $0 : nil }
  }

  /// Whether nothing was written here to the place since the view.
  private func isShown(by view: ReaderView) -> Bool {
    let object = subject.attachment.object
    switch subject.target {
    case .field:
      let key = names.key(for: shape)
      guard view.shows(key, in: object), names.former.allSatisfy({ view.shows($0, in: object) }) else { return false }
      guard case .members(let kind) = shape else { return true }
      return view.shows(.derived(parent: object, key: key, kind: kind))
    case .member(let key, _): return view.shows(key, in: subject.core!.object)
    // What is visible of a list or text is aligned with the document itself.
    case .items: return false
    }
  }

  private func present(_ document: borrowing Document, isWhole: Bool) -> FieldReading {
    switch subject.target {
    case .field(let id): subject.attachment.reading(of: id, names, shape, in: document, isWhole: isWhole)
    case .member(let key, _): FieldReading(visible: document.visible(key, in: subject.core!.object))
    case .items: FieldReading(visible: .absent)
    }
  }

  /// Under the document's lock.
  func read(_ document: borrowing Document, _ views: borrowing ReaderViews) {
    roundBefore = subject.attachment.lastRefresh
    if case .items = subject.target {
      items = subject.sequence.follows(document) ? subject.sequence.readItems(document) : nil
    } else {
      reading = present(document, views)
    }
  }

  /// Where the field was read.
  @usableFromInline var place: Place {
    Place(attachment: subject.attachment, key: names.key(for: shape), openings: openings)
  }

  /// What a field shows that nobody has written.
  func standard<Content>() -> Content {
    guard case .field(let id) = subject.target else { preconditionFailure("A member has no default.") }
    return subject.attachment.prototype.content(of: id)
  }

  func decode(_ openings: Openings) {
    let attachment = subject.attachment
    switch subject.target {
    case .field(let id):
      self.openings = openings
      var visitor = FieldVisitor(.decode(self))
      attachment.schema.visit(any: model, id, &visitor)
    case .member(let key, _):
      pending = subject.core!.decode(reading.visible, at: key)
    case .items: if let items { subject.sequence.decodeItems(items) }
    }
  }

  /// Under the document's lock. False where the document has moved on since it was read.
  func store(_ document: borrowing Document, _ views: borrowing ReaderViews) -> Bool {
    if case .items = subject.target {
      guard let items else { return true }
      return subject.sequence.follows(document) && subject.sequence.storeItems(items, document)
    }
    guard present(document, views) == reading, pending == nil || hasStoredAlone else { return false }
    if shape == .members(.list) {
      guard let showing else {
        subject.attachment.lists.startAgain(names.key(for: shape))
        return false
      }
      subject.attachment.lists.show(showing, names.key(for: shape))
      if let view = view(in: views) { noteWaiting(in: view) }
    }
    guard let pending else { return true }
    if case .member(let key, _) = subject.target {
      switch subject.core!.standing(of: pending, at: key) {
      case .shown: break
      case .unread: return true
      case .outOfDate: return false
      }
    }
    switch subject.target {
    case .field(let id):
      var visitor = FieldVisitor(.store(self))
      subject.attachment.schema.visit(any: model, id, &visitor)
    case .member(let key, _):
      subject.core!.store(pending, at: key)
    case .items: break
    }
    isStored = true
    subject.attachment.lastRefresh = round
    return true
  }

  /// Whether no other refresh has stored in the instance since the read: what it shows may be what it stored.
  private var hasStoredAlone: Bool {
    let last = subject.attachment.lastRefresh
    return last == roundBefore || last == round
  }

  /// The array knows of the merges that wait, as if it had been read before they came.
  private func noteWaiting(in view: ReaderView) {
    let (lists, key) = (subject.attachment.lists, names.key(for: shape))
    let list = ObjectID.derived(parent: subject.attachment.object, key: key, kind: .list)
    for patch in view.patches {
      for edits in patch.sequences where edits.object == list { lists.note(edits.edits, key) }
      for entry in patch.entries where entry.object == list {
        if case .element(let dot) = entry.key { lists.note(altered: dot, key) }
      }
    }
  }

  func tell() {
    switch subject.target {
    case .field(let id):
      if isStored { subject.attachment.schema.tell(model, that: id) }
      if subject.conflictsChanged { state.conflicts.touch(id, in: state) }
    case .member(let key, _):
      if isStored { subject.core!.tell(key) }
    case .items: if let items { subject.sequence.tellItems(items) }
    }
  }
}

extension Subject {
  fileprivate var sequence: SequenceCore { unsafeDowncast(core!, to: SequenceCore.self) }
}
