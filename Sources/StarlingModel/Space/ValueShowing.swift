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
    // Their instances are released with the lock open: the application's code may go with them.
    var fields: [ShownField] = []
    fields.reserveCapacity(subjects.count)
    for place in subjects.indices { ShownField(place, subjects[place]).map { fields.append($0) } }
    if fields.isEmpty { return subjects }
    let round = refreshRounds.add(1, ordering: .relaxed).newValue
    handle.readViews { document, views in
      if isHeld() { return }
      var showing = ValueShowing()
      withUnsafeMutablePointer(to: &showing) { showing in
        var visitor = FieldVisitor(.show(showing))
        for place in fields.indices { fields[place].show(in: document, views, &visitor, showing, round) }
      }
    }
    var left: [Subject] = []
    var next = 0
    for place in fields.indices {
      guard fields[place].tell() else { continue }
      if next < fields[place].place { left += subjects[next..<fields[place].place] }
      next = fields[place].place + 1
    }
    left += subjects[next...]
    return left
  }
}

/// A field with one standard value, which is brought up to what the document shows.
private struct ShownField {
  private enum Outcome {
    case left
    case same
    case stored
  }

  /// Among the subjects, which hold the attachment.
  let place: Int
  private unowned(unsafe) let attachment: Attachment
  private let id: Int
  private let conflictsChanged: Bool
  private let model: AnyObject
  private var outcome = Outcome.left

  /// Nil where the subject is another, and where its instance has gone.
  init?(_ place: Int, _ subject: borrowing Subject) {
    guard case .field(let id) = subject.target, subject.attachment.schema.isStandard(id),
      let model = subject.attachment.model
    else { return nil }
    self.place = place
    attachment = subject.attachment
    self.id = id
    self.model = model
    conflictsChanged = subject.conflictsChanged
  }

  private var state: ModelState { attachment.schema.state(of: model) }

  /// Under the document's lock.
  mutating func show(
    in document: borrowing Document, _ views: borrowing ReaderViews, _ visitor: inout FieldVisitor,
    _ showing: UnsafeMutablePointer<ValueShowing>, _ round: UInt64
  ) {
    // Whoever sees the document as it was takes its time.
    if views[attachment.delivery.reader] != nil { return }
    showing.pointee.begin(attachment.visible(id, in: document), in: state)
    attachment.schema.visit(any: model, id, &visitor)
    guard showing.pointee.isTaken else { return }
    outcome = showing.pointee.isStored ? .stored : .same
    if outcome == .stored { attachment.lastRefresh = round }
  }

  /// - Returns: Whether all is done.
  mutating func tell() -> Bool {
    if outcome == .left { return false }
    attachment.noteReadable(id)
    if outcome == .stored { attachment.schema.tell(model, that: id) }
    if conflictsChanged { state.conflicts.touch(id, in: state) }
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
