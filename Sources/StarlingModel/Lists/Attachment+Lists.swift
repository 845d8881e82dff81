import StarlingCore
import StarlingEngine
import StarlingGraph

extension Attachment {
  /// Writes an array: its elements are addressed by name, and what the names stand for may change until the
  /// document's lock is held.
  ///
  /// ```
  ///   lock ─ content, names ─ unlock │ compare, encode │ lock ─ same names? write ─ unlock
  ///                                                       └ no ──► once more
  /// ```
  func writeList<Model: ReplicatedModel, C: FieldCoding>(
    _ field: borrowing Field<C.Content>, _ id: Int, _ model: Model, from old: C.Content, to new: C.Content,
    _ coding: C
  ) {
    guard let names = schema.names[id] else { return }
    let key = names.key(for: coding.shape)
    var place = place(key)
    var isDone = false
    while !isDone {
      let (present, version, isWritten) = space.handle.read { document in
        (field.cell.peek(in: model._$model.home), lists.version(of: key), self.isWritten(key, document))
      }
      place.isWritten = isWritten
      let wanted = coding.merge(present, from: old, to: new)
      let write = write(of: id, from: present, to: wanted, coding, at: place)
      if case .nothing = write { return }
      isDone = perform(write, field, id, model, from: present, to: wanted, coding) { document in
        lists.version(of: key) != version || self.isWritten(key, document) != isWritten
      }
    }
  }

  /// Under which key the elements of an array are known, if the field is one.
  func listKey(of field: Int) -> Key? { schema.names[field]?.key(for: .members(.list)) }

  private func isWritten(_ key: Key, _ document: borrowing Document) -> Bool {
    document.visible(key, in: object) != .absent
  }
}

extension ModelSpace {
  /// Under the document's lock.
  func perform(
    _ list: ListWrites, _ key: Key, in object: ObjectID, owner: Attachment, _ document: inout Document,
    _ patch: inout Patch
  ) {
    let container = document.declare(.list, for: key, in: object)
    if let whole = list.whole, document.visible(key, in: object) == .absent {
      // The first write on top of a default that is not empty: from now on the document says what is there.
      document.set(.derived(.list), for: key, in: object, patch: &patch)
      let wasEmpty = document.count(in: container) == 0
      let dots = insert(whole, at: 0, in: container, owner, &document, &patch) ?? []
      owner.lists.show(
        ElementNames(dots), wasEmpty ? Alignment(both: dots.count) : nil, key, among: document.count(in: container))
      return
    }
    var writing = ArrayWriting(list, owner.lists.take(key), container, document)
    defer { owner.lists.putBack(writing.shown, key) }
    writing.removeLeaving(self, &document, &patch)
    writing.beginAtStretch(document)
    var place = 0
    while place < list.steps.count {
      let arrivals = list.steps[place...].prefix { $0.isNew }.compactMap(\.write)
      if arrivals.isEmpty {
        writing.perform(list.steps[place], &document, &patch)
        place += 1
      } else {
        let dots = insert(arrivals, at: writing.index, in: container, owner, &document, &patch)
        // Refused for its size: what was to follow is not written either.
        guard let dots else { return writing.giveUp() }
        writing.passNew(dots)
        place += arrivals.count
      }
    }
    writing.finish(document)
  }

  /// Puts new elements in, plants the models among them that are new, and moves the others.
  ///
  /// - Returns: Their names; nil if not all was written.
  func insert(
    _ writes: [FieldWrite], at index: Int, in list: ObjectID, _ owner: Attachment, _ document: inout Document,
    _ patch: inout Patch
  ) -> [Dot]? {
    var dots: [Dot] = []
    var rest = writes[...]
    while let next = rest.first {
      let place = index + dots.count
      if case .move(let object) = next {
        guard let dot = move(object, to: place, in: list, &document, &patch) else { return nil }
        dots.append(dot)
        rest.removeFirst()
      } else {
        let run = Array(rest.prefix { !$0.moves })
        guard let first = insertNew(run, at: place, in: list, owner, &document, &patch) else { return nil }
        dots += first.following(count: run.count)
        rest.removeFirst(run.count)
      }
    }
    return dots
  }

  private func insertNew(
    _ writes: [FieldWrite], at index: Int, in list: ObjectID, _ owner: Attachment, _ document: inout Document,
    _ patch: inout Patch
  ) -> Dot? {
    let values = writes.map(\.elementValue)
    guard let first = document.insert(values, at: index, in: list, patch: &patch) else { return nil }
    for (dot, write) in zip(first.following(count: writes.count), writes) {
      guard case .assign(let planting) = write else { continue }
      let child = ObjectID.assigned(by: dot)
      planting.plant(at: child, Lineage(base: child), in: self, owner, &document, &patch)
    }
    return first
  }
}

extension FieldWrite {
  /// What an element holds that is written so.
  var elementValue: Value {
    switch self {
    case .set(let value): value
    case .assign, .move: .object(.map)
    default: preconditionFailure("\(self) is no write of an element.")
    }
  }
}
