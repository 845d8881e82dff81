public import StarlingCore
import StarlingEngine
public import StarlingGraph
import Synchronization

extension ModelSpace {
  /// Brings fields that show one standard value up to what the document shows now, in one turn under its lock, as no code
  /// of the application's runs for that. Nearly all that comes from elsewhere is such a value.
  ///
  /// - Parameter isHeld: asked under the document's lock, before anything is stored.
  /// - Returns: Those that go the whole way of a refresh; all of them where models are held.
  func showValues(of subjects: [Subject], unless isHeld: () -> Bool) -> [Subject] {
    subjects.withBorrowed { borrowed in
      var fields: [ShownField] = []
      fields.reserveCapacity(borrowed.count)
      // Their instances are released with the lock open: the application's code may go with them.
      defer { for place in fields.indices { fields[place].model.release() } }
      for place in borrowed.indices { borrowed[place].standardField(at: place).map { fields.append($0) } }
      if fields.isEmpty { return subjects }
      let round = refreshRounds.add(1, ordering: .relaxed).newValue
      handle.readViews { document, views in
        if isHeld() { return }
        var showing = ValueShowing()
        withUnsafeMutablePointer(to: &showing) { showing in
          var visitor = FieldVisitor(.show(showing))
          for place in fields.indices {
            borrowed[fields[place].place].show(&fields[place], in: document, views, &visitor, showing, round)
          }
        }
      }
      var left: [Subject] = []
      var next = 0
      for place in fields.indices where borrowed[fields[place].place].tell(fields[place]) {
        if next < fields[place].place { left += subjects[next..<fields[place].place] }
        next = fields[place].place + 1
      }
      if next < subjects.count { left += subjects[next...] }
      return left
    }
  }
}

/// A field with one standard value, which is brought up to what the document shows.
private struct ShownField {
  enum Outcome {
    case left
    case same
    case stored
  }

  /// Among the subjects.
  let place: Int
  let id: Int
  /// Held until it is released.
  let model: Unmanaged<AnyObject>
  var outcome = Outcome.left
}

// Subjects are looked at where they stand, with no reference of them counted: each count takes as long as all that is done
// in between.
extension Borrowed<Subject> {
  /// Nil where the subject is another, and where its instance has gone.
  fileprivate func standardField(at place: Int) -> ShownField? {
    guard case .field(let id) = value.target, value.attachment.schema.isStandard(id),
      let model = value.attachment.model
    else { return nil }
    return ShownField(place: place, id: id, model: .passRetained(model))
  }

  /// Under the document's lock.
  fileprivate func show(
    _ field: inout ShownField, in document: borrowing Document, _ views: borrowing ReaderViews,
    _ visitor: inout FieldVisitor, _ showing: UnsafeMutablePointer<ValueShowing>, _ round: UInt64
  ) {
    // Whoever sees the document as it was takes its time.
    if views[value.attachment.delivery.reader] != nil { return }
    let id = field.id
    field.model._withUnsafeGuaranteedRef { model in
      showing.pointee.begin(
        value.attachment.visible(id, in: document), in: value.attachment.schema.state(of: model))
      value.attachment.schema.visit(any: model, id, &visitor)
    }
    guard showing.pointee.isTaken else { return }
    field.outcome = showing.pointee.isStored ? .stored : .same
    if showing.pointee.isStored { value.attachment.lastRefresh = round }
  }

  /// - Returns: Whether all is done.
  fileprivate func tell(_ field: ShownField) -> Bool {
    if field.outcome == .left { return false }
    let id = field.id
    value.attachment.noteReadable(id)
    field.model._withUnsafeGuaranteedRef { model in
      if field.outcome == .stored { value.attachment.schema.tell(model, that: id) }
      guard value.conflictsChanged else { return }
      let state = value.attachment.schema.state(of: model)
      state.conflicts.touch(id, in: state)
    }
    return true
  }
}

/// A value on its way from the document into the cell that shows it.
@usableFromInline struct ValueShowing {
  @usableFromInline private(set) var state: ModelState?
  @usableFromInline private(set) var visible: Visible = .absent
  @usableFromInline var isTaken = false
  @usableFromInline var isStored = false

  mutating func begin(_ visible: Visible, in state: ModelState) {
    self.state = state
    self.visible = visible
    (isTaken, isStored) = (false, false)
  }

  @inlinable @inline(__always)
  mutating func show<C: _Replicated.SlotCoding>(_ field: borrowing _Replicated.Field<C.Content>, _ coding: C) {
    guard coding.isStandard, let state, case .value(let value, by: _) = visible, let content = coding.decode(value)
    else { return }
    isTaken = true
    if coding.isSame(field.cell.peek(in: state.home), content) { return }
    isStored = true
    _ = field.cell.exchange(content, in: state.home)
  }
}
