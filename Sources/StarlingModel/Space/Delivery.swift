import StarlingCore
import StarlingEngine
import StarlingGraph
import StarlingGuard

/// The remote changes that wait to become visible on one isolation.
///
/// On an actor they wait for a job of their own, so that code on the actor never sees a merge between
/// two of its lines; on none they are delivered by whoever merged. What waits is *which* places
/// changed; what they show is read when they are delivered.
///
/// Until then an actor's jobs see the document as it was delivered last (`ReaderView`), and their own writes: also in
/// models that they open on the way.
///
/// An actor that holds the models which it opened is not held by them: once it has gone no code of its is between
/// two lines, and whoever merges delivers.
final class Delivery: Sendable {
  private weak let actor: (any Actor)?
  private let isIsolated: Bool
  private let handle: DocumentHandle
  /// Of an actor, as which it sees the document.
  let reader: Int?
  private let waiting = Guarded(Waiting())

  fileprivate struct Waiting {
    var subjects = Subjects()
    var gone: [ObjectTable.Live] = []
    /// Whether a job is on its way, or a thread is delivering.
    var isDue = false
    var holds = 0

    var isEmpty: Bool { subjects.isEmpty && gone.isEmpty }
  }

  init(isolation: (any Actor)?, of handle: DocumentHandle) {
    actor = isolation
    isIsolated = isolation != nil
    self.handle = handle
    reader = isolation == nil ? nil : handle.addReader()
  }

  deinit {
    if let reader { handle.removeReader(reader) }
  }

  /// Nil for none, and for an actor that is no more.
  var isolation: (any Actor)? { isIsolated ? actor : nil }

  /// Whether it was for an actor that is no more.
  var isOrphaned: Bool { isIsolated && isolation == nil }

  func add(_ subjects: Subjects, gone: [ObjectTable.Live], of space: ModelSpace) {
    let isFirst = waiting.withLock { waiting in
      waiting.subjects.add(subjects)
      waiting.gone.append(contentsOf: gone)
      return waiting.beginIfDue()
    }
    if isFirst { begin(space) }
  }

  /// Something was merged that waits in the view of this reader.
  func arrived(in space: ModelSpace) {
    let isFirst = waiting.withLock { waiting in
      defer { waiting.isDue = true }
      return !waiting.isDue
    }
    if isFirst { begin(space) }
  }

  /// Keeps changes waiting until the matching `release`. Only for changes on no isolation.
  ///
  /// A delivery stores under the document's lock, after asking there whether it may: once that lock was
  /// free, none stores any more.
  func hold(_ space: ModelSpace) {
    waiting.withLock { $0.holds += 1 }
    space.handle.read { _ in }
  }

  private var isHeld: Bool { waiting.withLock { $0.holds > 0 } }

  func release(_ space: ModelSpace) {
    let isFirst = waiting.withLock { waiting in
      waiting.holds -= 1
      return waiting.beginIfDue()
    }
    if isFirst { begin(space) }
  }

  private func begin(_ space: ModelSpace) {
    guard let isolation else { return deliver(space) }
    Task { await Delivery.deliver(self, space, on: isolation) }
  }

  private static func deliver(_ delivery: Delivery, _ space: ModelSpace, on isolation: isolated any Actor) {
    delivery.deliver(space)
  }

  /// Delivers until nothing waits: changes that come during it join in, in order.
  private func deliver(_ space: ModelSpace) {
    while true {
      var (subjects, gone) = waiting.withLock { waiting in
        if waiting.holds > 0 {
          waiting.isDue = false
          return (Subjects(), [ObjectTable.Live]())
        }
        let taken = (waiting.subjects, waiting.gone)
        waiting.subjects = Subjects()
        waiting.gone = []
        if taken.0.isEmpty, taken.1.isEmpty { waiting.isDue = false }
        return taken
      }
      // What is merged from here on waits for another job.
      let view = reader.flatMap { space.handle.takeView(of: $0) }
      if subjects.isEmpty, gone.isEmpty, view == nil { return }
      let arrived = space.concerned(by: view?.patches ?? [], on: self)
      // Nothing waited but in the view.
      let isLast = subjects.isEmpty && gone.isEmpty
      subjects.add(arrived.subjects)
      gone += arrived.gone
      let isHeard = !subjects.isEmpty || !gone.isEmpty
      batch {
        for case .model(let attachment) in gone { space.remove(attachment) }
        let left = space.refresh(subjects.all, unless: { isHeld })
        if !left.isEmpty { waiting.withLock { waiting in for subject in left { waiting.subjects.add(subject) } } }
        // Readers that read an object through a reference and released its instance.
        space.lives.touch(arrived.unheld)
      }
      if isHeard { space.listeners.tell(of: self) }
      // The job is no more due: whoever merged since has begun the next.
      if isLast { return }
      // On an actor the rest waits for its turn, like anyone's.
      if isolation != nil, waiting.withLock({ !$0.isEmpty }) { return begin(space) }
    }
  }
}

extension Delivery.Waiting {
  /// Whether the caller must see to the delivery.
  fileprivate mutating func beginIfDue() -> Bool {
    guard !isDue, holds == 0, !isEmpty else { return false }
    isDue = true
    return true
  }
}

/// Subjects in the order in which they came. One that waits twice is delivered once, as changed in its conflicts if it
/// ever was.
struct Subjects {
  private(set) var all: [Subject] = []
  /// Where each stands, of the first so many: a few are looked through faster, and nobody asks for those that are known
  /// to come once.
  private var places = HandleIndex()

  private static var fewCountMax: Int { 8 }
  private static let salt = makeSalt()

  init(_ subjects: [Subject] = []) {
    for subject in subjects { add(subject) }
  }

  var isEmpty: Bool { all.isEmpty }

  mutating func add(_ new: Subjects) {
    if all.isEmpty {
      self = new
    } else {
      for subject in new.all { add(subject) }
    }
  }

  mutating func add(_ subject: Subject) {
    guard let place = place(of: subject) else { return add(new: subject) }
    if subject.conflictsChanged { all[place].conflictsChanged = true }
  }

  /// Adds one that is not here yet.
  mutating func add(new subject: Subject) { all.append(subject) }

  private mutating func place(of subject: Subject) -> Int? {
    if all.count <= Self.fewCountMax { return all.firstIndex(of: subject) }
    let all = all
    func hash(_ place: Int) -> UInt64 { all[place].hash(salt: Self.salt) }
    places.reserve(all.count, hashOf: hash)
    for place in places.count..<all.count { places.insert(place, hash: hash(place)) }
    return places.find(hash: subject.hash(salt: Self.salt)) { all[$0] == subject }
  }
}
