import CThread
import StarlingCore
import StarlingEngine
import StarlingGuard
import Synchronization

/// The documents that the transaction under way has touched, and what its writes carry.
///
/// One whose body may throw and that stands in another can be taken back alone; it has a scope of its own in the
/// other's. Every scope begins a transaction of each document that is written in it.
///
/// It is its thread's for the length of `withTransaction`, and not its task's: a task that begins within the body would
/// have it inherited, and write into a transaction that has ended, or that another thread is in the middle of.
final class TransactionScope: Sendable {
  /// Of the transaction whose body this thread runs.
  static var current: TransactionScope? {
    starling_this_thread().pointee.transaction_scope.map {
      Unmanaged<TransactionScope>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Whether there is one.
  @inline(__always) static var isAny: Bool { starling_this_thread().pointee.transaction_scope != nil }

  /// Makes the next write to the document part of that transaction, if there is one.
  @inline(__always) static func join(_ space: ModelSpace) {
    guard let scope = starling_this_thread().pointee.transaction_scope else { return }
    // The caller keeps the scope until the body has ended.
    Unmanaged<TransactionScope>.fromOpaque(scope)._withUnsafeGuaranteedRef { $0.join(space) }
  }

  /// Runs `body` as part of this transaction.
  func run(_ body: () -> Void) {
    let thread = starling_this_thread()
    let outer = thread.pointee.transaction_scope
    thread.pointee.transaction_scope = Unmanaged.passUnretained(self).toOpaque()
    defer { thread.pointee.transaction_scope = outer }
    body()
  }

  private let outer: TransactionScope?
  private let state = Guarded(State())
  /// The space that joined last, which `state` holds; its thread alone asks.
  private let latest = Atomic<UInt>(0)

  init(in outer: TransactionScope? = nil) {
    self.outer = outer
  }

  private struct State {
    var spaces: [ModelSpace] = []
    /// Objects that the body took away, and may have put elsewhere since.
    var removed: [(space: ModelSpace, object: ObjectID)] = []
    var message: String?
    var values = TransactionValues()
    /// The first write that was refused for its size.
    var refusal: OversizedWrite?
    /// Instances that entered a document, and those that left one.
    var planted: [Attachment] = []
    var gone: [Attachment] = []
    /// Instances that were opened of objects that the body had taken away.
    var opened: [Attachment] = []
    /// What stood for objects until those that entered did.
    var displaced: [(space: ModelSpace, object: ObjectID, live: ObjectTable.Live)] = []
  }

  @inline(__always) private func join(_ space: ModelSpace) {
    // Which its writes mostly go to.
    let name = UInt(bitPattern: Unmanaged.passUnretained(space).toOpaque())
    if latest.load(ordering: .relaxed) != name { joinFirst(space, name) }
  }

  /// Opens the document's transaction at the first write to it.
  @inline(never) private func joinFirst(_ space: ModelSpace, _ name: UInt) {
    defer { latest.store(name, ordering: .relaxed) }
    outer?.join(space)
    let isFirst = state.withLock { state in
      if state.spaces.contains(where: { $0 === space }) { return false }
      state.spaces.append(space)
      return true
    }
    if isFirst { space.handle.beginTransaction(canBeTakenBack: true) }
  }

  func notePlanted(_ attachment: Attachment) {
    state.withLock { $0.planted.append(attachment) }
  }

  func noteGone(_ attachment: Attachment) {
    state.withLock { $0.gone.append(attachment) }
  }

  func noteOpened(_ attachment: Attachment) {
    state.withLock { $0.opened.append(attachment) }
  }

  func noteDisplaced(_ live: ObjectTable.Live, at object: ObjectID, of space: ModelSpace) {
    state.withLock { $0.displaced.append((space, object, live)) }
  }

  /// The transaction is taken back at its end, since one of its writes was refused.
  func note(refusal: OversizedWrite) {
    state.withLock { $0.refusal = $0.refusal ?? refusal }
  }

  var refusal: OversizedWrite? { state.withLock { $0.refusal } }

  /// The outermost message stands.
  func note(_ message: String) {
    if let outer { return outer.note(message) }
    guard message.utf8.count <= ChangeLimits.messageByteCountMax else {
      return ModelIncident.report(
        .oversized(
          OversizedWrite(
            .message, object: .root, key: .name(message), size: message.utf8.count,
            limit: ChangeLimits.messageByteCountMax)))
    }
    state.withLock { $0.message = message }
  }

  /// The innermost values stand: the one flush shows what all of it wrote.
  func note(_ values: TransactionValues) {
    if values.isEmpty { return }
    if let outer { return outer.note(values) }
    // What is displaced may be the user's, and goes after unlocking.
    var noted = state.withLock { $0.values }.overridden(by: values)
    state.withLock { swap(&$0.values, &noted) }
    withExtendedLifetime(noted) {}
  }

  var values: TransactionValues { outer?.values ?? state.withLock { $0.values } }

  func note(removed object: ObjectID, of space: ModelSpace) {
    state.withLock { $0.removed.append((space, object)) }
  }

  func end() {
    let (spaces, message) = state.withLock { ($0.spaces, $0.message) }
    for space in spaces {
      for object in space.handle.endTransaction(message: message, canBeTakenBack: true) {
        note(removed: object, of: space)
      }
    }
    let noted = state.withLock { $0 }
    guard let outer else {
      for (space, object) in noted.removed { space.remove(object) }
      return
    }
    for attachment in noted.planted { outer.notePlanted(attachment) }
    for attachment in noted.gone { outer.noteGone(attachment) }
    for attachment in noted.opened { outer.noteOpened(attachment) }
    for (space, object, live) in noted.displaced { outer.noteDisplaced(live, at: object, of: space) }
    for (space, object) in noted.removed { outer.note(removed: object, of: space) }
  }

  /// Ends it with nothing written: documents and models show what they showed before, and what was merged since.
  func takeBack() {
    let noted = state.withLock { $0 }
    for space in noted.spaces {
      let altered = space.takeBack()
      for attachment in noted.planted where attachment.space === space { space.remove(attachment) }
      for attachment in noted.gone where attachment.space === space { space.restore(attachment) }
      space.restore(noted.displaced.filter { $0.space === space }.map { ($0.object, $0.live) })
      space.refresh(altered)
      for attachment in noted.opened where attachment.space === space { space.showAgain(attachment) }
    }
  }
}
